"""Refuses a whole-file draft that is much shorter than the file, unless the task says remove."""

from __future__ import annotations

import re

from harness.road.moment import Moment, replacing
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "shrinks"
SMALL = 60
"""Characters up to which a file may become anything."""
_REMOVES = re.compile(
    r"\b(remov\w*|delet\w*|drop|get rid of|shorten|simplif\w*|mov(?:e|ing))\b", re.I
)

_LONG = "".join(f"line_{n} = {n}\n" for n in range(30))
_JOB = Job("fix", "mend line_3")


def check(moment: Moment) -> Refusal | None:
    """Patching the lines that change is the way on."""
    if moment.action.verb != "write" or _REMOVES.search(moment.job.task):
        return None
    for path, (before, after) in moment.changes.items():
        old, new = len(before or ""), len(after or "")
        if old > SMALL and 3 * new < 2 * old:
            reason = f"{path} would shrink from {old} to {new} characters"
            return Refusal(BY, reason, replacing(path))
    return None


ACCEPTED = (
    Moment(_JOB, Action("write", {}), {"a.py": (_LONG, _LONG.replace("= 3\n", "= 4\n"))}),
    Moment(_JOB, Action("write", {}), {"a.py": ("x = 1\n", "")}),
    Moment(_JOB, Action("patch", {}), {"a.py": (_LONG, _LONG[:100])}),
    Moment(Job("other", "remove the unused lines"), Action("write", {}), {"a.py": (_LONG, "x\n")}),
)
REFUSED = (Moment(_JOB, Action("write", {}), {"a.py": (_LONG, _LONG[:100])}),)
