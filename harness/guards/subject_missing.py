"""Refuses the end while the wanted function, or a test that calls it, is not there."""

from __future__ import annotations

from harness.road.moment import Moment, adding
from harness.source import symbols
from harness.types import Action, Job, Refusal

STAGE = "done"
BY = "subject-missing"

_DONE = Action("done", {"Summary": "added it"})
_ADD = Job(
    "add-function",
    "add f(x) and a test",
    subject="f",
    path="a.py",
    test_path="tests/test_a.py",
    wants_test=True,
)
_CODE = "def f(x):\n    return x\n"
_TEST = "from a import f\n\n\ndef test_f():\n    assert f(1) == 1\n"
_TESTS = frozenset({"tests/test_a.py"})


def check(moment: Moment) -> Refusal | None:
    """Writing it is the way on."""
    job = moment.job
    if not job.subject:
        return None
    code = [t for p, t in moment.texts.items() if p.endswith(".py") and p not in moment.tests]
    if job.kind == "add-function" and not any(_defines(text, job.subject) for text in code):
        onward = adding(job.path, f"<{job.subject}>", exists=job.path in moment.files)
        return Refusal(BY, f"no file defines {job.subject} yet", onward)
    wants = job.kind == "write-test" or job.wants_test
    tests = [moment.texts[p] for p in sorted(moment.tests) if p in moment.texts]
    if wants and not any(symbols.tests_that_call(text, job.subject) for text in tests):
        onward = adding(job.test_path, "<the new test>", exists=job.test_path in moment.files)
        return Refusal(BY, f"no test calls {job.subject} yet", onward)
    return None


def _defines(text: str, subject: str) -> bool:
    """Whether a text defines the subject, as a function, a class or a method of any class."""
    return any(s.qualname == subject or s.name == subject for s in symbols.outline(text))


ACCEPTED = (
    Moment(_ADD, _DONE, texts={"a.py": _CODE, "tests/test_a.py": _TEST}, tests=_TESTS),
    Moment(Job("fix", "mend f", subject="f"), _DONE),
    Moment(Job("add-function", "add something"), _DONE),
)
REFUSED = (
    Moment(_ADD, _DONE, texts={"a.py": "x = 1\n", "tests/test_a.py": _TEST}, tests=_TESTS),
    Moment(
        _ADD,
        _DONE,
        texts={"a.py": _CODE, "tests/test_a.py": "from a import f\n"},
        tests=_TESTS,
        files=frozenset({"a.py", "tests/test_a.py"}),
    ),
    Moment(
        Job("write-test", "test f", subject="f", test_path="tests/test_a.py"),
        _DONE,
        texts={"a.py": _CODE},
    ),
)
