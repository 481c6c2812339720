"""Refuses the end of a job that nothing shows to be done: by the tests, or by a quoted line."""

from __future__ import annotations

import re

from harness.road.moment import Moment, replacing
from harness.source import scope
from harness.types import Action, Job, Refusal, SuiteReport, SuiteStatus, TestFailure

STAGE = "done"
BY = "not-proven"
QUOTED = 12
"""Characters that a quoted line has at least."""
_NAME = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b|\b[A-Za-z]\w*_\w+\b")
_EMPTY_WORDS = re.compile(r"^(import |from |if __name__|return$|else:|try:|pass$|\"\"\"|#)")

_TEXT = {"a.py": "def net_total(prices):\n    return sum(prices) - discount(prices)\n"}
_FIX = Job("fix", "mend net_total", subject="net_total", path="a.py")
_SAME = Action("done", {"Summary": "nothing to do: `return sum(prices) - discount(prices)`"})
_CHANGE = {"a.py": ("x = 1\n", "x = 2\n")}


def check(moment: Moment) -> Refusal | None:
    """Running, changing or quoting something is the way on."""
    if moment.job.kind == "ask":
        return None
    if not moment.changes:
        return _unchanged(moment)
    if moment.job.kind == "fix":
        return _fixed(moment)
    if moment.job.kind == "write-test" or moment.job.wants_test:
        return _tested(moment)
    return None


def _unchanged(moment: Moment) -> Refusal | None:
    """Nothing was changed: a line of the code must show that nothing need be."""
    suite = moment.suite or moment.suite_before
    if suite is not None and suite.status == "red" and moment.job.kind == "fix":
        failing = suite.failures[0].test if suite.failures else "a test"
        return Refusal(BY, f"nothing was changed and {failing} fails", moment.onward())
    names = {n.rsplit(".", 1)[-1] for n in _names(moment.job)}
    summary, everything = moment.action.fields.get("Summary", ""), "\n".join(moment.texts.values())
    if all(n in everything for n in names) and any(
        _quotes(summary, text) for text in moment.texts.values()
    ):
        return None
    reason = "no file was changed, and no line of the code was quoted that shows why"
    return Refusal(BY, reason, moment.onward())


def _names(job: Job) -> set[str]:
    """Names of code in the task: those with a dot or an underscore, and the subject."""
    words = {w for w in _NAME.findall(job.task) if w not in job.files and not _is_path(w)}
    return words | ({job.subject} if job.subject else set())


def _is_path(word: str) -> bool:
    """Whether a dotted word is a file's name."""
    return word.endswith((".py", ".md", ".toml", ".cfg", ".ini", ".json", ".txt", ".yaml", ".yml"))


def _quotes(summary: str, text: str) -> bool:
    """Whether a summary holds a line of a text that says something."""
    said = " ".join(summary.replace("`", " ").split())
    for line in text.splitlines():
        line = " ".join(line.replace("`", " ").split())
        if len(line) >= QUOTED and not _EMPTY_WORDS.match(line) and line in said:
            return True
    return False


def _fixed(moment: Moment) -> Refusal | None:
    """A fix: the named tests pass, the undefined name is gone, what failed for it passes."""
    job = moment.job
    for path, (_, after) in moment.changes.items():
        named = job.error in ("NameError", "UnboundLocalError") and path.endswith(".py")
        if left := scope.undefined(after or "") if named else ():
            reason = f"{left[0].name} in {path}, line {left[0].line}, is still defined nowhere"
            return Refusal(BY, reason, replacing(path))
    suite = moment.suite
    if suite is None or suite.status in ("no-suite", "no-tests", "green"):
        return None
    if moment.named_now is not None and moment.named_now.green and job.failing:
        return None
    for failure in suite.failures:
        if _concerns(failure, moment):
            reason = f"{failure.test} still fails: {failure.error}"
            return Refusal(BY, reason, moment.onward())
    return None


def _concerns(failure: TestFailure, moment: Moment) -> bool:
    """Whether a failing test is one of the job's, or touches what was changed."""
    job = moment.job
    if job.failing:
        last = {t.replace("::", ".").rsplit(".", 1)[-1] for t in job.failing}
        return failure.test.replace("::", ".").rsplit(".", 1)[-1] in last
    told = f"{failure.detail}\n{failure.path}\n{failure.error}"
    subject = job.subject.rsplit(".", 1)[-1]
    return any(path in told for path in moment.changes) or bool(subject and subject in told)


def _tested(moment: Moment) -> Refusal | None:
    """A test that was asked for has run."""
    suite = moment.suite
    if suite is None or suite.status in ("no-suite", "no-tests"):
        return Refusal(BY, "no test ran, so the new one is no proof", "Action: test")
    return None


def _suite(*failing: str) -> SuiteReport:
    """A report for the moments below."""
    failures = tuple(TestFailure(n, "AssertionError: 1 != 2", "a.py", 2) for n in failing)
    status: SuiteStatus = "red" if failing else "green"
    return SuiteReport(status, ("pytest",), "pytest", 3, 3 - len(failing), failures=failures)


ACCEPTED = (
    Moment(_FIX, _SAME, texts=_TEXT, suite_now=_suite()),
    Moment(_FIX, _SAME, _CHANGE, suite_before=_suite("t::a"), suite_now=_suite()),
    Moment(Job("fix", "mend it", failing=("t::a",)), _SAME, _CHANGE, suite_now=_suite("t::b")),
    Moment(Job("ask", "what is it?"), _SAME),
    Moment(Job("write-test", "test net_total"), _SAME, _CHANGE, suite_now=_suite()),
)
REFUSED = (
    Moment(_FIX, Action("done", {"Summary": "It was fixed."}), texts=_TEXT),
    Moment(
        _FIX,
        Action("done", {"Summary": "`if __name__ == '__main__':`"}),
        texts={"a.py": "if __name__ == '__main__':\n    net_total()\n"},
    ),
    Moment(Job("other", "set app.max_items"), _SAME, texts=_TEXT),
    Moment(_FIX, _SAME, texts=_TEXT, suite_now=_suite("t::a")),
    Moment(_FIX, _SAME, _CHANGE, suite_before=_suite("t::a"), suite_now=_suite("t::a")),
    Moment(
        Job("fix", "mend the NameError", error="NameError"),
        _SAME,
        {"a.py": ("x = totl\n", "x = totle\n")},
    ),
    Moment(Job("write-test", "test net_total"), _SAME, _CHANGE),
)
