"""Refuses the end while a test fails, or is gone, that passed before the run."""

from __future__ import annotations

from harness.road.moment import Moment, replacing
from harness.suite.oracle import newly_red
from harness.types import Action, Job, Refusal, SuiteReport, SuiteStatus, TestFailure

STAGE = "done"
BY = "broke"

_DONE = Action("done", {"Summary": "mended"})
_JOB = Job("fix", "mend f", path="a.py")
_WROTE = (("a.py", "0"),)


def _suite(status: SuiteStatus, *failing: str) -> SuiteReport:
    """A report for the moments below."""
    failures = tuple(TestFailure(name, "AssertionError: 1 != 2", "a.py", 2) for name in failing)
    return SuiteReport(
        status, ("pytest",), "pytest", 3, 3 - len(failing), len(failing), failures=failures
    )


def check(moment: Moment) -> Refusal | None:
    """Mending the file in which the test failed is the way on."""
    before, now = moment.suite_before, moment.suite
    if before is None or now is None or not moment.wrote:
        return None
    if now.status in ("crashed", "timeout", "not-importable") and before.status != now.status:
        return Refusal(
            BY, f"the tests ended as {now.status}, which they did not before", _to(moment)
        )
    red = newly_red(before, now)
    if not red:
        return None
    first = next((f for f in now.failures if f.test == red[0]), None)
    why = f": {first.error}" if first else ", which is gone"
    return Refusal(BY, f"{red[0]} passed before the change and does not now{why}", _to(moment))


def _to(moment: Moment) -> str:
    """A patch of the file that was changed, or in which the test failed."""
    failures = moment.suite.failures if moment.suite else ()
    places = [f.path for f in failures if f.path in moment.files and f.path not in moment.tests]
    changed = [path for path, _ in reversed(moment.writes)]
    return replacing([*places, *changed][0])


ACCEPTED = (
    Moment(_JOB, _DONE, suite_before=_suite("green"), suite_now=_suite("green"), writes=_WROTE),
    Moment(
        _JOB,
        _DONE,
        suite_before=_suite("red", "t::a"),
        suite_now=_suite("red", "t::a"),
        writes=_WROTE,
    ),
    Moment(_JOB, _DONE, suite_now=_suite("red", "t::a"), writes=_WROTE),
)
REFUSED = (
    Moment(
        _JOB, _DONE, suite_before=_suite("green"), suite_now=_suite("red", "t::a"), writes=_WROTE
    ),
    Moment(
        _JOB,
        _DONE,
        suite_before=_suite("red", "t::a"),
        suite_now=_suite("red", "t::b"),
        writes=_WROTE,
        files=frozenset({"a.py"}),
    ),
    Moment(_JOB, _DONE, suite_before=_suite("green"), suite_now=_suite("crashed"), writes=_WROTE),
)
