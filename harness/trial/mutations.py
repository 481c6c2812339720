"""Owns the places in a function that can be changed a little, and to what, as edits of its text.

Does not cover which of them are tried, nor what tests say to them (`mutants`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from harness.source import syntax

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
SHOWN = 40
_SAYS = re.compile(r"(?:print|(?:_|self\._?)?log(?:ger|ging)?\.\w+|warnings\.warn)$", re.IGNORECASE)
# Exchanging the first two arguments of these changes nothing, or breaks every call.
_EITHER_WAY = frozenset(
    {"min", "max", "isinstance", "issubclass", "gcd", "lcm", "hypot", "isclose"}
)

_COMPARE: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
}
_BINARY: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}


@dataclass(frozen=True)
class Mutation:
    """One edit of a text."""

    line: int
    """1-based, where the edit starts."""
    rank: int
    """Small for changes that only careful tests notice."""
    start: int
    """First character that is replaced."""
    end: int
    """Character after the last one that is replaced."""
    new: str
    """What stands there then."""
    what: str
    """Such as: `<` becomes `<=`."""


class Text:
    """A text with the way from the parser's places to characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = syntax.lines(text)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def at(self, line: int, offset: int) -> int:
        """Index of a place that the parser names by line and byte."""
        row = self._lines[line - 1] if line <= len(self._lines) else ""
        return self._starts[line - 1] + syntax.column(row, offset)

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Index of a node's first character."""
        return self.at(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Index after a node's last character."""
        return self.at(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def of(self, node: ast.expr | ast.stmt) -> str:
        """A node's own text."""
        return self.text[self.start(node) : self.end(node)]

    def line(self, index: int) -> int:
        """Line of a character, 1-based."""
        return self.text.count("\n", 0, index) + 1

    def edit(self, rank: int, start: int, end: int, new: str, what: str = "") -> Mutation:
        """An edit with its line and its words."""
        said = what or f"`{short(self.text[start:end])}` becomes `{short(new)}`"
        return Mutation(self.line(start), rank, start, end, new, said)


def short(text: str) -> str:
    """A piece of code in one line, cut where it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN else flat[: SHOWN - 2] + " …"


def dumped(tree: ast.AST) -> str:
    """A tree without its places: equal for equal programs."""
    return ast.dump(tree)


def of(text: str, qualname: str) -> Iterator[Mutation]:
    """Every edit inside one definition, or in all functions where the name is empty."""
    tree = syntax.tree(text)
    if tree is None:
        return
    source = Text(text)
    for definition in _definitions(tree, qualname):
        for node in _inside(definition):
            for change in _CHANGES:
                yield from change(node, source)
        yield from _dropped(definition, source)


def _definitions(tree: ast.Module, qualname: str) -> list[Definition]:
    """The definition of that qualified name; all top-level ones where it is empty."""
    if not qualname:
        return [node for node in tree.body if isinstance(node, _DEFINITIONS)]
    found: list[Definition] = []
    blocks: list[ast.AST] = [tree]
    for name in qualname.replace(".<locals>", "").split("."):
        inner = [s for b in blocks for s in _statements(b) if isinstance(s, _DEFINITIONS)]
        found = [node for node in inner if node.name == name]
        blocks = list(found)
    return found[-1:]


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Statements under a node, those of its flow too, not those inside other definitions."""
    for block in syntax.bodies(node):
        for statement in block:
            yield statement
            if not isinstance(statement, _DEFINITIONS):
                yield from _statements(statement)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that are run: no annotations, decorators, docstrings or texts of f-strings."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "type_comment"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_words(child) or _is_said(child):
                continue
            yield child
            yield from () if isinstance(child, ast.JoinedStr) else _inside(child)


def _is_words(node: ast.AST) -> bool:
    """Whether a statement is a bare string or an ellipsis: a docstring, or nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_said(node: ast.AST) -> bool:
    """Whether a node only tells a person something, so that no test need notice it."""
    if isinstance(node, ast.Raise):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return bool(_SAYS.match(ast.unparse(node.value.func)))
    return False


def _between(source: Text, left: ast.expr, right: ast.expr, operator: str) -> tuple[int, int]:
    """Where an operator stands between two operands; an empty span where it is not found."""
    start, end = source.end(left), source.start(right)
    gap = re.sub(r"#[^\n]*", lambda m: " " * len(m.group()), source.text[start:end])
    found = re.search(operator, gap)
    return (start + found.start(), start + found.end()) if found else (0, 0)


def _pattern(operator: str) -> str:
    """An operator as a pattern; words are patterns already."""
    return operator if operator[0].isalpha() else re.escape(operator)


def _comparisons(node: ast.AST, source: Text) -> Iterator[Mutation]:
    """`<` becomes `<=`, `in` becomes `not in`, and so on."""
    if not isinstance(node, ast.Compare):
        return
    operands = [node.left, *node.comparators]
    for operator, (left, right) in zip(node.ops, pairwise(operands), strict=True):
        old, new = _COMPARE[type(operator)]
        start, end = _between(source, left, right, _pattern(old))
        yield source.edit(0, start, end, new)


def _booleans(node: ast.AST, source: Text) -> Iterator[Mutation]:
    """`and` becomes `or` and the other way round."""
    if isinstance(node, ast.BoolOp):
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in pairwise(node.values):
            start, end = _between(source, left, right, old)
            yield source.edit(1, start, end, new)


def _arithmetic(node: ast.AST, source: Text) -> Iterator[Mutation]:
    """`+` becomes `-`, `//` becomes `/`, and so on; in `+=` as well."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _BINARY:
        left = node.left if isinstance(node, ast.BinOp) else node.target
        right = node.right if isinstance(node, ast.BinOp) else node.value
        old, new = _BINARY[type(node.op)]
        start, end = _between(source, left, right, re.escape(old))
        yield source.edit(1, start, end, new)


def _constants(node: ast.AST, source: Text) -> Iterator[Mutation]:
    """A number one larger, a text emptied, True and False exchanged."""
    if not isinstance(node, ast.Constant) or node.value is None or node.value is Ellipsis:
        return
    value = node.value
    if isinstance(value, bool):
        new = str(not value)
    elif isinstance(value, int | float):
        new = repr(value + 1)
    elif isinstance(value, str):
        new = "''" if value else "'x'"
    elif isinstance(value, bytes):
        new = "b''" if value else "b'x'"
    else:
        return
    yield source.edit(2, source.start(node), source.end(node), new)


def _conditions(node: ast.AST, source: Text) -> Iterator[Mutation]:
    """The condition of an `if` or a comprehension is negated, a `not` removed."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        start = source.start(node)
        found = re.match(r"not\b\s*", source.text[start:])
        yield source.edit(1, start, start + (found.end() if found else 0), "", "`not` is removed")
    tests = [node.test] if isinstance(node, ast.If | ast.IfExp) else []
    tests += node.ifs if isinstance(node, ast.comprehension) else []
    for test in tests:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            continue
        old = source.of(test)
        what = f"the condition `{short(old)}` is negated"
        yield source.edit(3, source.start(test), source.end(test), f"(not ({old}))", what)


def _returns(node: ast.AST, source: Text) -> Iterator[Mutation]:
    """What is returned becomes None, or 0 where it was None."""
    if isinstance(node, ast.Return) and node.value is not None:
        is_none = isinstance(node.value, ast.Constant) and node.value.value is None
        new = f"return {0 if is_none else None}"
        yield source.edit(4, source.start(node), source.end(node), new)


def _arguments(node: ast.AST, source: Text) -> Iterator[Mutation]:
    """The first two arguments of a call change places."""
    if isinstance(node, ast.Call) and len(node.args) > 1:
        first, second = node.args[0], node.args[1]
        called = ast.unparse(node.func).rsplit(".", 1)[-1]
        if (
            called in _EITHER_WAY
            or isinstance(first, ast.Starred)
            or isinstance(second, ast.Starred)
        ):
            return
        start, end = source.start(first), source.end(second)
        middle = source.text[source.end(first) : source.start(second)]
        new = source.of(second) + middle + source.of(first)
        what = f"the arguments `{short(source.of(first))}` and `{short(source.of(second))}` swap"
        yield source.edit(2, start, end, new, what)


def _bounds(node: ast.AST, source: Text) -> Iterator[Mutation]:
    """A range or a slice ends one earlier, or starts one later."""
    edges: list[tuple[ast.expr, str]] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        edges = [(edge, "-") for edge in (node.args[1:2] or node.args[:1])]
        edges += [(edge, "+") for edge in node.args[:1] if len(node.args) > 1]
    if isinstance(node, ast.Slice):
        edges = [(edge, "+") for edge in [node.lower] if edge is not None]
        edges += [(edge, "-") for edge in [node.upper] if edge is not None]
    for edge, sign in edges:
        # Constants are changed by one elsewhere; -1 is such a constant too.
        if isinstance(edge, ast.Constant | ast.UnaryOp | ast.Starred):
            continue
        old = source.of(edge)
        yield source.edit(0, source.start(edge), source.end(edge), f"{_atom(edge, old)} {sign} 1")


def _atom(node: ast.expr, text: str) -> str:
    """An expression that can be added to."""
    plain = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    return text if plain else f"({text})"


def _dropped(definition: Definition, source: Text) -> Iterator[Mutation]:
    """A statement that acts on something is left out."""
    known = {a.arg for a in ast.walk(definition) if isinstance(a, ast.arg)}
    for node in _statements(definition):
        if _acts(node, known):
            old = source.of(node)
            start, end = source.start(node), source.end(node)
            yield source.edit(3, start, end, "pass", f"`{short(old)}` is left out")
        if isinstance(node, ast.Assign):
            known |= {t.id for t in node.targets if isinstance(t, ast.Name)}


def _acts(node: ast.stmt, known: set[str]) -> bool:
    """Whether leaving a statement out leaves a program that still has all its names."""
    if isinstance(node, ast.AugAssign | ast.Raise | ast.Continue | ast.Delete):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call | ast.Await) and not _is_said(node)
    if isinstance(node, ast.Assign):
        names = [t.id for t in node.targets if isinstance(t, ast.Name)]
        return all(name in known for name in names)
    return False


_CHANGES: tuple[Callable[[ast.AST, Text], Iterator[Mutation]], ...] = (
    _comparisons,
    _booleans,
    _arithmetic,
    _constants,
    _conditions,
    _returns,
    _arguments,
    _bounds,
)
