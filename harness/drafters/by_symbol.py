"""Asks for one function or class and exchanges just that span; every other byte of the file stays.

Does not cover whole files (`whole_file`) nor a repair after a failure (`repair`).
"""

from __future__ import annotations

from harness.reading.fenced import wrapped
from harness.road.brief import Brief, calls_into, chat, rules, signature_line, tokens
from harness.road.readings import definition
from harness.settings import Settings
from harness.source import symbols
from harness.types import Draft, Fault, Job, JobKind, Request

KINDS: tuple[JobKind, ...] = ("fix", "add-function", "other")
BY_MODEL = True
ORDER = 2

_NAME = "by-symbol"
_SHOWN_WHOLE = 1200
_OUTLINE = 40


def request(brief: Brief, settings: Settings, number: int) -> Request | None:
    """Small ordered context, the request last; None where the subject is not known."""
    if brief.job.kind != "add-function":
        return _fix(brief, settings, number) if brief.symbol_source else None
    return _add(brief, settings, number) if brief.job.subject else None


def _fix(brief: Brief, settings: Settings, number: int) -> Request:
    """The function, what it calls, what fails, and the request for the function alone."""
    failing = f"This fails:\n{wrapped(brief.evidence)}" if brief.evidence else ""
    changed = "corrected" if brief.job.kind == "fix" else "changed"
    return chat(
        brief,
        settings,
        number,
        rules(brief),
        calls_into(brief),
        failing,
        f"From {brief.job.path}:\n{wrapped(brief.symbol_source, 'python')}",
        f"Task: {brief.job.task.strip()}",
        f"Write the {changed} `{brief.name()}`, whole, in one Python code block. Nothing else.",
    )


def _add(brief: Brief, settings: Settings, number: int) -> Request:
    """The file, and the request for the new definition alone."""
    line = signature_line(brief)
    like = f" It starts with `{line}:`." if line else ""
    test = " Then its test in a second code block." if brief.job.wants_test else ""
    return chat(
        brief,
        settings,
        number,
        rules(brief),
        _surroundings(brief),
        f"Task: {brief.job.task.strip()}",
        f"Write only the new `{brief.name()}` in one Python code block, with the imports that it"
        f" needs.{like}{test}",
    )


def _surroundings(brief: Brief) -> str:
    """The file it goes into: whole if small, else one line for each definition."""
    text = brief.target()
    if not text.strip():
        return ""
    if tokens(text) <= _SHOWN_WHOLE:
        return f"{brief.job.path}:\n{wrapped(text, 'python')}"
    lines = [s.signature for s in symbols.outline(text)][:_OUTLINE]
    return f"{brief.job.path} defines:\n" + "\n".join(lines)


def read(reply: str, brief: Brief) -> Draft | Fault:
    """The definition laid over the old one, or put in; its test goes to the test file."""
    return definition(reply, brief, _NAME)


_SHOP = (
    '"""Sums."""\n\n\ndef total(prices):\n    return sum(prices) + 1\n\n\n'
    "def first(prices):\n    return prices[0]\n"
)
_FIX = Brief(
    job=Job("fix", "total is one too high", "total", "shop.py", failing=("test_shop.py::test_t",)),
    files={"shop.py": _SHOP},
    symbol_source="def total(prices):\n    return sum(prices) + 1\n",
    evidence="assert total([1, 2]) == 3\nE  assert 4 == 3",
    model="m",
)
_ADD = Brief(
    job=Job("add-function", "add mean(prices)", "mean", "shop.py", signature="mean(prices)"),
    files={"shop.py": _SHOP},
    model="m",
)

EXAMPLES = (
    (
        _FIX,
        "The corrected function:\n\n```python\ndef total(prices):\n    return sum(prices)\n```\n",
        {"shop.py": _SHOP.replace(" + 1", "")},
    ),
    (
        _ADD,
        "```python\nfrom statistics import fmean\n\ndef mean(prices):\n"
        "    return fmean(prices)\n```",
        {
            "shop.py": _SHOP.replace(
                '"""Sums."""\n', '"""Sums."""\n\nfrom statistics import fmean\n'
            )
            + "\n\ndef mean(prices):\n    return fmean(prices)\n"
        },
    ),
)
