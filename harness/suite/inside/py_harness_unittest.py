"""Owns a run of unittest: finds the tests as `discover` does and writes every result as a row.

Does not cover which folders are looked through: the caller says. Runs on Python 3.8 and newer.
"""

from __future__ import annotations

import json
import os
import re
import sys
import unittest
from typing import Any

import py_harness_rows as rows  # type: ignore[import-not-found]

_HOLDER = re.compile(r"^(?P<stage>setUp\w+|tearDown\w+) \((?P<owner>[^)]+)\)$")
_FRAME = re.compile(r'File "([^"]+)", line (\d+)(?:, in (\S+))?')
_REPORT: list[rows.Rows] = []


class Result(unittest.TextTestResult):
    """Tells each outcome as it comes; a subtest's counts for its test."""

    def startTest(self, test: unittest.TestCase) -> None:
        """Which test is running: the one to name if the process ends here."""
        super().startTest(test)
        _REPORT[0].write("running", test=test.id())

    def addSuccess(self, test: unittest.TestCase) -> None:
        """Passed."""
        super().addSuccess(test)
        _REPORT[0].write("result", test=test.id(), outcome="passed")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        """An assertion did not hold."""
        super().addFailure(test, err)
        self._failed(test, err, self.failures[-1][1])

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        """Another exception, also of a set-up or of an import."""
        super().addError(test, err)
        self._failed(test, err, self.errors[-1][1])

    def addSubTest(self, test: unittest.TestCase, subtest: Any, err: Any) -> None:
        """A part of a test; those that passed are not told."""
        super().addSubTest(test, subtest, err)
        if err is not None:
            which = self.failures if issubclass(err[0], test.failureException) else self.errors
            self._failed(test, err, which[-1][1], subtest._subDescription())

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        """Skipped, also by its class."""
        super().addSkip(test, reason)
        _REPORT[0].write("result", test=_name(test)[0], outcome="skipped")

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        """Failed as it was meant to."""
        super().addExpectedFailure(test, err)
        _REPORT[0].write("result", test=test.id(), outcome="xfailed")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        """Passed although a failure was meant: unittest counts it as a failure."""
        super().addUnexpectedSuccess(test)
        said = "passed, and is marked as an expected failure"
        _REPORT[0].write("result", test=test.id(), outcome="failed", error=said, detail=said)

    def _failed(self, test: unittest.TestCase, err: Any, detail: str, part: str = "") -> None:
        name, stage, importing = _name(test)
        told = _of_import(err[1]) if importing else rows.about(err[1], err[2])
        if part and sys.version_info < (3, 11):
            # Told when the whole test is over: its values are no longer those of the subtest.
            told["values"] = ""
        _REPORT[0].write(
            "result",
            test=name,
            outcome="failed",
            importing=importing,
            part=part or stage,
            detail=detail[-20000:],
            **told,
        )


def _name(test: Any) -> tuple[str, str, bool]:
    """Id to report, stage such as setUpClass, and whether it stands for a failed import."""
    kind = type(test).__name__
    if kind in ("_FailedTest", "ModuleSkipped"):
        error = getattr(test, "_exception", "")
        return test._testMethodName, "", str(error).startswith("Failed to import")
    found = _HOLDER.match(test.id())
    if found:
        return found["owner"], found["stage"], False
    return test.id(), "", False


def _of_import(error: BaseException) -> dict[str, Any]:
    """What the loader keeps of a failed import: it makes a text of the traceback."""
    text = str(error).rstrip()
    frames = [
        [own, int(line), name or ""]
        for path, line, name in _FRAME.findall(text)
        if (own := rows.inside(path))
    ]
    return {"error": text.split("\n")[-1].strip(), "frames": frames[-12:], "values": ""}


def _suite(wanted: dict[str, Any]) -> unittest.TestSuite:
    """All tests of the groups, or those of the ids alone."""
    whole = unittest.TestSuite()
    for start, top, pattern in wanted["groups"]:
        loader = unittest.TestLoader()
        if wanted["tests"]:
            sys.path.insert(0, os.path.abspath(top))
        else:
            whole.addTests(loader.discover(start, pattern=pattern, top_level_dir=top))
    if wanted["tests"]:
        whole.addTests(unittest.TestLoader().loadTestsFromNames(wanted["tests"]))
    return whole


def main() -> int:
    """0 green, 1 red, 5 without a test, on every Python."""
    _REPORT.append(rows.Rows(rows.take()))
    wanted = json.loads(sys.argv[1])
    sys.argv = [sys.executable + " -m unittest"]
    # As `-m unittest` has it: the project's folder first, not the one of this file.
    sys.path[0] = os.getcwd()
    _REPORT[0].write("start", runner="unittest", version=sys.version.split()[0])
    suite = _suite(wanted)
    _REPORT[0].write("collected", count=suite.countTestCases())
    kind: Any = Result
    result = unittest.TextTestRunner(resultclass=kind, verbosity=1).run(suite)
    code = 5 if not result.testsRun else 0 if result.wasSuccessful() else 1
    if not result.testsRun and (result.errors or result.failures):
        code = 1
    _REPORT[0].write("end", exit=code)
    return code


if __name__ == "__main__":
    sys.exit(main())
