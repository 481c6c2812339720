"""Owns the definitions in a Python text: their outline, their source, their exchange.

Does not cover which names are visible where (`scope`) nor other files (`project`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from harness.source import syntax
from harness.source.testcalls import tests_that_call as tests_that_call  # part of this room's door
from harness.types import Fault

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_FLUSH = re.compile(r"^(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Symbol:
    """One definition of a file."""

    name: str
    qualname: str
    """`f`, `C`, `C.m`, `f.inner`."""
    kind: Literal["function", "class", "method", "assignment"]
    line: int
    """1-based, of the word `def` or `class`."""
    end_line: int
    """Last line, 1-based."""
    signature: str
    """`def f(a, b=1) -> int`, `class C(Base)`, `NAME = 3`, in one line."""
    doc: str
    """Docstring without its indentation; empty where there is none."""
    decorators: tuple[str, ...]
    """Source of each, without the @."""
    first_line: int = 0
    """Line of the first decorator, else `line`."""


@dataclass(frozen=True)
class _Place:
    """A definition with where it stands."""

    symbol: Symbol
    node: ast.stmt
    block: int
    """Identity of the list of statements that holds it."""
    depth: int
    """Functions around it."""


def parses(text: str) -> str:
    """Empty where a text parses, else the error in one line."""
    return syntax.error(text)


def outline(text: str) -> tuple[Symbol, ...]:
    """Classes, functions, methods and assignments of a module; empty where it does not parse.

    Definitions inside a function are left out; `find` knows them.
    """
    parsed = syntax.tree(text)
    if parsed is None:
        return ()
    return tuple(place.symbol for place in _places(parsed) if not place.depth)


def everything(text: str) -> tuple[Symbol, ...]:
    """Like `outline`, with the definitions inside functions."""
    parsed = syntax.tree(text)
    return tuple(place.symbol for place in _places(parsed)) if parsed else ()


def find(text: str, qualname: str) -> Symbol | None:
    """The definition of that qualified name: no overload or setter, the last one of its block."""
    place = _find(text, qualname)
    return place.symbol if place else None


def _find(text: str, qualname: str) -> _Place | None:
    """The definition with its node."""
    parsed = syntax.tree(text)
    if parsed is None or not qualname:
        return None
    wanted = qualname.replace(".<locals>", "")
    found = [place for place in _places(parsed) if place.symbol.qualname == wanted]
    real = [place for place in found if not _is_side(place.symbol)] or found
    return [place for place in real if place.block == real[0].block][-1] if real else None


def _is_side(symbol: Symbol) -> bool:
    """Whether a definition stands beside the real one of its name."""
    ends = {word.rsplit(".", 1)[-1] for word in symbol.decorators}
    return bool({"overload", "setter", "deleter"} & ends)


def _places(
    node: ast.AST, prefix: str = "", kind: str = "module", depth: int = 0
) -> Iterator[_Place]:
    """Definitions under a node in reading order, with those inside them."""
    for block in syntax.bodies(node):
        for statement in block:
            if isinstance(statement, Definition):
                symbol = _symbol(statement, prefix, kind)
                yield _Place(symbol, statement, id(block), depth)
                inner = "class" if isinstance(statement, ast.ClassDef) else "function"
                deeper = depth + (inner == "function")
                yield from _places(statement, f"{symbol.qualname}.", inner, deeper)
            elif kind != "function" and (targets := _targets(statement)):
                for name in targets:
                    yield _Place(_assignment(statement, name, prefix), statement, id(block), depth)
            else:
                yield from _places(statement, prefix, kind, depth)


def _targets(statement: ast.stmt) -> list[str]:
    """Names that an assignment statement (or a type alias) binds."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) or type(statement).__name__ == "TypeAlias":
        target = getattr(statement, "target", None) or getattr(statement, "name", None)
        targets = [target] if isinstance(target, ast.expr) else []
    flat = [n for t in targets for n in (t.elts if isinstance(t, ast.Tuple | ast.List) else [t])]
    return [n.id for n in flat if isinstance(n, ast.Name)]


def _symbol(node: Definition, prefix: str, kind: str) -> Symbol:
    """A definition as a Symbol."""
    if isinstance(node, ast.ClassDef):
        what: Literal["function", "class", "method"] = "class"
    else:
        what = "method" if kind == "class" else "function"
    return Symbol(
        name=node.name,
        qualname=prefix + node.name,
        kind=what,
        line=node.lineno,
        end_line=node.end_lineno or node.lineno,
        signature=signature_of(node),
        doc=ast.get_docstring(node) or "",
        decorators=tuple(ast.unparse(d) for d in node.decorator_list),
        first_line=min([node.lineno, *(d.lineno for d in node.decorator_list)]),
    )


def _assignment(node: ast.stmt, name: str, prefix: str) -> Symbol:
    """An assignment as a Symbol, its source cut to 120 characters."""
    end = node.end_lineno or node.lineno
    said = " ".join(ast.unparse(node).split()) if end - node.lineno < 3 else f"{name} = …"
    said = said if len(said) <= 120 else said[:119] + "…"
    return Symbol(name, prefix + name, "assignment", node.lineno, end, said, "", (), node.lineno)


def signature_of(node: Definition) -> str:
    """A definition's head in one line, without decorators and colon."""
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(b) for b in [*node.bases, *node.keywords]]
        return f"class {node.name}" + (f"({', '.join(bases)})" if bases else "")
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    gives = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{word} {node.name}({ast.unparse(node.args)}){gives}"


def parameters(text: str, qualname: str = "") -> tuple[str, ...]:
    """Parameter names of a function, the first one where none is named; empty if there is none."""
    place = _find(text, qualname) if qualname else None
    nodes: Iterator[ast.AST] = iter(
        [place.node] if place else ast.walk(syntax.tree(text) or ast.Module([], []))
    )
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return tuple(a.arg for a in arguments(node))
    return ()


def arguments(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.arg]:
    """Every parameter of a function, in order of the signature."""
    found = [*node.args.posonlyargs, *node.args.args]
    found += [node.args.vararg] if node.args.vararg else []
    found += node.args.kwonlyargs
    return found + ([node.args.kwarg] if node.args.kwarg else [])


def source(text: str, symbol: Symbol) -> str:
    """A definition's own lines as they stand, decorators included."""
    rows = syntax.lines(text)
    return "".join(rows[(symbol.first_line or symbol.line) - 1 : symbol.end_line])


def top_level(text: str) -> frozenset[str]:
    """Names that a module defines: functions, classes, assignments, also under if, try and with."""
    return frozenset(s.name for s in outline(text) if "." not in s.qualname)


def imported(text: str) -> frozenset[str]:
    """Names that a module binds by import, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(syntax.tree(text) or ast.Module([], [])):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(a.asname or a.name).split(".")[0] for a in node.names}
    return frozenset(found)


def vanished(before: str, after: str) -> tuple[str, ...]:
    """Top-level names and methods that were there and are no more, in order of the old text.

    A name that is now imported, or inherited from a class of the same file, is not lost.
    """
    if syntax.tree(after) is None:
        return ()
    defined = {s.qualname for s in outline(after)}
    known = defined | imported(after)
    if syntax.tree(before) is None:
        return tuple(name for name in dict.fromkeys(_FLUSH.findall(before)) if name not in known)
    lost: list[str] = []
    for symbol in outline(before):
        owner, _, name = symbol.qualname.rpartition(".")
        if symbol.qualname in known or name == "_" or (owner and symbol.kind == "assignment"):
            continue
        if owner and (owner not in defined or _inherits(after, owner, name)):
            continue
        lost.append(symbol.qualname)
    return tuple(dict.fromkeys(lost))


def _inherits(text: str, owner: str, name: str) -> bool:
    """Whether a class of this text, or one that it inherits from in it, defines a method."""
    waiting, seen = [owner], set[str]()
    while waiting:
        place = _find(text, waiting.pop())
        if place is None or place.symbol.qualname in seen:
            continue
        seen.add(place.symbol.qualname)
        if find(text, f"{place.symbol.qualname}.{name}"):
            return True
        waiting += [ast.unparse(b) for b in getattr(place.node, "bases", [])]
    return False


def calls(text: str) -> frozenset[str]:
    """Names called anywhere in a text: `f` for f(), `m` and `obj.m` for obj.m()."""
    found: set[str] = set()
    for node in ast.walk(syntax.tree(text) or ast.Module([], [])):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                found.add(node.func.id)
            elif isinstance(node.func, ast.Attribute):
                found |= {node.func.attr, ast.unparse(node.func)}
    return frozenset(found)


def replace(text: str, qualname: str, new_source: str) -> str | Fault:
    """The text with one definition exchanged, decorators included; every other byte is kept.

    The new source may be a whole file or several definitions: the wanted one is taken. A method
    is indented as its class needs it. Comments right above the old definition stay, and so do its
    decorators where the new source has none.
    """
    old = find(text, qualname)
    if old is None:
        return _missing(text, qualname)
    taken = definition_in(new_source, qualname)
    if isinstance(taken, Fault):
        return taken
    rows = syntax.lines(text)
    # A reply that leaves the decorators out has seldom meant to take them off.
    start = old.first_line if taken.lstrip().startswith("@") else old.line
    new = syntax.shifted(taken, syntax.indent_of(rows[old.line - 1])).rstrip() + "\n"
    if not rows[old.end_line - 1].endswith("\n"):
        new = new.rstrip("\n")
    result = "".join([*rows[: start - 1], new, *rows[old.end_line :]])
    if wrong := syntax.error(result):
        return Fault(
            f"with it the file does not parse: {wrong}", "write the definition again, whole"
        )
    return result


def _missing(text: str, qualname: str) -> Fault:
    """Why there is nothing to replace."""
    if wrong := syntax.error(text):
        return Fault(f"the file does not parse: {wrong}", "write the whole file")
    near = [s.qualname for s in outline(text) if s.kind != "assignment"][:12]
    return Fault(f"there is no {qualname} in the file", f"name one of: {', '.join(near) or 'none'}")


def definition_in(new_source: str, qualname: str) -> str | Fault:
    """The lines of the wanted definition in a reply's code, flush left; a Fault without it."""
    text = _loosened(new_source)
    if wrong := syntax.error(text):
        return Fault(f"it does not parse: {wrong}", "write the definition again, whole")
    name = qualname.rsplit(".", 1)[-1]
    same = [s for s in everything(text) if s.name == name and s.kind != "assignment"]
    exact = find(text, qualname) if "." in qualname else find(text, name)
    symbol = exact if exact in same else same[0] if len({s.qualname for s in same}) == 1 else None
    if symbol is None:
        defined = [s.qualname for s in outline(text) if s.kind != "assignment"]
        said = f"it defines {', '.join(defined[:5])}" if defined else "it defines nothing"
        return Fault(f"{said}, not {qualname}", f"write the whole of {qualname}")
    return syntax.shifted(source(text, symbol), "")


def _loosened(new_source: str) -> str:
    """A reply's code flush left, where it is indented as a whole and only then parses."""
    text = new_source.strip("\n")
    text = text if text.endswith("\n") else text + "\n"
    return text if syntax.tree(text) is not None else syntax.shifted(text, "")


def insert(text: str, new_source: str, after: str = "") -> str:
    """The text with something new at its place: below `after`, else before the main guard.

    Constants without a definition go below the imports. With `after` a class and a new function
    whose first parameter is self or cls, it becomes a method at the class's end.
    """
    new = _loosened(new_source)
    rows = syntax.lines(text)
    if rows and not rows[-1].endswith(("\n", "\r")):
        rows[-1] += "\n"
    parsed = syntax.tree(text)
    place = _find(text, after)
    if parsed is None or not rows:
        return "".join(rows) + ("\n\n" if rows else "") + new
    if place is not None:
        indent, gap = _below(place, new, rows)
        return _joined(rows, place.symbol.end_line, syntax.shifted(new, indent), gap)
    if any(isinstance(n, Definition) for n in getattr(syntax.tree(new), "body", [])):
        return _joined(rows, _before_guard(parsed, rows), new, 2)
    return _joined(rows, after_imports(parsed), new, 1)


def _below(place: _Place, new: str, rows: list[str]) -> tuple[str, int]:
    """Indentation and blank lines of something put right below a definition."""
    first = parameters(new)[:1]
    own = syntax.indent_of(rows[place.symbol.first_line - 1])
    if isinstance(place.node, ast.ClassDef) and first and first[0] in ("self", "cls"):
        return syntax.indent_of(rows[place.node.body[-1].lineno - 1]) or own + "    ", 1
    return own, 2 if not own else 1


def _before_guard(parsed: ast.Module, rows: list[str]) -> int:
    """Lines before the main guard and the comments right above it; all of them without one."""
    for node in parsed.body:
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            at = node.lineno - 1
            while at and rows[at - 1].startswith("#"):
                at -= 1
            return at
    return len(rows)


def after_imports(parsed: ast.Module) -> int:
    """Lines up to the end of the leading docstring and imports; 0 where there are none."""
    end = 0
    for number, node in enumerate(parsed.body):
        doc = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not doc and not isinstance(node, ast.Import | ast.ImportFrom):
            break
        end = node.end_lineno or end
    return end


def _joined(rows: list[str], at: int, new: str, gap: int) -> str:
    """Lines with a block put in after line `at`, with `gap` blank lines around it."""
    head, tail = rows[:at], rows[at:]
    blanks = next((i for i, row in enumerate(reversed(head)) if row.strip()), len(head))
    above = max(0, gap - blanks) if len(head) > blanks else 0
    below_blanks = next((i for i, row in enumerate(tail) if row.strip()), len(tail))
    below = max(0, gap - below_blanks) if len(tail) > below_blanks else 0
    block = new.strip("\n") + "\n"
    return "".join([*head, "\n" * above, block, "\n" * below, *tail])
