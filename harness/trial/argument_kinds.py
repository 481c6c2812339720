"""Owns what kind of value a parameter wants, told from its annotation, its uses and its name.

Does not cover how values of several parameters are put together (`arguments`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_NUMBERS = ("int", "float", "low", "high", "size", "year")
_TEXTS = ("str", "affix", "stamp", "path")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a function."""

    name: str
    annotation: str = ""
    """Its source; empty where there is none."""
    default: str = ""
    """Its source; empty where the parameter must be given."""
    keyword_only: bool = False
    star: bool = False
    """Takes any number of positional values."""


@dataclass(frozen=True)
class Hints:
    """What else is known while kinds are told."""

    body: ast.AST
    """The function."""
    task: str = ""
    """The person's words."""
    numbers: tuple[str, ...] = ()
    """Number literals of the code and the task."""
    texts: tuple[str, ...] = ()
    """Text literals of the code and the task, as Python."""


@dataclass
class _Uses:
    """What a function does with one of its names."""

    strong: list[str] = field(default_factory=list)
    weak: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    """Text keys that are looked up in it."""
    elements: list[str] = field(default_factory=list)
    """Names that its elements are given in loops."""
    pairs: bool = False
    """Whether its elements are taken apart in two."""


_POOLS: dict[str, tuple[str, ...]] = {
    "int": ("3", "0", "-2", "1", "12", "100"),
    "size": ("2", "1", "0", "3", "5", "-1"),
    "low": ("0", "2", "-5"),
    "high": ("10", "4", "0"),
    "float": ("2.5", "0", "-1.5", "1", "40.0", "0.1"),
    "year": ("2024", "1900", "2000", "2023", "1"),
    "stamp": ("'2024-02-29'", "'2026-09-05T17:27:00'", "'12:05'", "''"),
    "bool": ("True", "False"),
    "str": (
        "'Hello, World again'",
        "''",
        "'a'",
        "'  two  words '",
        "'Anna'",
        "'12'",
        "'one two\\nthree'",
    ),
    "affix": ("'l'", "'He'", "' '", "''", "'x'"),
    "bytes": ("b'abc'", "b''"),
    "list int": ("[3, 1, 2]", "[]", "[5]", "[-1, 0, 4, 4]", "[10, 20, 30, 40, 50]"),
    "list float": ("[2.5, 1.5, 4.0]", "[]", "[5.0]", "[-1.0, 0.0, 0.5]"),
    "list str": ("['pear', 'fig', 'apple']", "[]", "['one']", "['b', 'a', 'b']", "['', 'A b']"),
    "list bool": ("[True, False]", "[]", "[True, True]"),
    "list list": ("[[1, 2], [3]]", "[]", "[[]]", "[[5], [], [6, 7]]"),
    "list pair": ("[('a', 1), ('b', 2)]", "[]", "[('a', 3), ('a', 4)]"),
    "list dict": ("[{'name': 'a', 'value': 1}, {'name': 'b', 'value': 2}]", "[]"),
    "dict": ("{'a': 1, 'b': 2}", "{}", "{'b': 5, 'a': 5, 'c': 0}"),
    "path": ("'a/b.txt'", "'b.tar.gz'", "'/a/b/c'", "''"),
    "none": ("None",),
    "any": ("3", "'abc'", "[1, 2, 3]", "0", "''", "[]", "{'a': 1}", "2.5"),
}

_NAMES: dict[str, str] = {
    "bool": "flag reverse strict verbose",
    "low": "low lower lo min minimum start begin floor",
    "high": "high higher upper hi max maximum end stop ceiling cap",
    "affix": "sep separator delim delimiter prefix suffix char ch letter sub substring old new "
    "fill",
    "path": "path file filename folder directory dir",
    "size": "n k size width length limit count times index step depth places digits",
    "list str": "words names lines strings texts tags labels titles keys parts tokens",
    "list int": "prices values numbers nums amounts scores items list lst array arr xs seq "
    "sequence data elements samples integers ints entries collection iterable",
    "list list": "lists matrix grid nested rows table groups",
    "list pair": "pairs tuples edges intervals ranges",
    "list dict": "records orders products users people dicts",
    "dict": "mapping dict dictionary map config options settings counts d",
    "float": "price rate ratio percent percentage total amount weight discount cost celsius "
    "fahrenheit temperature radius height distance value factor average mean tax score",
    "year": "year",
    "stamp": "date time timestamp iso when",
    "int": "i j m x y a b num number month day days hours minutes seconds age integer quantity qty "
    "cents base exponent points id",
    "str": "s t name text string str word line title label key message msg url email slug phrase "
    "sentence content code pattern isbn token query markdown csv html first last password "
    "username paragraph input",
}
_ALONE = frozenset(
    {"n", "k", "d", "i", "j", "m", "x", "y", "a", "b", "s", "t", "new", "old", "end"}
)
_YES_NO = frozenset({"is", "has", "use", "with", "include", "allow", "ignore", "keep"})
_BY_WORD = {word: kind for kind, words in reversed(_NAMES.items()) for word in words.split()}

_TEXT_METHODS = """
split strip lower upper replace startswith endswith join title capitalize splitlines rstrip lstrip
isdigit isalpha encode casefold partition rpartition find removeprefix removesuffix isspace isupper
islower swapcase zfill ljust rjust center format translate
"""
_METHODS = {
    **dict.fromkeys(_TEXT_METHODS.split(), "str"),
    **dict.fromkeys(("items", "keys", "values", "get", "setdefault"), "dict"),
    **dict.fromkeys(("append", "extend", "sort", "reverse", "insert"), "list"),
    **dict.fromkeys(("exists", "read_text", "is_file", "is_dir", "glob", "suffix", "stem"), "path"),
    **dict.fromkeys(("decode", "hex"), "bytes"),
}
_TAKES = {
    **dict.fromkeys(("sum", "mean", "median", "fsum"), "list number"),
    **dict.fromkeys(
        ("sorted", "any", "all", "enumerate", "set", "list", "tuple", "Counter"), "list"
    ),
    **dict.fromkeys(("range", "chr", "bin", "oct"), "int"),
    **dict.fromkeys(("abs", "round", "sqrt", "floor", "ceil", "pow", "isclose"), "number"),
    **dict.fromkeys(("open", "Path"), "path"),
    **dict.fromkeys(("ord",), "affix"),
}


def pool(parameter: Parameter, hints: Hints) -> tuple[str, ...]:
    """Values for a parameter as Python, usual ones first, then edge cases; never empty."""
    uses = _uses(hints.body, parameter.name)
    kind, optional = _kind(parameter, uses, hints)
    values = list(_rows(uses, kind) or _POOLS.get(kind, _POOLS["any"]))
    if kind in _NUMBERS:
        values[3:3] = hints.numbers[:6]
    elif kind in _TEXTS:
        values[2:2] = hints.texts[:4]
    elif kind == "list str" and hints.texts:
        values[2:2] = [f"[{', '.join(hints.texts[:3])}]"]
    return tuple(dict.fromkeys([*values, *(["None"] if optional else [])]))


def _kind(parameter: Parameter, uses: _Uses, hints: Hints) -> tuple[str, bool]:
    """The kind of a parameter, and whether None is allowed by its annotation or default."""
    optional = parameter.default == "None"
    if parameter.annotation:
        kind, none = _annotated(parameter.annotation)
        if kind:
            named = _named(parameter.name)
            narrower = any(kind in some and named in some for some in (_NUMBERS, _TEXTS))
            return (named if narrower else kind), optional or none
    of_loop = _settled(["list"], uses, hints) if uses.elements or uses.pairs else ""
    for kind in (_settled(uses.strong, uses, hints), of_loop, _named(parameter.name)):
        if kind:
            return kind, optional
    weak = _settled(uses.weak, uses, hints) or _plural(parameter.name)
    return weak or _of_default(parameter.default) or _of_task(hints.task), optional


def _annotated(source: str) -> tuple[str, bool]:
    """The kind that an annotation names, empty if unknown, and whether it allows None."""
    text = source.strip("'\"").replace(" ", "").replace("typing.", "").replace("t.", "")
    none = False
    if found := re.fullmatch(r"Optional\[(.*)\]", text):
        text, none = found.group(1), True
    parts = [p for p in re.split(r"\|(?![^\[]*\])", text) if p]
    if len(parts) > 1:
        none = none or "None" in parts
        text = next((p for p in parts if p != "None"), "")
    if found := re.fullmatch(r"Union\[(.*)\]", text):
        text = found.group(1).split(",")[0]
    outer, _, inner = text.partition("[")
    return _outer(outer.rsplit(".", 1)[-1], inner.removesuffix("]")), none


def _outer(outer: str, inner: str) -> str:
    """The kind of a generic type by its outer and inner name."""
    plain = {"int": "int", "float": "float", "complex": "float", "Decimal": "int", "str": "str",
             "AnyStr": "str", "bool": "bool", "bytes": "bytes", "Path": "path", "PathLike": "path",
             "None": "none", "Number": "float", "Real": "float"}  # fmt: skip
    if outer in plain:
        return plain[outer]
    if outer in ("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "Counter"):
        return "dict"
    holds = ("list", "List", "Sequence", "Iterable", "Iterator", "Collection", "tuple", "Tuple",
             "set", "Set", "frozenset", "FrozenSet", "AbstractSet", "MutableSequence")  # fmt: skip
    if outer not in holds:
        return ""
    first, pair = inner.split("[")[0].split(",")[0], "," in inner.split("[")[0]
    if outer.lower() == "tuple" and pair and not inner.endswith("..."):
        return "any"
    known = {"int": "int", "float": "float", "str": "str", "bool": "bool", "dict": "dict",
             "Dict": "dict", "Mapping": "dict", "list": "list", "List": "list", "tuple": "pair",
             "Tuple": "pair"}  # fmt: skip
    return f"list {known.get(first, 'int')}"


def _named(name: str) -> str:
    """The kind that a name suggests, by its whole or its last word; empty if none."""
    plain = name.strip("_").lower()
    first, _, _ = plain.partition("_")
    last = plain.rpartition("_")[2]
    if first != plain and first in _YES_NO:
        return "bool"
    if plain in _BY_WORD or last in _ALONE:
        return _BY_WORD.get(plain, "")
    if first in ("min", "max") and last not in _NAMES["size"].split():
        return _BY_WORD[first]
    return _BY_WORD.get(last, "")


def _plural(name: str) -> str:
    """A list for a plural word, by the kind of its singular."""
    plain = name.strip("_").lower()
    if not plain.endswith("s") or plain.endswith("ss") or len(plain) < 4:
        return ""
    return "list str" if _named(plain[:-1]) == "str" else "list int"


def _of_default(default: str) -> str:
    """The kind of a default value."""
    try:
        value = ast.literal_eval(default) if default else None
    except (ValueError, SyntaxError):
        return ""
    kinds = {bool: "bool", int: "int", float: "float", str: "str", dict: "dict", bytes: "bytes"}
    return kinds.get(type(value), "list int" if isinstance(value, list | tuple) else "")


def _of_task(task: str) -> str:
    """The kind that the task's words suggest for its only unknown."""
    for kind, words in (
        ("list str", r"\b(?:list|sequence) of (?:strings|words|names)\b"),
        ("list int", r"\blists?\b|\bnumbers\b|\bvalues\b|\bintegers\b"),
        ("dict", r"\bdict(?:ionary)?\b|\bmapping\b"),
        ("str", r"\bstrings?\b|\btext\b|\bword\b|\bsentence\b"),
        ("int", r"\bnumber\b|\binteger\b"),
    ):
        if re.search(words, task, re.IGNORECASE):
            return kind
    return "any"


def _settled(found: list[str], uses: _Uses, hints: Hints) -> str:
    """One kind out of several uses; a list gets the kind of its elements."""
    kind = found[0] if found else ""
    if kind == "number":
        return "float"
    if kind == "list number":
        return "list float" if uses.pairs else "list int"
    if kind != "list":
        return kind
    if uses.pairs:
        return "list pair"
    for name in uses.elements:
        inner = _uses(hints.body, name)
        if inner.keys:
            return "list dict"
        of = (inner.strong + inner.weak + [""])[0]
        if of in ("str", "affix"):
            return "list str"
        if of.startswith("list"):
            return "list list"
    return ""


def _rows(uses: _Uses, kind: str) -> tuple[str, ...]:
    """Dicts with the keys that the code looks up; empty where it looks none up."""
    if not uses.keys or kind not in ("list dict", "dict", "any", "list int"):
        return ()

    def one(at: int) -> str:
        pairs = (f"{key!r}: {_value(key, at)}" for key in dict.fromkeys(uses.keys))
        return "{" + ", ".join(pairs) + "}"

    if kind == "dict" or not uses.elements:
        return (one(0), one(1), "{}")
    return (f"[{one(0)}, {one(1)}]", "[]", f"[{one(1)}]", f"[{one(0)}, {one(0)}, {one(2)}]")


def _value(key: str, at: int) -> str:
    """A value for a key of a row."""
    kind = _named(key) or "int"
    values = _POOLS[kind if kind in ("str", "bool", "float", "int", "size") else "int"]
    return values[at % len(values)]


def _uses(body: ast.AST, name: str) -> _Uses:
    """What a function does with a name."""
    uses = _Uses()
    for node in ast.walk(body):
        _loop(node, name, uses)
        for strong, kind in _signs(node, name):
            (uses.strong if strong else uses.weak).append(kind)
        if isinstance(node, ast.Subscript) and _is(node.value, name):
            _key(node.slice, uses)
    for element in uses.elements:
        uses.keys += _uses(body, element).keys if element != name else []
    return uses


def _is(node: ast.AST | None, name: str) -> bool:
    """Whether a node is that name."""
    return isinstance(node, ast.Name) and node.id == name


def _key(node: ast.expr, uses: _Uses) -> None:
    """Count a look-up: a text key makes a dict."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        uses.keys.append(node.value)
        uses.strong.append("dict")


def _loop(node: ast.AST, name: str, uses: _Uses) -> None:
    """Count a loop over the name."""
    if not isinstance(node, ast.For | ast.AsyncFor | ast.comprehension) or not _is(node.iter, name):
        return
    if isinstance(node.target, ast.Tuple):
        uses.pairs = uses.pairs or len(node.target.elts) == 2
    elif isinstance(node.target, ast.Name):
        uses.elements.append(node.target.id)
    uses.weak.append("list")


def _signs(node: ast.AST, name: str) -> Iterator[tuple[bool, str]]:
    """Kinds that one node suggests for a name, and whether strongly."""
    if isinstance(node, ast.Attribute) and _is(node.value, name) and node.attr in _METHODS:
        yield True, _METHODS[node.attr]
    elif isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        last = called.rsplit(".", 1)[-1]
        if called.startswith("re.") and any(_is(a, name) for a in node.args[1:]):
            yield True, "str"
        elif node.args and _is(node.args[0], name):
            if last == "isinstance" and len(node.args) > 1:
                yield (
                    True,
                    _annotated(ast.unparse(node.args[1]).strip("()").split(",")[0])[0] or "any",
                )
            elif last in _TAKES:
                kind = _TAKES[last]
                yield kind != "list", kind
    elif isinstance(node, ast.BinOp | ast.Compare):
        sides = [node.left, *([node.right] if isinstance(node, ast.BinOp) else node.comparators)]
        others = [s.value for s in sides if isinstance(s, ast.Constant)]
        if others and any(_is(s, name) for s in sides):
            value = others[0]
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield False, "int" if isinstance(value, int) else "float"
            elif isinstance(value, str):
                yield False, "str"
