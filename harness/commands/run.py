"""Fix a bug, write a test or add a function: checks the change, shows it, asks, writes.

Does not cover how a job is done (`session`).
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from harness.person import flags, person

if TYPE_CHECKING:
    from harness.session import Session
    from harness.types import RunResult

ORDER = 20


def options(parser: argparse.ArgumentParser) -> None:
    """The task, the folder, every knob."""
    person.add_words(parser, "task", "run")
    parser.add_argument(
        "--continue",
        dest="follow",
        action="store_true",
        help="go on from the last run: its subject and files, unless this task names its own",
    )
    flags.add_json(parser, "print the run's events as JSON, one a line, and ask nothing")
    flags.add_knobs(parser)


def run(options: argparse.Namespace) -> int:
    """Do the job; the exit code of the outcome."""

    def call(session: Session, wanted: flags.Wanted, piped: str) -> RunResult:
        job = session.follow if options.follow else session.run
        return job(wanted.task, wanted.files, piped)

    return person.carry_out(options, "task", call)
