"""Take back what a run wrote, byte for byte; the last one if none is named.

Does not cover the journal that makes it possible (`journal`).
"""

from __future__ import annotations

import argparse

from harness.person import flags

ORDER = 30


def options(parser: argparse.ArgumentParser) -> None:
    """The run and the folder."""
    parser.usage = "py-harness undo [options] [RUN]"
    parser.add_argument("run_id", nargs="?", default="", metavar="RUN", help="id of the run")
    flags.add_project(parser)


def run(options: argparse.Namespace) -> int:
    """Say what was put back; 1 where a file was left because it was changed since."""
    from harness.tree.workspace import Workspace

    report = Workspace(flags.folder(options.project)).undo(options.run_id)
    for path in report.restored:
        print(f"put back: {path}")
    for path, why in report.left:
        print(f"left as it is: {path}: {why}")
    print(f"run {report.run_id} is undone" + (", but for what was left" if report.left else ""))
    return 1 if report.left else 0
