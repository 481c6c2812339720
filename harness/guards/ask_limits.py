"""Refuses a question to the person past the limit, after a write, or where the task says it all."""

from __future__ import annotations

from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

STAGE = "action"
BY = "ask-limits"
MOST = 2

_ACTION = Action("ask", {"Question": "which function?"})
_VAGUE = Job("other", "make it better")


def check(moment: Moment) -> Refusal | None:
    """Going on with what is known is the way on."""
    if moment.action.verb != "ask":
        return None
    reason = ""
    if moment.asked >= MOST:
        reason = f"{MOST} questions were put already"
    elif moment.wrote:
        reason = "files were changed already; finish that first"
    elif _says_all(moment.job):
        reason = f"the task names all that is needed: {moment.job.subject} in {moment.job.path}"
    if not reason:
        return None
    return Refusal(BY, f"{reason}; take the likeliest reading", moment.onward())


def _says_all(job: Job) -> bool:
    """Whether kind, subject and place are known, and for something new its signature."""
    known = bool(job.subject and job.path)
    if job.kind == "add-function":
        return known and bool(job.signature)
    # A fault may have several mendings; only a named failing test says which is right.
    return known and (job.kind == "write-test" or (job.kind == "fix" and bool(job.failing)))


ACCEPTED = (
    Moment(_VAGUE, _ACTION),
    Moment(_VAGUE, _ACTION, asked=1),
    Moment(Job("fix", "mend f", subject="f", path="a.py"), _ACTION),
)
REFUSED = (
    Moment(_VAGUE, _ACTION, asked=2),
    Moment(_VAGUE, _ACTION, writes=(("a.py", "0"),), reads=frozenset({"a.py"})),
    Moment(Job("write-test", "write a test for f", subject="f", path="a.py"), _ACTION),
    Moment(Job("add-function", "add f(x)", subject="f", path="a.py", signature="f(x)"), _ACTION),
)
