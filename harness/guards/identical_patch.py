"""Refuses a write that was asked for before with the same text, whatever it gave."""

from __future__ import annotations

from harness.road.moment import Moment, Tried, fingerprint
from harness.types import Action, Job, Refusal

STAGE = "action"
BY = "identical-patch"

_PATCH = Action("patch", {"Path": "src/a.py", "Find": "x = 1", "Replace": "x = 2"})
_JOB = Job("fix", "mend x in src/a.py", path="src/a.py")


def check(moment: Moment) -> Refusal | None:
    """A different text, or the tests, are the ways on."""
    if moment.action.verb not in ("patch", "write"):
        return None
    key = fingerprint(moment.action)
    before = next((tried for tried in moment.tried if tried.key == key), None)
    if before is None:
        return None
    path = moment.action.fields.get("Path", "")
    onward = "Action: test" if moment.stale else moment.onward()
    return Refusal(
        BY,
        f"this very text was tried for {path} before; it gave: {before.gave.rstrip('.')}",
        onward,
    )


ACCEPTED = (
    Moment(_JOB, _PATCH),
    Moment(
        _JOB,
        Action("patch", {"Path": "src/a.py", "Find": "x = 1", "Replace": "x = 3"}),
        tried=(Tried(fingerprint(_PATCH), "Changed src/a.py."),),
    ),
    Moment(_JOB, Action("read", {"Path": "src/a.py"}), tried=(Tried(fingerprint(_PATCH), "x"),)),
)
REFUSED = (
    Moment(_JOB, _PATCH, tried=(Tried(fingerprint(_PATCH), "Changed src/a.py."),), stale=True),
    Moment(_JOB, _PATCH, tried=(Tried(fingerprint(_PATCH), "Find does not stand in the file"),)),
)
