"""Reports import cycles, overgrown files and missing tests, and names one next move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from harness.normal import bounded
from harness.reading.verbs import ActionSpec, Alias
from harness.road.desk import Desk
from harness.source.project import Project
from harness.types import Action, Observation

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
        return Observation(
            "No import cycle, no overgrown file, no crowded folder; tests are there."
        )
    lines = [f"- {what}" for what, _ in found]
    return Observation(bounded("\n".join(lines)) + f"\nNext move: {found[0][1]}")


def findings(project: Project) -> Iterator[tuple[str, str]]:
    """What stands out as (finding, move), worst first."""
    facts = project.layout()
    for ring in facts.cycles:
        chain = ", ".join(ring)
        yield f"these import each other: {chain}", f"move what {ring[0]} and {ring[1]} share apart"
    if facts.largest and not project.tests():
        yield "there are no tests", f"write a test for {facts.largest[0][0]}"
    for path, lines, names in facts.largest:
        if lines > LONG:
            yield f"{path} has {lines} lines, {names} names", f"split {path} by what it is about"
    for folder in facts.untested if project.tests() else ():
        yield f"no test imports from {folder or 'the top folder'}", f"test {folder or 'a module'}"
    folders = Counter(p.rpartition("/")[0] for p in project.sources())
    for folder, number in folders.most_common():
        if number > CROWDED:
            place = folder or "the top folder"
            yield f"{place} holds {number} modules", f"group the modules of {place} in packages"
