"""Owns which classes of a project belong together by their bases, and what bases lie outside it.

Does not cover the order in which Python looks a method up.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from harness.source import imports, syntax
from harness.source.project import Project

# Importing these does something that a person would notice.
_NOISY = {"antigravity", "this", "idlelib", "turtledemo", "__main__", "test", "lib2to3"}


@dataclass(frozen=True)
class Class:
    """One class statement of a project."""

    path: str
    name: str
    node: ast.ClassDef
    bases: tuple[str, ...]
    """As written, `a.b.C`; subscripts left out."""

    def has(self, name: str) -> bool:
        """Whether the class defines an attribute, or one of its methods sets it through self."""
        return name in _defined(self.node) or any(_sets(n, name) for n in ast.walk(self.node))


def _defined(node: ast.stmt) -> set[str]:
    """Names that the statements of a class body bind, under if and try too."""
    found: set[str] = set()
    for block in syntax.bodies(node):
        for statement in block:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(statement.name)
            else:
                found |= {n.id for n in ast.walk(statement)
                          if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip
                found |= _defined(statement)
    return found


def _sets(node: ast.AST, name: str) -> bool:
    """Whether a node is `self.name` as the target of an assignment."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
        return False
    me = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
    return me and node.attr == name


def classes(project: Project) -> tuple[Class, ...]:
    """Every class of a project, nested ones too."""
    found = []
    for path in project.python_files():
        text = project.text(path)
        parsed = syntax.tree(text) if "class" in text else None
        for node in ast.walk(parsed) if parsed else ():
            if isinstance(node, ast.ClassDef):
                found.append(Class(path, node.name, node, tuple(_bases(node))))
    return tuple(found)


def _bases(node: ast.ClassDef) -> Iterator[str]:
    """Bases of a class as written."""
    for base in node.bases:
        inner = base.value if isinstance(base, ast.Subscript) else base
        yield ast.unparse(inner)


def family(of: Class, among: tuple[Class, ...]) -> tuple[Class, ...]:
    """A class with all that it inherits from or that inherit from it, told by the bases' names."""
    kin = [of]
    while True:
        names = {one.name for one in kin}
        wanted = {base.rpartition(".")[2] for one in kin for base in one.bases}
        more = [
            one
            for one in among
            if one not in kin
            and (one.name in wanted or names & {b.rpartition(".")[2] for b in one.bases})
        ]
        if not more:
            return tuple(kin)
        kin += more


def outside(kin: tuple[Class, ...], project: Project) -> Iterator[tuple[str, type | None]]:
    """Bases that no class of the family is, as (dotted name, the class if it can be loaded)."""
    names = {one.name for one in kin}
    for one in kin:
        for base in one.bases:
            if base.rpartition(".")[2] not in names and base != "object":
                dotted = _resolved(base, one.path, project)
                yield dotted, _loaded(dotted)


def _resolved(base: str, path: str, project: Project) -> str:
    """A base's whole dotted name, by the imports of its file."""
    head, _, rest = base.partition(".")
    for one in imports.of(project.text(path)):
        if one.alias == head:
            plain = not one.name and one.alias == one.module.split(".")[0]
            start = head if plain else f"{one.module}.{one.name}".strip(".")
            return f"{start}.{rest}" if rest else start
    return base


def _loaded(dotted: str) -> type | None:
    """A class of the standard library; None for any other."""
    module, _, name = dotted.rpartition(".")
    if not module:
        found = getattr(builtins, dotted, None)
        return found if isinstance(found, type) else None
    found = getattr(loaded(module), name, None)
    return found if isinstance(found, type) else None


def loaded(module: str) -> ModuleType | None:
    """A module of the standard library; None for any other, and for one that is better left."""
    top = module.split(".")[0]
    if top not in sys.stdlib_module_names or top in _NOISY:
        return None
    try:
        return importlib.import_module(module)
    except ImportError:
        return None
