"""Refuses an answer about named code before any of it was looked at."""

from __future__ import annotations

from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

STAGE = "done"
BY = "not-located"

_DONE = Action("done", {"Summary": "f returns the sum of the prices."})
_JOB = Job("ask", "what does f return?", subject="f", path="a.py")


def check(moment: Moment) -> Refusal | None:
    """Looking at it is the way on."""
    job = moment.job
    if job.kind != "ask" or moment.reads or not (job.subject or job.path):
        return None
    what = job.subject or job.path
    return Refusal(BY, f"{what} was not looked at in this run", moment.onward())


ACCEPTED = (
    Moment(_JOB, _DONE, reads=frozenset({"a.py"})),
    Moment(Job("ask", "how many files are there?"), _DONE),
    Moment(Job("fix", "mend f", subject="f"), _DONE),
)
REFUSED = (Moment(_JOB, _DONE, files=frozenset({"a.py"})), Moment(_JOB, _DONE))
