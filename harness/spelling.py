"""Owns the exchange of a misspelt name, or attribute of self, for the one near name that fits.

Does not cover names that an import would define (`importable`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness import near, scope, symbols, syntax
from harness.fix import Carried, Mend, Question
from harness.project import Project
from harness.scope import UndefinedName

ROUNDS = 4
_WATCHED = {"dataclass", "dataclasses.dataclass", "final", "typing.final", "total_ordering"}
_HOOKS = {"__getattr__", "__getattribute__", "__slots__", "__init_subclass__", "__setattr__"}


@dataclass(frozen=True)
class Place:
    """A token to exchange."""

    line: int
    column: int
    """0-based, characters."""
    old: str
    new: str


def exchanged(text: str, places: Iterable[Place]) -> str:
    """The text with tokens exchanged; a place where the old token does not stand is left."""
    rows = syntax.lines(text)
    for place in sorted(set(places), key=lambda p: (-p.line, -p.column)):
        row = rows[place.line - 1]
        end = place.column + len(place.old)
        if row[place.column : end] == place.old:
            rows[place.line - 1] = row[: place.column] + place.new + row[end:]
    return "".join(rows)


def undefined_in(text: str) -> frozenset[str]:
    """Undefined names of a text, without their places."""
    return frozenset(one.name for one in scope.undefined(text))


def unknown(text: str, old: str = "", only: str = "") -> tuple[UndefinedName, ...]:
    """Undefined names of a text that were not undefined in its older text; `only` one of them."""
    before = undefined_in(old) if old else frozenset()
    return tuple(u for u in scope.undefined(text) if u.name not in before and only in ("", u.name))


def _grouped(text: str, found: Iterable[UndefinedName]) -> list[list[UndefinedName]]:
    """Undefined names by name and function around, in reading order."""
    groups: dict[tuple[str, str], list[UndefinedName]] = {}
    for one in found:
        groups.setdefault((one.name, _function_at(text, one.line)), []).append(one)
    return list(groups.values())


def _function_at(text: str, line: int) -> str:
    """Qualified name of the innermost function at a line; empty outside one."""
    around = [
        s
        for s in symbols.everything(text)
        if s.kind in ("function", "method") and s.first_line <= line <= s.end_line
    ]
    return min(around, key=lambda s: s.end_line - s.first_line).qualname if around else ""


def respelt(path: str, text: str, old: str = "", only: str = "") -> Mend:
    """The text with each undefined name exchanged that has exactly one near name where it stands.

    A name is exchanged at all its places in a function or at none. Names that were undefined in
    the older text already are left; `only` limits it to one name.
    """
    notes: list[str] = []
    first = {u.name for u in unknown(text, old, only)}
    others = {u.name for u in scope.undefined(text)} - first
    for _ in range(ROUNDS if first else 0):
        places: list[Place] = []
        said: list[str] = []
        # `totl += 1` hides a later `totl` until it is put right, so new names count too.
        now = [u for u in scope.undefined(text) if u.name not in others]
        for uses in _grouped(text, now):
            if all(len(u.in_scope) == 1 for u in uses):
                places += [Place(u.line, u.column, u.name, u.in_scope[0]) for u in uses]
                said.append(_said(path, uses))
        changed = exchanged(text, places)
        if changed == text or symbols.parses(changed):
            break
        text, notes = changed, [*notes, *said]
    left = [u for u in scope.undefined(text) if first and u.name not in others]
    asked = (_which(path, text, uses) for uses in _grouped(text, left))
    return Mend(text, tuple(notes), next((q for q in asked if q is not None), None))


def _said(path: str, uses: list[UndefinedName]) -> str:
    """What was exchanged, in one line."""
    right = ", ".join(dict.fromkeys(u.in_scope[0] for u in uses))
    lines = ", ".join(str(line) for line in dict.fromkeys(u.line for u in uses))
    return f"{path} line {lines}: {uses[0].name} -> {right}"


def _which(path: str, text: str, uses: list[UndefinedName]) -> Question | None:
    """What to ask where several near names fit, or only names that do not fit are near."""
    one = max(uses, key=lambda u: len(u.in_scope))
    where = f"{path}, line {one.line}: {one.name} is not defined"
    own = own_attributes(text, one)
    options = (*one.in_scope, *own)
    if len(one.in_scope) > 1:
        return Question(f"{where}. Which name is meant?", options)
    if not one.elsewhere and not own:
        return None
    near_by = ", ".join(one.elsewhere)
    known = f"; {near_by} is near but not usable there" if near_by else ""
    return Question(f"{where}{known}. What shall stand there?", options)


def answered(path: str, text: str, uses: Sequence[UndefinedName], answer: str) -> Carried | None:
    """The text with an answer in the place of an undefined name; None where it does not do.

    It does if it is a literal or a name (or an attribute of one) that is defined at every place.
    """
    name = uses[0].name
    if not _is_value(answer) or answer == name:
        return None
    own = _function_at(text, uses[0].line).rpartition(".")[2]
    if answer == own and any(u.use != "call" for u in uses):
        return None
    changed = exchanged(text, [Place(u.line, u.column, name, answer) for u in uses])
    if changed == text or symbols.parses(changed):
        return None
    before = {u.name for u in scope.undefined(text)}
    head = answer.partition(".")[0]
    after = {(u.name, u.line) for u in scope.undefined(changed)}
    lines = {u.line for u in uses}
    if any(n not in before or (n == head and line in lines) for n, line in after):
        return None
    lines_said = ", ".join(str(line) for line in sorted(lines))
    return Carried({path: changed}, (f"{path}:{lines_said}: {answer} for {name}, as answered",))


def _is_value(answer: str) -> bool:
    """Whether an answer is a literal, a name, or a dotted name."""
    if re.fullmatch(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*", answer):
        return not symbols.parses(answer)
    try:
        ast.literal_eval(answer)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return "\n" not in answer and bool(answer)


def own_attributes(text: str, one: UndefinedName) -> tuple[str, ...]:
    """Attributes of the class around, as `self.x`, that an undefined name in a method is near."""
    around = class_at(text, one.line)
    if around is None:
        return ()
    known = {a for a, kind in attributes(around).items() if kind == "value"}
    same = [one.name] if one.name in known else []
    return tuple(f"self.{name}" for name in [*same, *near.nearest(one.name, known)])


def class_at(text: str, line: int) -> ast.ClassDef | None:
    """The innermost class whose method stands at a line; None outside one."""
    parsed = syntax.tree(text)
    found = [
        node
        for node in ast.walk(parsed or ast.Module([], []))
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef)
        and method.lineno <= line <= (method.end_lineno or 0)
    ]
    return found[-1] if found else None


def attributes(node: ast.ClassDef) -> dict[str, str]:
    """Attributes that a class gives its instances, with `method` or `value`."""
    found: dict[str, str] = {}
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Attribute) or not isinstance(inner.ctx, ast.Store):
            continue
        if isinstance(inner.value, ast.Name) and inner.value.id in ("self", "cls"):
            found.setdefault(inner.attr, "value")
    for statement in _flat(node):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            wrapped = {ast.unparse(d).rsplit(".", 1)[-1] for d in statement.decorator_list}
            is_value = bool(wrapped & {"property", "cached_property"})
            found[statement.name] = "value" if is_value else "method"
        elif isinstance(statement, ast.ClassDef):
            found[statement.name] = "method"
        else:
            for part in ast.walk(statement):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    found.setdefault(part.id, "value")
    return found


def _flat(node: ast.AST) -> Iterable[ast.stmt]:
    """Statements of a class body, those under if and try too."""
    for block in syntax.bodies(node):
        for statement in block:
            yield statement
            if isinstance(statement, ast.If | ast.Try | ast.With):
                yield from _flat(statement)


def respelt_attributes(
    path: str, text: str, project: Project, old: str = "", only: str = ""
) -> Mend:
    """The text with `self.x` exchanged where the class gives exactly one near attribute.

    Only in classes that are known whole: without foreign bases, hooks, or attributes set outside.
    """
    parsed = syntax.tree(text)
    places: list[Place] = []
    notes: list[str] = []
    question: Question | None = None
    for node in ast.walk(parsed or ast.Module([], [])):
        if not isinstance(node, ast.ClassDef) or not _is_whole(node, text):
            continue
        known = attributes(node)
        for name, reads in _reads(node, known).items():
            if (
                only not in ("", name)
                or f".{name}" in old
                or _set_elsewhere(name, path, text, project)
            ):
                continue
            fits = [n for n in near.nearest(name, known) if _fits(known[n], reads, node)]
            if len(fits) == 1:
                places += [_attribute_place(r, fits[0], text) for r in reads]
                notes.append(f"{path}:{reads[0].lineno}: self.{name} is spelt self.{fits[0]}")
            elif fits and question is None:
                said = f"{path}, line {reads[0].lineno}: {node.name} has no {name}. Which is meant?"
                question = Question(said, tuple(f"self.{n}" for n in fits))
    return Mend(exchanged(text, places), tuple(notes), question)


def _is_whole(node: ast.ClassDef, text: str) -> bool:
    """Whether all attributes of a class's instances can be seen in its body."""
    if node.keywords or any(ast.unparse(b) != "object" for b in node.bases):
        return False
    if any(ast.unparse(d).split("(")[0] not in _WATCHED for d in node.decorator_list):
        return False
    said = ast.unparse(node)
    if _HOOKS & set(attributes(node)) or "Mixin" in node.name:
        return False
    if re.search(r"setattr\(|__dict__|vars\(|delattr\(|__class__", said):
        return False
    # A class that others inherit from may lean on what they give.
    return not re.search(rf"class\s+\w+\([^)]*\b{node.name}\b", text)


def _reads(node: ast.ClassDef, known: dict[str, str]) -> dict[str, list[ast.Attribute]]:
    """Attributes of self that methods read and the class does not give, by name."""
    found: dict[str, list[ast.Attribute]] = {}
    for method in node.body:
        if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) or not method.args.args:
            continue
        if method.args.args[0].arg != "self" or any(_is_inner(m) for m in ast.walk(method)):
            continue
        for inner in ast.walk(method):
            if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
                unknown_name = inner.attr not in known and not inner.attr.startswith("__")
                if inner.value.id == "self" and unknown_name and isinstance(inner.ctx, ast.Load):
                    found.setdefault(inner.attr, []).append(inner)
    return found


def _is_inner(node: ast.AST) -> bool:
    """Whether a node is a class inside a method, whose own self would be another."""
    return isinstance(node, ast.ClassDef)


def _fits(kind: str, reads: list[ast.Attribute], node: ast.ClassDef) -> bool:
    """Whether an attribute of that kind can stand where these are read; a method wants a call."""
    called = {id(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
    return kind == "value" or all(id(read) in called for read in reads)


def _set_elsewhere(name: str, path: str, text: str, project: Project) -> bool:
    """Whether code of the project may set an attribute of that name, or names it in a string."""
    setting = re.compile(rf"\.{name}\s*(?:=[^=]|[-+*/|&]=)|['\"]{name}['\"]|\b{name}\s*=")
    if setting.search(text):
        return True
    others = (p for p in project.python_files() if p != path)
    return any(name in project.text(p) and setting.search(project.text(p)) for p in others)


def _attribute_place(read: ast.Attribute, new: str, text: str) -> Place:
    """The token of an attribute's name."""
    line = read.end_lineno or read.lineno
    row = syntax.lines(text)[line - 1]
    column = syntax.column(row, read.end_col_offset or 0) - len(read.attr)
    return Place(line, column, read.attr, new)
