"""Refuses a step that only looks, where it was carried out before and nothing changed since."""

from __future__ import annotations

from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

STAGE = "action"
BY = "repeated-action"
LOOKS = frozenset({"find", "search", "read", "map", "layout", "locate", "test", "plan"})
SAID = 400

_JOB = Job("fix", "mend f", path="src/a.py")


def check(moment: Moment) -> Refusal | None:
    """What it gave is said again, with the step that follows."""
    if moment.action.verb not in LOOKS or moment.repeats == 0:
        return None
    times = "once" if moment.repeats == 1 else f"{moment.repeats} times"
    known = moment.known.strip().rstrip(".")
    known = known if len(known) <= SAID else known[:SAID] + " …"
    return Refusal(
        BY,
        f"{moment.action.verb} was carried out so already ({times}) and nothing changed since; "
        f"it gave: {known}",
        moment.onward(),
    )


ACCEPTED = (
    Moment(_JOB, Action("read", {"Path": "src/a.py"})),
    Moment(_JOB, Action("patch", {"Path": "src/a.py"}), repeats=1, known="Changed src/a.py."),
)
REFUSED = (
    Moment(
        _JOB,
        Action("read", {"Path": "src/a.py"}),
        repeats=1,
        known="src/a.py:\nx = 1",
        files=frozenset({"src/a.py"}),
        reads=frozenset({"src/a.py"}),
    ),
    Moment(_JOB, Action("test", {}), repeats=2, known="The tests are green: 3 passed."),
    Moment(
        Job("ask", "what does f return?"),
        Action("search", {"Pattern": "def f"}),
        repeats=1,
        known="src/a.py:1: def f():",
        reads=frozenset({"src/a.py"}),
    ),
)
