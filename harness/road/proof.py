"""Owns what the tests say of the staged files: run after a write, harm told once, then taken back.

Does not cover whether a job is finished (guards of stage done) nor the talk about it (`loop`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.road.desk import Desk
from harness.road.excerpt import of_suite, one_failure
from harness.suite.oracle import newly_red
from harness.types import SuiteReport

TAKEN_BACK = 2
"""How often broken tests may be taken back, until the run gives up."""
SLOW = 60.0
"""Seconds from which a suite runs whole only at the end; after a write only what covers it."""
_HALTED = ("crashed", "timeout", "not-importable")


@dataclass(frozen=True)
class Shown:
    """What a write came to."""

    text: str
    """For the model; empty where no test was run."""
    report: SuiteReport | None = None
    """The run, where there was one and it did no harm."""
    gives_up: str = ""
    """Why the run ends here, where it does."""


def harm_of(desk: Desk, report: SuiteReport) -> tuple[str, ...]:
    """What fails, or is gone, that passed before; a suite that no longer ends counts as one."""
    before = desk.suite_before
    if before is None:
        return ()
    if report.status in _HALTED and before.status != report.status:
        return (f"the suite ({report.status})",)
    return newly_red(before, report)


class Proof:
    """The tests of one run's staged files."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.sound = desk.staged()
        """Staged files when the tests last showed no harm."""
        self.reds = 0
        self.taken_back = 0

    def after_write(self, changed: Sequence[str]) -> Shown:
        """Run what covers the change, if anything does, and say what that means."""
        covering = self.desk.covering(changed)
        if not covering and not self._expected():
            return Shown("No test covers it.")
        before = self.desk.suite_before
        slow = before is not None and before.duration_s > SLOW
        report = self.desk.suite("draft", covering if slow else ())
        harm = harm_of(self.desk, report) if not slow else _newly(before, report)
        if not harm:
            self.reds, self.sound = 0, self.desk.staged()
            return Shown(of_suite(report), report)
        return self._harmed(report, harm)

    def whole(self, when: str) -> SuiteReport | None:
        """The whole suite on the files as they stand, run if it was not yet; None without tests."""
        if self.desk.stale and (self.desk.project.tests() or self._expected()):
            self.desk.suite(when)
        return None if self.desk.stale else self.desk.suite_now

    def _expected(self) -> bool:
        """Whether the job itself is about tests that fail."""
        before = self.desk.suite_before
        return bool(self.desk.job.failing) or (before is not None and before.status == "red")

    def _harmed(self, report: SuiteReport, harm: Sequence[str]) -> Shown:
        """The facts, the first time; the second time the change is taken back, at last given up."""
        self.reds += 1
        told = _facts(report, harm)
        if self.reds == 1:
            return Shown(told)
        self.desk.revert(self.sound)
        self.reds = 0
        self.taken_back += 1
        if self.taken_back >= TAKEN_BACK:
            return Shown(told, gives_up=f"its changes broke {harm[0]} again and again")
        return Shown(
            f"{told}\n\nThat broke it twice, so the files are again as they were when the tests "
            "last showed no harm. Read the file anew and change less."
        )


def _newly(before: SuiteReport | None, report: SuiteReport) -> tuple[str, ...]:
    """Tests of a partial run that fail and did not before."""
    known = before.failing() if before else frozenset()
    return tuple(sorted(report.failing() - known))


def _facts(report: SuiteReport, harm: Sequence[str]) -> str:
    """What the change broke, the broken test's traceback first."""
    broken = [f for f in report.failures if f.test in harm]
    if not broken:
        return f"The change broke {', '.join(harm[:3])}.\n{of_suite(report)}"
    lines = ["The change broke what passed before:", *map(one_failure, broken[:5])]
    return "\n".join([*lines, "", broken[0].detail.strip()]).strip()
