"""Refuses to change what measures the work: a fix's tests, a test job's code, test settings."""

from __future__ import annotations

from harness.road.moment import Moment, adding, replacing
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "tests-edited"
KEEPS_TESTS = ("fix", "rename", "move")

_FILES = frozenset({"src/a.py", "tests/test_a.py"})
_TESTS = frozenset({"tests/test_a.py", "tests/test_b.py"})
_FIX = Job("fix", "mend f", subject="f", path="src/a.py", test_path="tests/test_a.py")
_TEST = Job(
    "write-test", "write a test for f", subject="f", path="src/a.py", test_path="tests/test_a.py"
)


def check(moment: Moment) -> Refusal | None:
    """The code under test, or the test file, is the way on."""
    job = moment.job
    for path in moment.changes:
        if path in moment.protected and path not in job.files:
            return Refusal(BY, f"{path} decides how tests run; it stays", moment.onward())
        is_test = path in moment.tests
        if job.kind == "fix" and is_test and path in moment.existing and not _asked_for(path, job):
            return Refusal(BY, f"{path} says what is right; mend the code instead", _code(moment))
        if job.kind == "write-test" and not is_test and path not in moment.protected:
            onward = adding(job.test_path, "<the new test>", exists=job.test_path in moment.files)
            return Refusal(BY, f"the task asks for a test; {path} stays as it is", onward)
    return None


def _asked_for(path: str, job: Job) -> bool:
    """Whether the fault is said to be in the test file itself: no other file is named."""
    return path == job.path or (job.files == (path,) and not job.path)


def _code(moment: Moment) -> str:
    """A patch of the code that the job is about."""
    return replacing(moment.job.path) if moment.job.path in moment.files else moment.onward()


ACCEPTED = (
    Moment(
        _FIX,
        Action("patch", {}),
        {"src/a.py": ("x = 1\n", "x = 2\n")},
        files=_FILES,
        existing=_FILES,
        tests=_TESTS,
    ),
    Moment(
        _FIX,
        Action("write", {}),
        {"tests/test_b.py": (None, "x = 2\n")},
        files=_FILES,
        existing=_FILES,
        tests=_TESTS,
    ),
    Moment(
        _TEST,
        Action("patch", {}),
        {"tests/test_a.py": ("x = 1\n", "x = 2\n")},
        files=_FILES,
        existing=_FILES,
        tests=_TESTS,
    ),
    Moment(
        Job("fix", "mend tests/test_a.py", path="tests/test_a.py"),
        Action("patch", {}),
        {"tests/test_a.py": ("x = 1\n", "x = 2\n")},
        files=_FILES,
        existing=_FILES,
        tests=_TESTS,
    ),
    Moment(
        Job("other", "raise the limit in tox.ini", files=("tox.ini",)),
        Action("patch", {}),
        {"tox.ini": ("a", "b")},
        protected=frozenset({"tox.ini"}),
    ),
)
REFUSED = (
    Moment(
        _FIX,
        Action("patch", {}),
        {"tests/test_a.py": ("x = 1\n", "x = 2\n")},
        files=_FILES,
        existing=_FILES,
        tests=_TESTS,
    ),
    Moment(
        _FIX,
        Action("patch", {}),
        {"conftest.py": ("", "x = 2\n")},
        files=_FILES,
        protected=frozenset({"conftest.py"}),
    ),
    Moment(
        _TEST,
        Action("patch", {}),
        {"src/a.py": ("x = 1\n", "x = 2\n")},
        files=_FILES,
        existing=_FILES,
        tests=_TESTS,
    ),
)
