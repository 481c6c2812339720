"""Owns which attributes a class gives its instances, and which reads of self it does not explain.

Does not cover exchanging one for another (`spelling`) nor attributes of other objects.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from harness.source import near, syntax
from harness.source.project import Project

_WATCHED = {"dataclass", "dataclasses.dataclass", "final", "typing.final", "total_ordering"}
_HOOKS = {"__getattr__", "__getattribute__", "__slots__", "__init_subclass__", "__setattr__"}
_Method = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Misspelt:
    """An attribute that methods read from self and the class does not give."""

    owner: str
    """Name of the class."""
    name: str
    reads: tuple[ast.Attribute, ...]
    """Where it is read."""
    fits: tuple[str, ...]
    """Near attributes that the class gives, nearest first."""


def meant(text: str, name: str, line: int) -> tuple[str, ...]:
    """Attributes of the class around, as `self.x`, that an undefined name in a method is near."""
    around = _class_at(text, line)
    if around is None:
        return ()
    known = {a for a, kind in given(around).items() if kind == "value"}
    same = [name] if name in known else []
    return tuple(f"self.{n}" for n in [*same, *near.nearest(name, known)])


def _class_at(text: str, line: int) -> ast.ClassDef | None:
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


def given(node: ast.ClassDef) -> dict[str, str]:
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


def misspelt(
    path: str, text: str, project: Project, wants: Callable[[str, int], bool]
) -> Iterator[Misspelt]:
    """Attributes of self that are not given but near ones that are; `wants` names and lines.

    Only in classes that are known whole: without foreign bases, hooks, or attributes set outside.
    """
    for node in ast.walk(syntax.tree(text) or ast.Module([], [])):
        if not isinstance(node, ast.ClassDef) or not _is_whole(node, text):
            continue
        known = given(node)
        called = {id(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
        for name, reads in _reads(node, known).items():
            if not any(wants(name, read.lineno) for _, read in reads):
                continue
            fits = [n for n in near.nearest(name, known) if _fits(n, known[n], reads, called)]
            if fits and not _set_elsewhere(name, path, text, project):
                found = tuple(read for _, read in reads)
                yield Misspelt(node.name, name, found, tuple(fits))


def _is_whole(node: ast.ClassDef, text: str) -> bool:
    """Whether all attributes of a class's instances can be seen in its body."""
    if node.keywords or any(ast.unparse(b) != "object" for b in node.bases):
        return False
    if any(ast.unparse(d).split("(")[0] not in _WATCHED for d in node.decorator_list):
        return False
    said = ast.unparse(node)
    if _HOOKS & set(given(node)) or "Mixin" in node.name:
        return False
    if re.search(r"setattr\(|__dict__|vars\(|delattr\(|__class__", said):
        return False
    # A class that others inherit from may lean on what they give.
    return not re.search(rf"class\s+\w+\([^)]*\b{node.name}\b", text)


def _reads(node: ast.ClassDef, known: dict[str, str]) -> dict[str, list[tuple[str, ast.Attribute]]]:
    """Attributes of self that the class does not give, by name, each with the method around."""
    found: dict[str, list[tuple[str, ast.Attribute]]] = {}
    for method in node.body:
        if not isinstance(method, _Method) or not method.args.args:
            continue
        if method.args.args[0].arg != "self" or any(_is_inner(m) for m in ast.walk(method)):
            continue
        for inner in ast.walk(method):
            if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
                unknown = inner.attr not in known and not inner.attr.startswith("__")
                if inner.value.id == "self" and unknown and isinstance(inner.ctx, ast.Load):
                    found.setdefault(inner.attr, []).append((method.name, inner))
    return found


def _fits(
    near_by: str, kind: str, reads: list[tuple[str, ast.Attribute]], called: set[int]
) -> bool:
    """Whether a near attribute can stand at every read: a method is called, not by itself."""
    return kind == "value" or all(id(r) in called and around != near_by for around, r in reads)


def _is_inner(node: ast.AST) -> bool:
    """Whether a node is a class inside a method, whose own self would be another."""
    return isinstance(node, ast.ClassDef)


def _set_elsewhere(name: str, path: str, text: str, project: Project) -> bool:
    """Whether code of the project may set an attribute of that name, or names it in a string."""
    setting = re.compile(rf"\.{name}\s*(?:=[^=]|[-+*/|&]=)|['\"]{name}['\"]|\b{name}\s*=")
    if setting.search(text):
        return True
    others = (p for p in project.python_files() if p != path)
    return any(name in project.text(p) and setting.search(project.text(p)) for p in others)
