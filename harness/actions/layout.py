"""Reports how the project is built: import cycles, overgrown files, missing tests; one next move."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from harness.desk import Desk
from harness.normal import bounded
from harness.project import Project
from harness.types import Action, Observation
from harness.verbs import ActionSpec, Alias

SPEC = ActionSpec(
    "layout",
    (),
    (Alias("review", "layout"), Alias("architecture", "layout"), Alias("design", "layout")),
)
WRITES = False
EXAMPLES = ("Action: layout",)
LONG = 400
"""Lines from which a file counts as overgrown."""
CROWDED = 20
"""Modules from which one folder counts as flat."""


def act(action: Action, desk: Desk) -> Observation:
    """Findings, worst first, and the one move that pays most."""
    found = list(findings(desk.project))
    if not found:
        return Observation("No import cycle, no overgrown file, no crowded folder; tests are there.")
    lines = [f"- {what}" for what, _ in found]
    return Observation(bounded("\n".join(lines)) + f"\nNext move: {found[0][1]}")


def findings(project: Project) -> Iterator[tuple[str, str]]:
    """What stands out as (finding, move), worst first."""
    sources = [p for p in project.python_files() if not project.is_test(p)]
    if cycle := import_cycle(project, sources):
        chain = " -> ".join(cycle)
        yield f"import cycle: {chain}", f"move what {cycle[0]} and {cycle[1]} share into a third"
    if sources and not project.tests():
        yield "there are no tests", f"write a test for {_largest(project, sources)}"
    for path in sources:
        if (size := project.text(path).count("\n")) > LONG:
            yield f"{path} has {size} lines", f"split {path} by what its functions are about"
    folders = Counter(p.rpartition("/")[0] or "." for p in sources if not p.endswith("__init__.py"))
    for folder, number in folders.most_common():
        if number > CROWDED:
            yield f"{folder} holds {number} modules", f"group the modules of {folder} in packages"


def _largest(project: Project, sources: list[str]) -> str:
    """The longest source file."""
    return max(sources, key=lambda path: len(project.text(path)))


def import_cycle(project: Project, sources: list[str]) -> list[str]:
    """Paths of one cycle of imports that run when a module loads; empty where there is none."""
    modules = project.modules()
    kept = set(sources)
    graph = {
        path: {modules[m] for m in _imports(project.text(path), path, modules)} & kept - {path}
        for path in sources
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as cycle:
        return [str(path) for path in reversed(cycle.args[1])]
    return []


def _imports(text: str, path: str, modules: dict[str, str]) -> Iterator[str]:
    """Modules of the project that a file imports at its top level."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return
    here = next((m for m, p in modules.items() if p == path), "")
    package = here if path.endswith("__init__.py") else here.rpartition(".")[0]
    for node in body:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            up = package.split(".")[: len(package.split(".")) - node.level + 1]
            root = ".".join([*up, node.module or ""]).strip(".") if node.level else node.module or ""
            # `from package import module` needs the module; else the package's own file.
            inner = [f"{root}.{alias.name}" for alias in node.names]
            names = [m if m in modules else root for m in inner]
        yield from (name for name in names if name in modules)
