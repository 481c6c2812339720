"""Owns which arguments a function is tried with: given examples, then usual and edge values.

Does not cover calling it (`behaviour`) nor what kind of value a parameter wants (`argument_kinds`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from harness.source import syntax
from harness.trial import argument_kinds
from harness.trial.argument_kinds import Hints, Parameter

MAX_INPUTS = 12
MAX_EXAMPLES = 6
MAX_TEXT = 40
_MADE_BY = frozenset(
    {"set", "dict", "tuple", "list", "frozenset", "range", "float", "int", "str", "bytes", "bool"}
)

Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def inputs(text: str, qualname: str, task: str = "", limit: int = MAX_INPUTS) -> tuple[str, ...]:
    """Arguments for calls of a function, each as it would stand between the brackets of a call.

    From examples in docstrings, the task and the module, then from annotations, uses, names and
    literals. A method's own instance is left out. Empty where the text defines no such function.
    """
    tree = syntax.tree(text)
    found = _function(tree, qualname) if tree is not None else None
    if tree is None or found is None:
        return ()
    node, parameters = found
    examples = [e for e in _examples(tree, node, qualname, task) if _fits(e, parameters)]
    chosen = list(dict.fromkeys(examples))[:MAX_EXAMPLES]
    hints = Hints(node, task, _numbers(node, task), _texts(node, task))
    pools = {p.name: argument_kinds.pool(p, hints) for p in parameters}
    for made in _combined(parameters, pools):
        if len(chosen) >= limit:
            break
        if made not in chosen:
            chosen.append(made)
    return tuple(chosen)


def _function(tree: ast.Module, qualname: str) -> tuple[ast.AST, tuple[Parameter, ...]] | None:
    """The definition and its parameters without self; of a class those of its constructor."""
    body: list[ast.stmt] = tree.body
    holder: ast.ClassDef | None = None
    node: ast.stmt | None = None
    for name in qualname.split("."):
        named = [s for s in body if getattr(s, "name", "") == name and hasattr(s, "body")]
        if not named:
            return None
        holder = node if isinstance(node, ast.ClassDef) else None
        node = named[-1]
        body = node.body if isinstance(node, ast.ClassDef) else []
    if isinstance(node, ast.ClassDef):
        return node, _of_class(node)
    return (node, parameters(node, holder)) if isinstance(node, _FUNCTIONS) else None


def _of_class(node: ast.ClassDef) -> tuple[Parameter, ...]:
    """Parameters of a class's constructor: of `__init__`, else its annotated fields."""
    for statement in node.body:
        if isinstance(statement, _FUNCTIONS) and statement.name == "__init__":
            return parameters(statement, node)
    fields = [s for s in node.body if isinstance(s, ast.AnnAssign)]
    return tuple(
        Parameter(f.target.id, ast.unparse(f.annotation), ast.unparse(f.value) if f.value else "")
        for f in fields
        if isinstance(f.target, ast.Name) and node.decorator_list
    )


def parameters(node: Function, holder: ast.ClassDef | None = None) -> tuple[Parameter, ...]:
    """Parameters of a function as the caller sees them; self or cls of a method left out."""
    spelled = node.args
    positional = [*spelled.posonlyargs, *spelled.args]
    gap = len(positional) - len(spelled.defaults)
    defaults = [None] * gap + list(spelled.defaults)
    found = [_parameter(a, d) for a, d in zip(positional, defaults, strict=True)]
    static = any(ast.unparse(d) == "staticmethod" for d in node.decorator_list)
    if holder is not None and not static:
        found = found[1:]
    if spelled.vararg:
        found.append(_parameter(spelled.vararg, None, star=True))
    for keyword, default in zip(spelled.kwonlyargs, spelled.kw_defaults, strict=True):
        found.append(_parameter(keyword, default, keyword_only=True))
    return tuple(found)


def _parameter(
    arg: ast.arg, default: ast.expr | None, *, star: bool = False, keyword_only: bool = False
) -> Parameter:
    """One parameter."""
    annotation = ast.unparse(arg.annotation) if arg.annotation else ""
    spelled = ast.unparse(default) if default is not None else ""
    return Parameter(arg.arg, annotation, spelled, keyword_only, star)


def _examples(tree: ast.Module, node: ast.AST, qualname: str, task: str) -> Iterator[str]:
    """Arguments of calls that someone wrote: in the task, in docstrings, in the module."""
    name = qualname.rsplit(".", 1)[-1]
    known = frozenset(s.name for s in tree.body if isinstance(s, ast.ClassDef))
    docs = [s for s in (_docstring(node), _docstring(tree)) if s]
    for words in (task, *docs):
        for call in _calls_in(words, name):
            if _is_plain(call, known):
                yield _arguments(call)
    inner = set(map(id, ast.walk(node)))
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and id(n) not in inner]
    for call in calls:
        if ast.unparse(call.func).rsplit(".", 1)[-1] == name and _is_plain(call, known):
            yield _arguments(call)


def _docstring(node: ast.AST) -> str:
    """A docstring; empty where there is none."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return ast.get_docstring(node) or ""
    return ""


def _calls_in(words: str, name: str) -> Iterator[ast.Call]:
    """Calls of a name inside plain words, each up to the bracket that makes it whole."""
    for found in re.finditer(rf"(?<![\w.]){re.escape(name)}\(", words):
        for end in re.finditer(r"\)", words[found.end() :][:400]):
            piece = words[found.start() : found.end() + end.end()]
            tree = syntax.tree(piece)
            if tree is not None:
                value = tree.body[0].value if isinstance(tree.body[0], ast.Expr) else None
                if isinstance(value, ast.Call):
                    yield value
                break


def _is_plain(call: ast.Call, known: frozenset[str]) -> bool:
    """Whether the arguments are literals, or made of them by builtins or the module's classes."""
    for node in (n for a in [*call.args, *call.keywords] for n in ast.walk(a)):
        if isinstance(node, ast.Name) and node.id not in _MADE_BY | known:
            return False
        if isinstance(node, ast.Attribute | ast.Lambda | ast.Starred | ast.Await | ast.NamedExpr):
            return False
        if isinstance(node, ast.comprehension | ast.JoinedStr):
            return False
    return all(keyword.arg for keyword in call.keywords)


def _arguments(call: ast.Call) -> str:
    """What stands between the brackets of a call."""
    pieces = [ast.unparse(a) for a in call.args]
    return ", ".join([*pieces, *(f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords)])


def _fits(given: str, wanted: Sequence[Parameter]) -> bool:
    """Whether a call with these arguments binds to the parameters."""
    tree = syntax.tree(f"f({given})")
    value = tree.body[0].value if tree and isinstance(tree.body[0], ast.Expr) else None
    if not isinstance(value, ast.Call):
        return False
    positional = [p for p in wanted if not p.keyword_only and not p.star]
    names = {k.arg for k in value.keywords}
    if len(value.args) > len(positional) and not any(p.star for p in wanted):
        return False
    rest = positional[len(value.args) :] + [p for p in wanted if p.keyword_only]
    return all(p.default or p.name in names for p in rest) and names <= {p.name for p in rest}


def _numbers(node: ast.AST, task: str) -> tuple[str, ...]:
    """Numbers that the code compares or computes with and their neighbours, and the task's."""
    values = [c.value for c in _constants(node) if isinstance(c.value, int | float)]
    whole = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
    found = [repr(v) for v in values if not isinstance(v, bool) and abs(v) < 10**9]
    found += [str(v + step) for v in whole for step in (-1, 1) if abs(v) < 10**9]
    found += re.findall(r"(?<![\w.'\"-])-?\d+(?:\.\d+)?(?![\w.'\"]*\w)", task)
    return tuple(n for n in dict.fromkeys(found) if n not in ("0", "1"))


def _texts(node: ast.AST, task: str) -> tuple[str, ...]:
    """Texts that the code or the task names, as Python."""
    found = [m.group(1) for m in re.finditer(r"[\"'“]([^\"'“”\n]{1,40})[\"'”]", task)]
    found += [c.value for c in _constants(node) if isinstance(c.value, str)]
    return tuple(dict.fromkeys(repr(t) for t in found if t.strip() and len(t) <= MAX_TEXT))


def _constants(node: ast.AST) -> list[ast.Constant]:
    """Constants of a function but for its docstrings."""
    words = {id(n.value) for n in ast.walk(node) if isinstance(n, ast.Expr)}
    return [n for n in ast.walk(node) if isinstance(n, ast.Constant) and id(n) not in words]


def _combined(wanted: Sequence[Parameter], pools: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """Calls with the first value of each parameter, then all moved on, then one at a time."""
    needed = [p for p in wanted if not p.default and not p.star]
    rows = [_moved(p, i, needed, pools) for i, p in enumerate(needed)]
    base = [row[0] for row in rows]
    yield _spelled(needed, base)
    others = [(p, [v for v in pools[p.name] if v != p.default]) for p in wanted if p not in needed]
    for other, values in others:
        for value in values[:2]:
            yield _spelled([*needed, other], [*base, value])
    deepest = max((len(row) for row in [*rows, *(v[1:] for _, v in others)]), default=0)
    for depth in range(1, deepest):
        if len(rows) > 1:
            yield _spelled(needed, [row[depth % len(row)] for row in rows])
        for at, row in enumerate(rows):
            if depth < len(row):
                yield _spelled(needed, [*base[:at], row[depth], *base[at + 1 :]])
        for other, values in others:
            if depth + 1 < len(values):
                yield _spelled([*needed, other], [*base, values[depth + 1]])


def _moved(
    parameter: Parameter, at: int, needed: Sequence[Parameter], pools: dict[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """A parameter's values, turned where an earlier parameter has the same ones."""
    values = pools[parameter.name]
    before = sum(pools[p.name] == values for p in needed[:at])
    turn = before % len(values)
    return values[turn:] + values[:turn]


def _spelled(wanted: Sequence[Parameter], values: Sequence[str]) -> str:
    """Values as arguments; a keyword or an optional parameter is named."""
    pieces = []
    named = False
    for parameter, value in zip(wanted, values, strict=True):
        if parameter.star:
            pieces.append(value[1:-1] if value.startswith("[") else value)
            continue
        named = named or (parameter.keyword_only or bool(parameter.default))
        pieces.append(f"{parameter.name}={value}" if named else value)
    return ", ".join(piece for piece in pieces if piece)
