"""Refuses to change files where the task is a question."""

from __future__ import annotations

from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

STAGE = "action"
BY = "write-in-question"

_ASK = Job("ask", "what does f return?")


def check(moment: Moment) -> Refusal | None:
    """Answering is the way on."""
    if moment.job.kind != "ask" or moment.action.verb not in ("patch", "write"):
        return None
    return Refusal(BY, "the task is a question; no file is changed", moment.onward())


ACCEPTED = (
    Moment(_ASK, Action("read", {"Path": "a.py"})),
    Moment(Job("fix", "mend f"), Action("patch", {"Path": "a.py"})),
)
REFUSED = (
    Moment(_ASK, Action("patch", {"Path": "a.py"}), reads=frozenset({"a.py"})),
    Moment(_ASK, Action("write", {"Path": "b.py", "Body": "x = 1"})),
)
