"""Refuses a new test that asserts nothing, cannot fail, or never calls its subject."""

from __future__ import annotations

from harness.road.moment import Moment
from harness.source import asserts, symbols
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "weak-test"

_TESTS = frozenset({"tests/test_a.py"})
_JOB = Job(
    "write-test", "write a test for f", subject="f", path="a.py", test_path="tests/test_a.py"
)
_HEAD = "from a import f\n\n\n"


def check(moment: Moment) -> Refusal | None:
    """An assertion on what a call returns is the way on."""
    for path, (before, after) in moment.changes.items():
        if path not in moment.tests or not after or not path.endswith(".py"):
            continue
        if reason := _idle(before or "", after) or _misses(moment.job, after):
            name = moment.job.subject or "the function"
            onward = f"write the test again: call {name} with an input and assert what it returns"
            return Refusal(BY, reason, onward)
    return None


def _idle(before: str, after: str) -> str:
    """Which new or changed test asserts nothing that could fail; empty where none."""
    known = {shape.code for shape in asserts.shapes(before)}
    for shape in asserts.shapes(after):
        if shape.code not in known and not shape.asserts:
            what = "cannot fail" if shape.idle else "asserts nothing"
            return f"{shape.name} in line {shape.line} {what}"
    return ""


def _misses(job: Job, after: str) -> str:
    """Whether a test was asked for and no test of the file calls the subject."""
    asked = job.kind == "write-test" or job.wants_test
    if not asked or not job.subject or symbols.tests_that_call(after, job.subject):
        return ""
    return f"no test of it calls {job.subject}"


ACCEPTED = (
    Moment(
        _JOB,
        Action("patch", {}),
        tests=_TESTS,
        changes={"tests/test_a.py": ("", _HEAD + "def test_f():\n    assert f(2) == 4\n")},
    ),
    Moment(
        _JOB,
        Action("patch", {}),
        tests=_TESTS,
        changes={
            "tests/test_a.py": (
                "",
                "import pytest\n" + _HEAD + "def test_f():\n"
                "    with pytest.raises(ValueError):\n        f(-1)\n",
            )
        },
    ),
    Moment(
        _JOB,
        Action("patch", {}),
        tests=_TESTS,
        changes={
            "tests/test_a.py": (
                "",
                _HEAD + "def double(x):\n    return f(x)\n\n\n"
                "def test_f():\n    assert double(2) == 4\n",
            )
        },
    ),
    Moment(
        Job("other", "x"),
        Action("patch", {}),
        tests=_TESTS,
        changes={
            "tests/test_a.py": (
                "def test_old():\n    pass\n",
                "def test_old():\n    pass\n\n\nX = 1\n",
            )
        },
    ),
)
REFUSED = (
    Moment(
        _JOB,
        Action("patch", {}),
        tests=_TESTS,
        changes={"tests/test_a.py": ("", _HEAD + "def test_f():\n    f(2)\n")},
    ),
    Moment(
        _JOB,
        Action("patch", {}),
        tests=_TESTS,
        changes={"tests/test_a.py": ("", _HEAD + "def test_f():\n    f(2)\n    assert True\n")},
    ),
    Moment(
        _JOB,
        Action("patch", {}),
        tests=_TESTS,
        changes={"tests/test_a.py": ("", _HEAD + "def test_f():\n    assert 2 + 2 == 4\n")},
    ),
    Moment(
        _JOB,
        Action("patch", {}),
        tests=_TESTS,
        changes={"tests/test_a.py": ("", "def test_f():\n    assert len('f') == 1\n")},
    ),
)
