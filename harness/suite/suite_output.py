"""Owns what a suite's run means: rows or printed text, and an exit code, become a report.

Does not cover running it (`oracle`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from harness.normal import bounded, normalise
from harness.suite.sandbox import Ran
from harness.types import SuiteReport, SuiteStatus, TestFailure

Runner = Literal["pytest", "unittest", "command", "none"]
Clean = Callable[[str], str]
MAX_DETAIL = 1200
MAX_OUTPUT = 4000
MAX_READ = 40_000
_ORDER = ("passed", "xfailed", "skipped", "xpassed", "failed")


@dataclass(frozen=True)
class SuiteRun(SuiteReport):
    """A report that also knows which tests passed, so that a later one can miss them."""

    passing: tuple[str, ...] = field(default=(), repr=False)
    """Ids of tests that ran and did what was expected of them."""
    partial: bool = False
    """Only some tests were asked for, so that others are missing is no news."""


@dataclass
class _Tally:
    """What rows add up to."""

    outcomes: dict[str, str] = field(default_factory=dict)
    failures: dict[str, TestFailure] = field(default_factory=dict)
    collected: list[str] = field(default_factory=list)
    running: str = ""
    started: int = 0
    ended: int = 0

    def count(self, *names: str) -> int:
        return sum(outcome in names for outcome in self.outcomes.values())


def rows_of(text: str) -> list[dict[str, Any]]:
    """Rows of a report; a last line that was cut by the process's end is left out."""
    found = []
    for line in text.split("\n"):
        try:
            row = json.loads(line) if line else None
        except ValueError:
            continue
        if isinstance(row, dict) and isinstance(row.get("row"), str):
            found.append(row)
    return found


def of_rows(
    rows: Sequence[dict[str, Any]], ran: Ran, runner: Runner, command: Sequence[str], clean: Clean
) -> SuiteRun:
    """The report of a run that wrote rows, however it ended."""
    tally = _tallied(rows, clean)
    output = clean(_said(ran)[-MAX_READ:])
    whole = tally.started > 0 and tally.started == tally.ended
    failures = list(tally.failures.values())
    if tally.running and (ran.ended or not whole):
        failures.append(_unfinished(tally.running, ran))
    elif not tally.started:
        failures += _of_conftest(output)
    return SuiteRun(
        status=_status(tally, failures, ran, whole, output),
        command=tuple(command),
        runner=runner,
        collected=sum(1 for test in tally.outcomes if not _at_import(tally, test)),
        passed=tally.count("passed", "xfailed", "xpassed"),
        failed=len(failures),
        skipped=tally.count("skipped"),
        exit_code=ran.exit_code,
        failures=tuple(failures),
        output=output[-MAX_OUTPUT:],
        limits=ran.limits,
        duration_s=ran.duration_s,
        passing=tuple(
            test for test, how in tally.outcomes.items() if how not in ("failed", "skipped")
        ),
    )


def _tallied(rows: Iterable[dict[str, Any]], clean: Clean) -> _Tally:
    """Rows added up: the worst outcome of each test, its first failure."""
    tally = _Tally()
    for row in rows:
        kind, test = row["row"], str(row.get("test", ""))
        if kind == "start":
            tally.started += 1
        elif kind == "end":
            tally.ended += 1
        elif kind == "collected":
            tally.collected += row.get("tests", [])
        elif kind == "running":
            tally.running = test
        elif kind == "result":
            outcome = str(row["outcome"])
            before = tally.outcomes.get(test, "passed")
            tally.outcomes[test] = max(outcome, before, key=_ORDER.index)
            tally.running = "" if test == tally.running else tally.running
            if outcome == "failed" and test not in tally.failures:
                tally.failures[test] = _failure(row, clean)
    return tally


def _failure(row: dict[str, Any], clean: Clean) -> TestFailure:
    """A failed test's row as the helper knows it."""
    path, line, name = (row.get("frames") or [["", 0, ""]])[-1]
    detail = clean(str(row.get("detail", "")))
    error = clean(str(row.get("error", ""))) or detail.strip().split("\n")[-1].strip()
    part = f"{row['part']} " if row.get("part") else ""
    values = clean(str(row.get("values", "")))
    tail = f"\nvalues in {name or path}: {values}" if values else ""
    kept = bounded(detail.strip(), MAX_DETAIL - len(tail[:500]) - 60) + tail[:500]
    importing = bool(row.get("importing"))
    return TestFailure(str(row["test"]), part + error, path, int(line), kept, importing)


def _unfinished(test: str, ran: Ran) -> TestFailure:
    """The test that ran when the process ended."""
    how = f"exit code {ran.exit_code}" if not ran.ended else ran.ended
    return TestFailure(test, f"the process ended while this test ran: {how}")


_CONFTEST = re.compile(r"while loading conftest '(?P<path>[^']+)'")


def _of_conftest(output: str) -> list[TestFailure]:
    """A conftest that does not import stops pytest before it can write a row."""
    found = _CONFTEST.search(output)
    if found is None:
        return []
    tail = output[found.start() :].strip()
    said = [line[1:].strip() for line in tail.split("\n") if line.startswith("E ")]
    error = said[-1] if said else tail.split("\n")[-1]
    frames = re.findall(r"^([^\s:][^:\n]*\.py):(\d+): in", tail, re.MULTILINE)
    path, line = frames[-1] if frames else (found["path"], "0")
    return [TestFailure(found["path"], error, path, int(line), bounded(tail, MAX_DETAIL), True)]


def _at_import(tally: _Tally, test: str) -> bool:
    """Whether what failed was the import of a module, not a test."""
    return test in tally.failures and tally.failures[test].import_failed


def _status(
    tally: _Tally, failures: Sequence[TestFailure], ran: Ran, whole: bool, output: str
) -> SuiteStatus:
    """What the run shows; green needs exit 0 and a test that ran."""
    if ran.ended:
        return "timeout" if ran.timed_out else "crashed"
    did = tally.count("passed", "xfailed", "xpassed")
    if failures and not did and all(failure.import_failed for failure in failures):
        return "not-importable"
    if not whole:
        return "crashed" if tally.started or not _refused(ran, output) else "no-tests"
    if ran.exit_code is None or ran.exit_code < 0 or ran.exit_code > 128:
        return "crashed"
    if failures:
        return "red"
    if set(tally.collected) - set(tally.outcomes):
        return "crashed"
    if not did and ran.exit_code in (0, 4, 5):
        return "no-tests"
    return "green" if ran.exit_code == 0 else "red"


def _refused(ran: Ran, output: str) -> bool:
    """Whether pytest did not start a session since it was called wrongly."""
    return ran.exit_code == 4 or "ERROR: usage" in output


def _said(ran: Ran) -> str:
    """Both streams, the errors last, since they are what is looked for."""
    return "\n".join(part for part in (ran.stdout.rstrip(), ran.stderr.rstrip()) if part)


_PYTEST_LINE = re.compile(
    r"^=*\s*(?P<counts>\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)"
    r"(?:, \d+ [a-z]+)*) in ",
    re.MULTILINE,
)
_UNITTEST_RAN = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
_UNITTEST_END = re.compile(r"^(?:OK|FAILED|NO TESTS RAN)(?: \((?P<counts>[^)]*)\))?$", re.MULTILINE)
_PYTEST_FAILED = re.compile(
    r"^(?:FAILED|ERROR) (?P<test>[^\s(]\S*?\.py(?:::.*?)?)(?: - (?P<error>.*))?$", re.MULTILINE
)
_UNITTEST_FAILED = re.compile(
    r"^(?:FAIL|ERROR): (?P<method>\S+)(?: \((?P<owner>[\w.]+)\))?.*\n(?:.*\n)?-{20,}\n"
    r"(?P<detail>(?:(?!={20,}|-{20,}).*\n)*)",
    re.MULTILINE,
)


def of_text(ran: Ran, command: Sequence[str], clean: Clean) -> SuiteRun:
    """The report of a person's own command, from the last lines that pytest or unittest print.

    A command that prints no count is never green: nobody knows whether a test ran.
    """
    said = _said(ran)
    output = clean(said[-MAX_READ:])
    counts = _counts(normalise(said[-MAX_READ * 5 :]))
    failures = tuple(_printed(output))
    failed = max(counts["failed"], len(failures))
    status: SuiteStatus = "red" if ran.exit_code != 0 else "green"
    if ran.ended:
        status = "timeout" if ran.timed_out else "crashed"
    elif ran.exit_code is None or ran.exit_code < 0 or ran.exit_code > 128:
        status = "crashed"
    elif not counts["passed"] and not failed and (ran.exit_code in (0, 5) or counts["counted"]):
        status = "no-tests"
        output += "" if counts["counted"] else "\n(this command printed no count of tests)"
    elif failed and ran.exit_code == 0:
        status = "red"
    return SuiteRun(
        status=status,
        command=tuple(command),
        runner="command",
        collected=counts["passed"] + failed + counts["skipped"],
        passed=counts["passed"],
        failed=failed,
        skipped=counts["skipped"],
        exit_code=ran.exit_code,
        failures=failures,
        output=output[-MAX_OUTPUT:],
        limits=ran.limits,
        duration_s=ran.duration_s,
    )


def _counts(text: str) -> dict[str, int]:
    """Totals over all counts that are printed; `counted` is how many were found."""
    found = {"passed": 0, "failed": 0, "skipped": 0, "counted": 0}
    for line in _PYTEST_LINE.finditer(text):
        said = {word: int(n) for n, word in re.findall(r"(\d+) ([a-z]+)", line["counts"])}
        found["passed"] += sum(said.get(word, 0) for word in ("passed", "xfailed", "xpassed"))
        found["failed"] += sum(said.get(word, 0) for word in ("failed", "error", "errors"))
        found["skipped"] += said.get("skipped", 0)
        found["counted"] += 1
    ends = list(_UNITTEST_END.finditer(text))
    for number, total in enumerate(_UNITTEST_RAN.finditer(text)):
        counts = (ends[number]["counts"] or "") if number < len(ends) else ""
        said = {word: int(n) for word, n in re.findall(r"([a-z ]+)=(\d+)", counts)}
        failed = said.get("failures", 0) + said.get("errors", said.get(" errors", 0))
        skipped = said.get("skipped", said.get(" skipped", 0))
        found["passed"] += max(int(total[1]) - failed - skipped, 0)
        found["failed"] += failed
        found["skipped"] += skipped
        found["counted"] += 1
    return found


def _printed(output: str) -> Iterable[TestFailure]:
    """Failures as the runners print them."""
    for found in _PYTEST_FAILED.finditer(output):
        yield TestFailure(found["test"], found["error"] or "failed")
    for found in _UNITTEST_FAILED.finditer(output):
        owner, method = found["owner"] or "", found["method"]
        test = owner if owner.endswith("." + method) else f"{owner}.{method}".strip(".")
        detail = found["detail"].strip()
        frames = re.findall(r'File "([^"/\\][^"]*)", line (\d+)', detail)
        path, line = frames[-1] if frames else ("", "0")
        error = detail.split("\n")[-1]
        yield TestFailure(
            test, error, path, int(line), bounded(detail, MAX_DETAIL), "_FailedTest" in owner
        )


def relative_to(places: Sequence[Path]) -> Clean:
    """How to make output normal for a tree that has several paths."""

    def clean(text: str) -> str:
        return normalise(text, places[0], places[1:])

    return clean
