"""Tell the last run again, or the one named: what was asked, each step, how it ended.

Does not cover playing it anew (`replay`).
"""

from __future__ import annotations

import argparse

from harness.person import flags

ORDER = 35


def options(parser: argparse.ArgumentParser) -> None:
    """The run and the folder."""
    parser.usage = "py-harness last [options] [RUN]"
    parser.add_argument("run_id", nargs="?", default="", metavar="RUN", help="id of the run")
    parser.add_argument("--list", action="store_true", help="list the runs kept here, newest last")
    flags.add_project(parser)


def run(options: argparse.Namespace) -> int:
    """Print it; bad input where no run is kept."""
    from harness.person import retelling
    from harness.tree.workspace import Workspace

    workspace = Workspace(flags.folder(options.project))
    if options.list:
        for known in workspace.runs():
            print(retelling.run_line(known))
        return 0
    known = retelling.run_named(workspace, options.run_id)
    about, path = retelling.kept_of(workspace, known)
    print(retelling.run_line(known))
    for line in retelling.lines(path) if path else ():
        print(line)
    for line in retelling.ending(about):
        print(line)
    if known.has_writes:
        at = "" if options.project == "." else f" -C {options.project}"
        print(f"undo with: py-harness undo {known.run_id}{at}")
    return 0
