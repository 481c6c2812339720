"""Owns how much of a file, or of a suite's report, a model is shown, and in what form.

Does not cover which file is shown when (`actions`, `loop`).
"""

from __future__ import annotations

import re

from harness.normal import bounded
from harness.source import symbols
from harness.source.symbols import Symbol
from harness.types import SuiteReport, TestFailure

WHOLE = 12_000
"""Characters up to which a file is shown whole."""
HEAD, TAIL = 3_500, 800
"""Characters of a longer file's start and end."""
RESULT = 1_200
"""Characters of any other result."""

_RANGE = re.compile(r"(\d+)\s*(?:-|–|:|,|to|\.\.+)?\s*(\d+)?")


def numbers(asked: str) -> tuple[int, int]:
    """First and last line that a text such as `10-20` asks for; (0, 0) where it asks for none."""
    if (found := _RANGE.search(asked)) is None:
        return 0, 0
    first = int(found[1])
    return first, int(found[2]) if found[2] else first + 60


def of_lines(text: str, first: int, last: int) -> str:
    """Those lines as they stand, bounded, with their numbers said once above them."""
    lines = text.splitlines()
    first, last = max(1, first), min(max(first, last), len(lines))
    if first > len(lines):
        return f"there are only {len(lines)} lines"
    return f"lines {first} to {last} of {len(lines)}:\n" + bounded(
        "\n".join(lines[first - 1 : last]), WHOLE
    )


def of_file(text: str, outline: tuple[Symbol, ...] = ()) -> str:
    """The whole of a short text; of a long one its start, its outline and its end."""
    if not text.strip():
        return "(the file is empty)"
    if len(text) <= WHOLE:
        return text.rstrip("\n")
    gap = f"… {len(text) - HEAD - TAIL} characters left out; ask for Lines or a Symbol …"
    listed = bounded("\n".join(signature(s) for s in outline), 2 * RESULT)
    parts = [text[:HEAD].rstrip(), gap, listed, text[-TAIL:].strip()]
    return "\n".join(part for part in parts if part)


def of_symbol(text: str, symbol: Symbol, limit: int = WHOLE) -> str:
    """A definition's own lines."""
    return bounded(symbols.source(text, symbol).rstrip("\n"), limit)


def signature(symbol: Symbol) -> str:
    """A definition in one line, methods indented under their class."""
    indent = "    " * symbol.qualname.count(".")
    return f"{indent}{symbol.line}: {symbol.signature or symbol.name}"[:160]


def colour(report: SuiteReport) -> str:
    """A suite's result in a few words."""
    if report.status == "no-suite":
        return "the project has no tests"
    if report.status == "no-tests":
        return "no test ran; that is no proof"
    if report.status == "green":
        return f"green: {report.passed} passed"
    if report.status == "red":
        return f"red: {report.failed} failed, {report.passed} passed"
    return {
        "not-importable": "red: a test file does not import",
        "timeout": "the tests did not end in time",
        "crashed": "the test run crashed",
    }[report.status]


def in_short(report: SuiteReport) -> str:
    """A suite's result in one line: how it stands, and the first failure with its error."""
    first = f"; first: {one_failure(report.failures[0])}" if report.failures else ""
    return f"{colour(report)}{first}"


def of_suite(report: SuiteReport, limit: int = RESULT) -> str:
    """A suite's result with its failing tests and the first one's traceback, bounded."""
    lines = [f"The tests are {colour(report)}."]
    lines += [one_failure(failure) for failure in report.failures[:5]]
    if len(report.failures) > 5:
        lines.append(f"and {len(report.failures) - 5} more")
    head = bounded("\n".join(lines), limit * 2 // 3)
    detail = report.failures[0].detail if report.failures else ""
    if not detail and report.status in ("crashed", "timeout", "not-importable"):
        detail = report.output
    room = limit - len(head) - 2
    return f"{head}\n\n{bounded(detail.strip(), room)}" if detail.strip() and room > 120 else head


def one_failure(failure: TestFailure) -> str:
    """A failing test in one line: its id, its error, where it was raised."""
    place = f" ({failure.path}:{failure.line})" if failure.path and failure.line else ""
    return f"- {failure.test}: {failure.error}{place}"[:300]
