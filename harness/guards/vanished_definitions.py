"""Refuses a change in which functions, classes or methods vanish, unless the task says remove."""

from __future__ import annotations

import re

from harness.road.moment import Moment
from harness.source import symbols
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "vanished-definitions"
_REMOVES = re.compile(
    r"\b(remov\w*|delet\w*|drop|get rid of|renam\w*|mov(?:e|ing))\b", re.IGNORECASE
)

_TWO = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
_JOB = Job("fix", "mend f", subject="f", path="a.py")


def check(moment: Moment) -> Refusal | None:
    """Replacing the one definition by name is the way on."""
    if _REMOVES.search(moment.job.task):
        return None
    for path, (before, after) in moment.changes.items():
        if not path.endswith(".py"):
            continue
        others = [new or "" for p, (_, new) in moment.changes.items() if p != path]
        moved = {s.qualname for text in others for s in symbols.outline(text)}
        gone = [name for name in _gone(before, after) if name not in moved]
        if gone:
            onward = f"Action: patch\nPath: {path}\nSymbol: {moment.job.subject or '<name>'}\nBody:"
            onward += "\n```\n<the whole new definition of that one alone>\n```"
            return Refusal(BY, f"{', '.join(gone[:5])} would vanish from {path}", onward)
    return None


def _gone(before: str | None, after: str | None) -> tuple[str, ...]:
    """Functions, classes and methods that are no longer there; a constant may go."""
    if not before:
        return ()
    plain = {s.qualname for s in symbols.outline(before) if s.kind == "assignment"}
    return tuple(name for name in symbols.vanished(before, after or "") if name not in plain)


ACCEPTED = (
    Moment(_JOB, Action("patch", {}), {"a.py": (_TWO, _TWO.replace("1", "3"))}),
    Moment(
        Job("other", "remove g from a.py"),
        Action("patch", {}),
        {"a.py": (_TWO, "def f():\n    return 1\n")},
    ),
    Moment(
        _JOB,
        Action("patch", {}),
        {"a.py": (_TWO, "from b import g\n\n\ndef f():\n    return 1\n"), "b.py": (None, _TWO)},
    ),
)
REFUSED = (
    Moment(_JOB, Action("write", {}), {"a.py": (_TWO, "def g():\n    return 2\n")}),
    Moment(
        _JOB,
        Action("patch", {}),
        {
            "a.py": (
                "class C:\n    def m(self): ...\n    def n(self): ...\n",
                "class C:\n    def m(self): ...\n",
            )
        },
    ),
)
