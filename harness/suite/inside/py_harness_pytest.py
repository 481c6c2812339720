"""Owns what pytest tells of a run: a plugin that writes every result as a row while it goes on.

Does not cover the exit code, which the caller sees. Runs on Python 3.8 and pytest 6 and newer.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Generator
from typing import Any

import py_harness_rows as rows  # type: ignore[import-not-found]
import pytest

_STATE: dict[str, str] = {"report": rows.take()}
_VALUE: dict[str, Any] = {"action": "append", "nargs": "?"}
_FLAG: dict[str, Any] = {"action": "store_true"}
# Options of plugins that a project's settings often name; without them, where the plugin is not
# installed, pytest would run nothing at all.
_OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "pytest_cov": {
        **dict.fromkeys(("--cov", "--cov-report", "--cov-config", "--cov-fail-under"), _VALUE),
        **dict.fromkeys(("--no-cov", "--cov-append", "--cov-branch", "--no-cov-on-fail"), _FLAG),
    },
    "xdist": dict.fromkeys(("-n", "--numprocesses", "--dist", "--maxprocesses"), _VALUE),
    "pytest_timeout": dict.fromkeys(("--timeout", "--timeout-method"), _VALUE),
    "pytest_asyncio": {"--asyncio-mode": _VALUE},
    "pytest_rerunfailures": dict.fromkeys(("--reruns", "--reruns-delay"), _VALUE),
    "pytest_html": {"--html": _VALUE, "--self-contained-html": _FLAG},
    "pytest_randomly": {"--randomly-seed": _VALUE},
    "pytest_socket": {"--disable-socket": _FLAG, "--allow-unix-socket": _FLAG},
    "pytest_benchmark": dict.fromkeys(
        ("--benchmark-skip", "--benchmark-disable", "--benchmark-only"), _FLAG
    ),
}


class Reporter:
    """Writes one session's rows; registered for the outermost session alone."""

    def __init__(self, path: str) -> None:
        self._rows = rows.Rows(path)
        self._rows.write("start", runner="pytest", version=pytest.__version__)

    def pytest_collection_finish(self, session: Any) -> None:
        """All ids, before the first test runs."""
        self._rows.write("collected", tests=[item.nodeid for item in session.items])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Which test is running: the one to name if the process ends here."""
        self._rows.write("running", test=nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        """A module that did not import, or that skipped itself whole."""
        if report.outcome != "passed":
            self._result(report, importing=True)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """The call of each test, and a set-up or tear-down that did not pass."""
        if report.when == "call" or report.outcome != "passed":
            self._result(report, importing=False)

    def pytest_sessionfinish(self, exitstatus: Any) -> None:
        """It came to its end by itself."""
        self._rows.write("end", exit=int(exitstatus))

    def _result(self, report: Any, importing: bool) -> None:
        outcome = report.outcome
        if hasattr(report, "wasxfail"):
            outcome = {"skipped": "xfailed", "passed": "xpassed"}.get(outcome, outcome)
        told = getattr(report, "py_harness", None) or {"error": "", "frames": [], "values": ""}
        detail = str(getattr(report, "longreprtext", "")) if outcome == "failed" else ""
        self._rows.write(
            "result",
            test=report.nodeid,
            outcome=outcome,
            importing=importing,
            part=_part(report),
            detail=detail[-20000:],
            **told,
        )


def _part(report: Any) -> str:
    """Which subtest a report is about, or which stage beside the call."""
    context = getattr(report, "context", None)
    if context is not None and hasattr(context, "kwargs"):
        said = [repr(context.msg)] if context.msg is not None else []
        return (
            "(" + ", ".join([*said, *(f"{k}={_shown(v)}" for k, v in context.kwargs.items())]) + ")"
        )
    when = getattr(report, "when", None)
    return when if when in ("setup", "teardown") else ""


def _shown(value: Any) -> str:
    """A subtest's parameter; newer pytest has made a text of it already."""
    return value if isinstance(value, str) else repr(value)


def pytest_addoption(parser: Any) -> None:
    """Accept, and take no notice of, options of plugins that are not there."""
    group = parser.getgroup("py-harness", "options of plugins that are not installed")
    for module, options in _OPTIONS.items():
        if importlib.util.find_spec(module) is not None:
            continue
        for name, how in options.items():
            try:
                group._addoption(name, dest="py_harness_" + name.strip("-"), **how)
            except ValueError:
                continue


def pytest_configure(config: Any) -> None:
    """Report the outermost session, in its controlling process; inner ones are the project's."""
    path = _STATE.pop("report", "")
    if path and not os.environ.get("PYTEST_XDIST_WORKER"):
        config.pluginmanager.register(Reporter(path), "py_harness_reporter")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Generator[None, Any, None]:
    """Hang the frames and values of a failure on its report; they travel with it."""
    outcome = yield
    report = outcome.get_result()
    if report.outcome == "failed" and call.excinfo is not None:
        report.py_harness = rows.about(call.excinfo.value, call.excinfo.tb)


def pytest_exception_interact(node: Any, call: Any, report: Any) -> None:
    """The same for a module that did not import; pytest wraps what was raised there."""
    if isinstance(report, pytest.CollectReport) and call.excinfo is not None:
        error = call.excinfo.value
        error = error.__cause__ or error
        report.py_harness = rows.about(error, error.__traceback__)  # type: ignore[attr-defined]
