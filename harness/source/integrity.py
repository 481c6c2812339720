"""Owns the check that a change leaves a project whole: it parses, and every import finds its like.

Does not cover whether one text still means the same under another name (`meaning`).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from harness.source import imports, scope, shape, symbols, syntax
from harness.source.project import Project

Texts = Mapping[str, str | None]


@dataclass(frozen=True)
class Change:
    """A project before and after, with the files that moved."""

    before: Project
    after: Project
    files: Texts
    """New text by path; None for a file that is gone."""
    moved: Mapping[str, str]
    """New path by old path."""

    def was(self, path: str) -> str:
        """A file's path before the change."""
        return {new: old for old, new in self.moved.items()}.get(path, path)

    def now(self, path: str) -> str:
        """A file's path after the change."""
        return self.moved.get(path, path)


def change(project: Project, files: Texts, moved: Mapping[str, str]) -> Change:
    """The project with new texts laid over it, not written anywhere."""
    kept = [p for p in project.files if files.get(p, "") is not None]
    paths = sorted({*kept, *(p for p, text in files.items() if text is not None)})

    def read(path: str) -> str | None:
        return files[path] if path in files else project.text(path)

    return Change(project, Project(project.root, paths, read), files, moved)


def broken(made: Change, word: str) -> str:
    """Why a change does not leave the project whole, one line; empty where it does.

    Files that do not mention `word` are taken to be untouched by it.
    """
    return _texts(made) or _imports(made, word) or _cycles(made)


def _texts(made: Change) -> str:
    """The first changed file that no longer parses or reads a name that nothing defines."""
    for path, text in made.files.items():
        if text is None or not path.endswith(".py"):
            continue
        before = made.before.text(made.was(path))
        if (wrong := symbols.parses(text)) and not symbols.parses(before):
            return f"{path} would not parse any more: {wrong}"
        known = {u.name for u in scope.undefined(before)}
        if lost := {u.name for u in scope.undefined(text)} - known:
            return f"{path} would use undefined {', '.join(sorted(lost))}"
    return ""


def _imports(made: Change, word: str) -> str:
    """The first file that would import another file than before, or a name that is not there."""
    known = frozenset(made.after.files)
    touched = {*made.files, *made.moved.values()}
    touched |= {init for path in made.files for init in _packages(known, path)}
    for path in made.after.python_files():
        was = made.was(path)
        near = word in made.before.text(was) and made.before.imports(was) & touched
        if path not in made.files and not near:
            continue
        meant = {made.now(p) for p in made.before.imports(was)}
        if lost := meant - made.after.imports(path):
            return f"{path} would no longer import {', '.join(sorted(lost))}"
        missing = _missing(made.after, path)
        if left := missing - _missing(made.before, was):
            return f"{path} would still use {', '.join(sorted(left))}"
    return ""


def _missing(project: Project, path: str) -> set[str]:
    """Names that a file takes from modules of the project that do not have them."""
    package = project.package_of(path)
    modules: dict[str, str] = {}
    found = set()
    for one in imports.of(project.text(path)):
        source = imports.absolute(one, package)
        if not one.name:
            modules[one.alias] = one.module if one.alias != one.module.split(".")[0] else one.alias
            continue
        inner = f"{source}.{one.name}".strip(".")
        if project.path_of(inner):
            modules[one.alias] = inner
        elif one.name != "*" and not _has(project, source, one.name):
            found.add(inner)
    for node in ast.walk(syntax.tree(project.text(path)) or ast.Module([], [])):
        if isinstance(node, ast.Attribute) and (dotted := _module(node.value, modules)):
            inner = f"{dotted}.{node.attr}"
            if not project.path_of(inner) and not _has(project, dotted, node.attr):
                found.add(inner)
    return found


def _module(node: ast.expr, modules: Mapping[str, str]) -> str:
    """Dotted name of the module that an expression names, by what the imports bind."""
    rest = ""
    while isinstance(node, ast.Attribute):
        rest = f".{node.attr}{rest}"
        node = node.value
    return modules[node.id] + rest if isinstance(node, ast.Name) and node.id in modules else ""


def _has(project: Project, dotted: str, name: str) -> bool:
    """Whether a module may have a name; true for one that is not ours or makes its own names."""
    path = project.path_of(dotted)
    if not path or (name.startswith("__") and name.endswith("__")):
        return True
    return bool({name, "__getattr__", "*"} & _bound(project.text(path)))


@lru_cache(maxsize=1024)
def _bound(text: str) -> frozenset[str]:
    """Names that a module binds; with `*` where it may bind any."""
    found = symbols.top_level(text) | symbols.imported(text)
    return found | {"*"} if symbols.parses(text) or "globals()" in text else found


def _cycles(made: Change) -> str:
    """An import cycle that was not there before, through a file that moved."""
    known = made.after.files
    starts = {p for new in made.moved.values() for p in (new, *_packages(known, new))}
    after = _graph(made.after, starts)
    old = {made.was(p) for p in after} | set(made.moved)
    before = [set(ring) for ring in shape.rings(_graph(made.before, old))]
    for ring in shape.rings(after):
        back = {made.was(p) for p in ring}
        if not any(back <= one for one in before):
            return f"{' and '.join(sorted(ring)[:3])} would import each other"
    return ""


def _graph(project: Project, starts: Iterable[str]) -> dict[str, frozenset[str]]:
    """What files run when they are imported, from some on, packages on the way included."""
    graph: dict[str, frozenset[str]] = {}
    known = frozenset(project.python_files())
    waiting = list(starts)
    while waiting:
        path = waiting.pop()
        if path in graph or path not in known:
            continue
        own = {path, *_packages(known, path)}
        direct = project.imports(path, lazy=False)
        around = {p for other in direct for p in _packages(known, other)}
        graph[path] = direct | frozenset(around - own)
        waiting += graph[path]
    return graph


def _packages(known: Collection[str], path: str) -> tuple[str, ...]:
    """The `__init__.py` files that are run before a file is imported."""
    folders = path.split("/")[:-1]
    inits = ["/".join([*folders[: n + 1], "__init__.py"]) for n in range(len(folders))]
    return tuple(p for p in inits if p in known and p != path)
