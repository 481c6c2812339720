"""Refuses a change whose text is the one that stands in the instructions as an example."""

from __future__ import annotations

from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

STAGE = "action"
BY = "copied-example"
BODIES = ("Replace", "Append", "Body")

_SAID = ("Changes lines:\nAction: patch\nPath: a.py\nFind:\n```\n    return x\n```\n"
         "Replace:\n```\n    return round(x, 2)\n```",)  # fmt: skip
_JOB = Job("fix", "mend f", subject="f", path="a.py")


def check(moment: Moment) -> Refusal | None:
    """A text of one's own is the way on. Only the instructions count, not what was shown since."""
    if moment.action.verb not in ("patch", "write") or not moment.said:
        return None
    given = [moment.action.fields.get(name, "").strip("\n") for name in BODIES]
    bodies = [text for text in given if text.strip()]
    if not bodies or not all(f"\n```\n{text}\n```" in moment.said[0] for text in bodies):
        return None
    reason = f"that {moment.action.verb} is the example of the instructions, not this task's"
    return Refusal(BY, reason, moment.onward())


ACCEPTED = (
    Moment(
        _JOB,
        Action("patch", {"Path": "a.py", "Find": "    return x", "Replace": "    return x + 1"}),
        said=_SAID,
    ),
    Moment(_JOB, Action("patch", {"Path": "a.py", "Find": "x", "Replace": "    "}), said=_SAID),
    Moment(_JOB, Action("read", {"Path": "a.py"}), said=_SAID),
)
REFUSED = (
    Moment(
        _JOB,
        Action(
            "patch", {"Path": "a.py", "Find": "    return x", "Replace": "    return round(x, 2)"}
        ),
        said=_SAID,
        files=frozenset({"a.py"}),
        reads=frozenset({"a.py"}),
    ),
)
