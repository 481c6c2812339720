"""Refuses a write beside the file that the task names, and a twin of an existing file."""

from __future__ import annotations

from harness.road.moment import Moment, adding, replacing
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "wrong-file"

_FILES = frozenset({"src/orders.py", "src/views.py", "tests/test_orders.py"})
_ADD = Job(
    "add-function",
    "add f(x) to src/orders.py",
    subject="f",
    path="src/orders.py",
    files=("src/orders.py",),
)
_WRITE = Action("write", {})
_DUPLICATED = frozenset({"__init__.py", "__main__.py", "conftest.py"})


def check(moment: Moment) -> Refusal | None:
    """The named file is the way on; in a fix another file may be changed once it was read."""
    job = moment.job
    named = [p for p in job.files if p.endswith(".py") and p not in moment.tests]
    for path in moment.changes:
        if twin := _twin(path, moment):
            return Refusal(BY, f"{path} would stand beside {twin}, which is there", replacing(twin))
        if not named or not path.endswith(".py") or path in moment.tests or path in named:
            continue
        if job.kind == "add-function":
            onward = adding(named[0], "<the new function>", exists=named[0] in moment.files)
            return Refusal(BY, f"the task names {named[0]}, not {path}", onward)
        if job.kind == "fix" and path not in moment.reads:
            onward = f"Action: read\nPath: {path if path in moment.files else named[0]}"
            return Refusal(BY, f"the task names {named[0]}; {path} was not even read", onward)
    return None


def _twin(path: str, moment: Moment) -> str:
    """The one file of the same name elsewhere, where the step would make a new file beside it."""
    base = path.rsplit("/", 1)[-1]
    if path in moment.files or base in _DUPLICATED or path in moment.job.files:
        return ""
    if path in (moment.job.path, moment.job.test_path, moment.job.target):
        return ""
    same = [p for p in moment.files if p.rsplit("/", 1)[-1] == base]
    return same[0] if len(same) == 1 else ""


ACCEPTED = (
    Moment(_ADD, _WRITE, {"src/orders.py": ("x = 1\n", "x = 2\n")}, files=_FILES),
    Moment(
        _ADD,
        _WRITE,
        {"tests/test_orders.py": ("", "import unittest\n")},
        files=_FILES,
        tests=frozenset({"tests/test_orders.py"}),
    ),
    Moment(
        Job("fix", "mend f in src/views.py", path="src/views.py", files=("src/views.py",)),
        _WRITE,
        {"src/orders.py": ("x = 1\n", "x = 2\n")},
        files=_FILES,
        reads=frozenset({"src/orders.py"}),
    ),
    Moment(Job("other", "add a module"), _WRITE, {"src/new.py": (None, "x = 1\n")}, files=_FILES),
)
REFUSED = (
    Moment(_ADD, _WRITE, {"src/views.py": ("x = 1\n", "x = 2\n")}, files=_FILES),
    Moment(_ADD, _WRITE, {"orders.py": (None, "x = 2\n")}, files=_FILES),
    Moment(
        Job("fix", "mend f in src/views.py", path="src/views.py", files=("src/views.py",)),
        _WRITE,
        {"src/orders.py": ("x = 1\n", "x = 2\n")},
        files=_FILES,
        reads=frozenset({"src/views.py"}),
    ),
)
