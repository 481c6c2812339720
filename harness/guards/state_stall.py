"""Refuses a step that was taken before in this very state of the files and the tests."""

from __future__ import annotations

from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

STAGE = "action"
BY = "state-stall"
ORDER = 90
"""After the rules that know more of the step; the loop stops at the third time by itself."""

_JOB = Job("fix", "mend f", path="src/a.py")


def check(moment: Moment) -> Refusal | None:
    """Another step is the way on."""
    if moment.states == 0:
        return None
    reason = f"this {moment.action.verb} was tried in this very state; it leads nowhere"
    return Refusal(BY, reason, moment.onward())


ACCEPTED = (Moment(_JOB, Action("plan", {"Summary": "read it"})),)
REFUSED = (
    Moment(_JOB, Action("plan", {"Summary": "read it"}), states=1),
    Moment(_JOB, Action("ask", {"Question": "which?"}), states=2),
)
