"""Asks what is wrong, in a sentence, and then for the function, given a failing test's values.

Does not cover a fix without a failing test (`by_symbol`).
"""

from __future__ import annotations

from harness.reading.fenced import wrapped
from harness.road import readings
from harness.road.brief import Brief, calls_into, chat
from harness.settings import Settings
from harness.types import Draft, Fault, Job, JobKind, Request

KINDS: tuple[JobKind, ...] = ("fix",)
BY_MODEL = True
ORDER = 3

_NAME = "in-words"


def request(brief: Brief, settings: Settings, number: int) -> Request | None:
    """The function and the failing test; None where either is not known."""
    if not brief.symbol_source or not brief.evidence.strip():
        return None
    return chat(
        brief,
        settings,
        number,
        f"{brief.job.task.strip()}",
        f"This function is wrong:\n{wrapped(brief.symbol_source, 'python')}",
        calls_into(brief),
        f"A test shows it:\n{wrapped(brief.evidence)}",
        "Say in one sentence which line is wrong and what value it gives in this test. Then write"
        f" the whole corrected `{brief.name()}` in one Python code block.",
    )


def read(reply: str, brief: Brief) -> Draft | Fault:
    """The definition of the reply in the place of the old one."""
    return readings.definition(reply, brief, _NAME)


_TEXT = "def last(items):\n    return items[len(items)]\n"
_BRIEF = Brief(
    job=Job("fix", "last raises IndexError", "last", "lists.py", error="IndexError"),
    files={"lists.py": _TEXT},
    symbol_source=_TEXT,
    evidence="assert last([1, 2]) == 2\nE  IndexError: list index out of range",
    model="m",
)

EXAMPLES = (
    (
        _BRIEF,
        "The index is one too large: it gives 2 for a list of two.\n\n"
        "```python\ndef last(items):\n    return items[len(items) - 1]\n```",
        {"lists.py": "def last(items):\n    return items[len(items) - 1]\n"},
    ),
)
