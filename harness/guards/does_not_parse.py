"""Refuses a change after which a Python file does not parse, unless it did not before."""

from __future__ import annotations

from harness.road.moment import Moment
from harness.source import symbols
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "does-not-parse"
ORDER = 10
"""Before the rules that need a text that parses."""

_JOB = Job("fix", "mend f")


def check(moment: Moment) -> Refusal | None:
    """The same step with a whole definition is the way on."""
    for path, (before, after) in moment.changes.items():
        if after is None or not path.endswith((".py", ".pyi")):
            continue
        if (wrong := symbols.parses(after)) and not symbols.parses(before or ""):
            return Refusal(BY, f"{path} would not parse: {wrong}", _again(moment, path))
    return None


def _again(moment: Moment, path: str) -> str:
    """The step once more, by definition where the file is there."""
    if path not in moment.files:
        return f"Action: write\nPath: {path}\nBody:\n```\n<the whole file>\n```"
    name = moment.job.subject or "<name>"
    return (
        f"Action: patch\nPath: {path}\nSymbol: {name}\nBody:\n```\n"
        "<the whole definition, indented as in the file>\n```"
    )


ACCEPTED = (
    Moment(_JOB, Action("patch", {}), {"a.py": ("x = 1\n", "x = 2\n")}),
    Moment(_JOB, Action("patch", {}), {"a.py": ("def f(:\n  (\n", "def f():\n  (\n")}),
    Moment(_JOB, Action("patch", {}), {"notes.md": ("a", "def f(")}),
)
REFUSED = (
    Moment(_JOB, Action("patch", {}), {"a.py": ("x = 1\n", "def f(\n")}, files=frozenset({"a.py"})),
    Moment(_JOB, Action("write", {}), {"b.py": (None, "def f():\nreturn 1\n")}),
)
