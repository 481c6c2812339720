"""Say how the project is built: import cycles, large files, what has no test; one next move.

Does not cover making the move (`run`), nor how it is found (the action of the same name).
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from harness import flags
from harness.terminal import one_line

if TYPE_CHECKING:
    from harness.project import Project

ORDER = 50


def options(parser: argparse.ArgumentParser) -> None:
    """The folder and its scope."""
    flags.add_project(parser)
    flags.add_json(parser)
    flags.add_knobs(parser, ("scope",))


def run(options: argparse.Namespace) -> int:
    """One finding a line, worst first, then the move."""
    from harness.actions.layout import findings

    project = flags.project(options)
    found = list(findings(project))
    if untested := _untested(project):
        more = f" and {len(untested) - 5} more" if len(untested) > 5 else ""
        what = f"no test imports {', '.join(untested[:5])}{more}"
        found.append(
            (what, f"write a test for {max(untested, key=lambda path: len(project.text(path)))}")
        )
    if options.json:
        print(json.dumps([{"finding": what, "move": move} for what, move in found]))
        return 0
    for what, _ in found:
        print(f"- {one_line(what, 400)}")
    print(f"Next move: {one_line(found[0][1])}" if found else "Nothing stands out.")
    return 0


def _untested(project: Project) -> list[str]:
    """Source files with a function or class that no test file imports."""
    modules = {path: dotted for dotted, path in project.modules().items()}
    return [
        path
        for path, dotted in sorted(modules.items())
        if not project.is_test(path)
        and any(symbol.kind in ("function", "class") for symbol in project.outline(path))
        and not any(project.is_test(importer) for importer in project.importers(dotted))
    ]
