"""Answer a question about the project; writes nothing.

Does not cover how an answer is found (`session`).
"""

from __future__ import annotations

import argparse

from harness.person import flags, person
from harness.settings import KNOBS

ORDER = 10

ONLY_RUN = ("drafts", "yes", "dry_run", "commit", "road")
"""Knobs that say something about a change."""


def options(parser: argparse.ArgumentParser) -> None:
    """The question, the folder, the knobs that do not speak of a change."""
    person.add_words(parser, "question", "ask")
    flags.add_json(parser, "print the run's events as JSON, one a line, and ask nothing")
    flags.add_knobs(parser, [name for name in KNOBS if name not in ONLY_RUN])


def run(options: argparse.Namespace) -> int:
    """Answer; the exit code of the outcome."""
    return person.carry_out(
        options,
        "question",
        lambda session, wanted, piped: session.ask(wanted.task, wanted.files, piped),
    )
