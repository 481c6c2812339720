"""Owns facts about a project's shape: import cycles, large modules, where tests stand, its map.

Does not cover the index that they are read from (`project`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.source.project import Project

LARGE = 10
"""Modules listed as the largest."""


@dataclass(frozen=True)
class Layout:
    """What can be said of a project's shape without running it."""

    cycles: tuple[tuple[str, ...], ...]
    """Dotted names of modules that import each other when they are imported, one cycle a row."""
    largest: tuple[tuple[str, int, int], ...]
    """(path, lines, definitions), largest first."""
    untested: tuple[str, ...]
    """Folders with modules of which no test imports any."""


def layout(project: Project) -> Layout:
    """The facts about a project; parses every file once."""
    sources = project.sources()
    graph = {p: project.imports(p, lazy=False) for p in sources}
    cycles = [tuple(sorted(project.module_of(p) for p in ring)) for ring in rings(graph)]
    sizes = [(p, project.text(p).count("\n"), len(project.outline(p))) for p in sources]
    sizes.sort(key=lambda row: (-row[1], row[0]))
    tested = {q for p in project.tests() for q in project.imports(p)}
    folders = {p.rpartition("/")[0] for p in sources if project.outline(p)}
    covered = {p.rpartition("/")[0] for p in tested}
    return Layout(tuple(sorted(cycles)), tuple(sizes[:LARGE]), tuple(sorted(folders - covered)))


def rings(graph: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """Groups of more than one node that reach each other (Kosaraju's two walks)."""
    order: list[str] = []
    seen: set[str] = set()
    for start in sorted(graph):
        order += _finished(start, graph, seen)
    back: dict[str, set[str]] = {node: set() for node in graph}
    for node, others in graph.items():
        for other in others & graph.keys():
            back[other].add(node)
    seen = set()
    groups = [_finished(start, back, seen) for start in reversed(order)]
    return [group for group in groups if len(group) > 1]


def _finished(start: str, graph: Mapping[str, Collection[str]], seen: set[str]) -> list[str]:
    """Nodes not seen before that are reached from one, each after all that it leads to."""
    found: list[str] = []
    waiting = [(start, False)]
    while waiting:
        node, done = waiting.pop()
        if done:
            found.append(node)
        elif node in graph and node not in seen:
            seen.add(node)
            waiting.append((node, True))
            waiting += [(other, False) for other in sorted(graph[node])]
    return found


def test_file(project: Project, path: str) -> str:
    """The existing test file of a module by name, else by import, else where a new one belongs."""
    stem = _stem(path)
    tests = project.tests()
    named = [t for t in tests if PurePosixPath(t).stem in (f"test_{stem}", f"{stem}_test")]
    if named:
        return max(named, key=lambda t: (_shared(t, path), -len(t)))
    importing = [t for t in project.importers(project.module_of(path)) if t in tests]
    close = [t for t in importing if _words(PurePosixPath(t).stem) & _words(stem)]
    few = [t for t in importing if len(project.imports(t)) <= 3]
    if close or few:
        return min(close or few, key=lambda t: (len(project.imports(t)), t))
    return _new_test_file(project, path, stem)


def _new_test_file(project: Project, path: str, stem: str) -> str:
    """Where a test file of a module would stand among those that are there."""
    folders: dict[str, int] = {}
    for test in project.tests():
        folder = test.rpartition("/")[0]
        folders[folder] = folders.get(folder, 0) + 1
    own = path.rpartition("/")[0]
    name = f"test_{stem}.py"
    if not folders:
        return f"tests/{name}"
    beside = [f for f in folders if f == own or f in (f"{own}/tests", f"{own}/test")]
    mirrored = [f for f in folders if f.endswith(f"/{PurePosixPath(own).name}") and own]
    chosen = beside or mirrored or [min(folders, key=lambda f: (-folders[f], f.count("/"), f))]
    return f"{chosen[0]}/{name}" if chosen[0] else name


def _stem(path: str) -> str:
    """What a module is called: its file's name, for a package its folder's."""
    pure = PurePosixPath(path)
    stem = pure.parent.name if pure.name == "__init__.py" else pure.stem
    return stem.lstrip("_") or "package"


def _shared(a: str, b: str) -> int:
    """Folder names that two paths have in common."""
    return len(set(a.split("/")[:-1]) & set(b.split("/")[:-1]))


def _words(name: str) -> set[str]:
    """Words of a name, without `test`."""
    return set(re.findall(r"[a-z]+", name.lower().replace("_", " "))) - {"test", "tests"}


def outline_text(project: Project, limit: int) -> str:
    """Files with their definitions; where that is too long with fewer words, then fewer files."""
    order = [*project.sources(), *(p for p in project.python_files() if project.is_test(p))]
    # Short of room by the paths alone, nothing need be parsed.
    details = (2, 1, 0) if sum(len(path) + 1 for path in order) <= limit else ()
    for detail in details:
        shown = "\n".join(_line(project, path, detail) for path in order)
        if len(shown) <= limit:
            return shown
    kept: list[str] = []
    room = limit - 40
    for path in order:
        if room < len(path) + 1:
            break
        kept.append(path)
        room -= len(path) + 1
    return "\n".join([*kept, f"… and {len(order) - len(kept)} more files"])


def _line(project: Project, path: str, detail: int) -> str:
    """One file of the map: signatures, names alone, or the path alone."""
    found = [s for s in project.outline(path) if s.kind != "assignment"]
    if not detail or not found:
        return path
    if detail == 1:
        return f"{path}: {', '.join(s.qualname for s in found if s.kind != 'method')}"
    rows = [f"  {'  ' * s.qualname.count('.')}{s.line}: {s.signature}" for s in found]
    return "\n".join([path, *rows])
