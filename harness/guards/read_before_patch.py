"""Refuses to change lines of a file that was not shown, unless Find copies them exactly."""

from __future__ import annotations

from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

STAGE = "action"
BY = "read-before-patch"

_TEXT = {"src/a.py": "def f():\n    return 1\n"}
_JOB = Job("fix", "mend f")
_FILES = frozenset({"src/a.py"})


def check(moment: Moment) -> Refusal | None:
    """Reading it is the way on."""
    action = moment.action
    path = action.fields.get("Path", "").strip().removeprefix("./")
    if action.verb != "patch" or path not in moment.files or path in moment.reads:
        return None
    find = action.fields.get("Find", "")
    if not find and not action.fields.get("Symbol"):
        return None
    if find.strip() and moment.texts.get(path, "").count(find) == 1:
        return None
    return Refusal(BY, f"{path} was not read yet in this run", f"Action: read\nPath: {path}")


ACCEPTED = (
    Moment(
        _JOB,
        Action("patch", {"Path": "src/a.py", "Find": "    return 2", "Replace": "    return 3"}),
        texts=_TEXT,
        files=_FILES,
        reads=frozenset({"src/a.py"}),
    ),
    Moment(
        _JOB,
        Action("patch", {"Path": "src/a.py", "Find": "    return 1", "Replace": "    return 3"}),
        texts=_TEXT,
        files=_FILES,
    ),
    Moment(_JOB, Action("patch", {"Path": "src/new.py", "Append": "x = 1"}), files=_FILES),
)
REFUSED = (
    Moment(
        _JOB,
        Action("patch", {"Path": "src/a.py", "Find": "return 7", "Replace": "return 3"}),
        texts=_TEXT,
        files=_FILES,
    ),
    Moment(
        _JOB,
        Action("patch", {"Path": "src/a.py", "Symbol": "f", "Body": "def f():\n    return 2"}),
        texts=_TEXT,
        files=_FILES,
    ),
)
