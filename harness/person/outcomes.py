"""Owns what each outcome of a run means to the one who asked: its words and its exit code.

Does not cover which outcome a run has (`session`) nor exit codes of errors (`errors`).
"""

from __future__ import annotations

from harness.types import Outcome

EXIT_CODES = {
    0: "what was asked was done, answered, or already so; or a dry run",
    1: "not done: gave up, out of steps, or the change was not accepted",
    2: "bad input: a flag, a folder, a file or a setting; one line says which",
    3: "the server or the model failed",
    4: "the run had a question and nobody answered",
    5: "the change broke the suite, and it stopped at once",
    130: "interrupted with Ctrl-C",
}
"""What the exit codes of `ask` and `run` mean; other commands use 0, 1, 2 and 3."""

_MEANS: dict[Outcome, tuple[int, str]] = {
    "done": (0, "done"),
    "answered": (0, "answered"),
    "nothing-to-do": (0, "nothing to do"),
    "dry-run": (0, "dry run, nothing was written"),
    "gave-up": (1, "gave up, nothing was written"),
    "out-of-steps": (1, "out of steps, nothing was written"),
    "declined": (1, "not accepted, nothing was written"),
    "asked": (4, "a question is open, nothing was written"),
    "broke-suite": (5, "broke the suite"),
    "engine-failed": (3, "the engine failed"),
    "interrupted": (130, "interrupted"),
}


def exit_code(outcome: Outcome) -> int:
    """The exit code of an outcome."""
    return _MEANS[outcome][0]


def in_words(outcome: Outcome, writes: int = 0) -> str:
    """An outcome for a person; where files were written it does not say that none were."""
    words = _MEANS[outcome][1]
    return words.removesuffix(", nothing was written") if writes else words
