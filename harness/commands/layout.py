"""Say how the project is built (cycles, large files, no tests) and name one next move.

Does not cover how it is found (`project`) nor making the move (`run`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from harness.person import flags
from harness.person.terminal import one_line

if TYPE_CHECKING:
    from harness.source.project import Project

ORDER = 50

LONG = 400
"""Lines from which a file is large."""
NAMED = 5
"""Files that a line names."""


def options(parser: argparse.ArgumentParser) -> None:
    """The folder and its scope."""
    flags.add_project(parser)
    flags.add_json(parser)
    flags.add_knobs(parser, ("scope",))


def run(options: argparse.Namespace) -> int:
    """One finding a line, worst first, then the move."""
    project = flags.project(options)
    found = list(_findings(project))
    if options.json:
        print(json.dumps([{"finding": what, "move": move} for what, move in found]))
        return 0
    path, size, _ = (*project.layout().largest, ("", 0, 0))[0]
    print(f"{len(project.sources())} files of source, the largest {path or 'none'} ({size} lines)")
    for what, _ in found:
        print(f"- {one_line(what, 400)}")
    print(f"Next move: {one_line(found[0][1])}" if found else "Nothing stands out.")
    return 0


def _findings(project: Project) -> Iterator[tuple[str, str]]:
    """What stands out as (finding, move), worst first."""
    layout = project.layout()
    for ring in layout.cycles:
        move = f"move what {ring[0]} and {ring[1]} share into a module that both import"
        yield f"import cycle: {', '.join(ring)}", move
    untested = _untested(project)
    size = {path: len(project.text(path)) for path in untested}
    if untested and not project.tests():
        yield "there are no tests", f"write a test for {max(untested, key=size.__getitem__)}"
    for path, lines, definitions in layout.largest:
        if lines > LONG:
            what = f"{path} has {lines} lines and {definitions} definitions"
            yield what, f"split {path} by what its functions are about"
    if untested and project.tests():
        more = f" and {len(untested) - NAMED} more" if len(untested) > NAMED else ""
        what = f"no test imports {', '.join(untested[:NAMED])}{more}"
        yield what, f"write a test for {max(untested, key=size.__getitem__)}"


def _untested(project: Project) -> list[str]:
    """Source files with a function or class that no test file imports itself."""
    imported = {path for test in project.tests() for path in project.imports(test)}
    kinds = ("function", "class")
    return [
        path
        for path in project.sources()
        if path not in imported and any(s.kind in kinds for s in project.outline(path))
    ]
