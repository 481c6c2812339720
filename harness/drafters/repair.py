"""Asks once more after a draft that stopped with an error, with the facts of that run.

Does not cover wrong values: there a fresh draft does better than a repair.
"""

from __future__ import annotations

import re

from harness.reading.fenced import wrapped
from harness.road import readings
from harness.road.brief import Brief, calls_into, chat, tokens
from harness.settings import Settings
from harness.source import splice, symbols
from harness.types import Draft, Fault, Job, JobKind, Request

KINDS: tuple[JobKind, ...] = ("fix", "add-function", "write-test", "other")
BY_MODEL = True
ORDER = 8

_NAME = "repair"
_MAX = 2
_SMALL = 500
_FACTS = 900
_MENDABLE = re.compile(
    r"\b(?:NameError|SyntaxError|IndentationError|TabError|TypeError|ImportError|"
    r"ModuleNotFoundError|UnboundLocalError|AttributeError)\b|name '\w+' is not defined"
    r"|does not parse|uses undefined"
)


def request(brief: Brief, settings: Settings, number: int) -> Request | None:
    """The draft, what its run said, and the request; None for errors that repair seldom mends."""
    path = _file(brief)
    if number >= _MAX or not path or not _MENDABLE.search(brief.evidence):
        return None
    text = brief.files[path]
    shown, whole = _shown(brief, path, text)
    asked = "the whole file" if whole else f"`{brief.name()}`, whole"
    return chat(
        brief,
        settings,
        number,
        calls_into(brief),
        f"{path}:\n{wrapped(shown, 'python')}",
        f"Running it gave:\n{wrapped(_facts(brief.evidence))}",
        f"Task: {brief.job.task.strip()}",
        f"Write {asked} so that this error is gone, in one Python code block. Nothing else.",
    )


def _file(brief: Brief) -> str:
    """The file that the draft is about; empty if none is known."""
    path = brief.tests_path() if brief.job.kind == "write-test" else brief.job.path
    if path in brief.files:
        return path
    return next((p for p in brief.files if p.endswith(".py")), "")


def _shown(brief: Brief, path: str, text: str) -> tuple[str, bool]:
    """What is shown of the draft, and whether it is the whole file."""
    symbol = symbols.find(text, brief.job.subject) if brief.job.kind != "write-test" else None
    if symbol is None or tokens(text) <= _SMALL:
        return text, True
    return symbols.source(text, symbol), False


def _facts(evidence: str) -> str:
    """The end of what the run said, where the error stands."""
    text = evidence.strip()
    return text if len(text) <= _FACTS else "…" + text[-_FACTS:]


def read(reply: str, brief: Brief) -> Draft | Fault:
    """The file or the function of the reply in the place of the draft's."""
    path = _file(brief)
    found = readings.code_of(reply)
    if isinstance(found, Fault):
        return found
    code, rules = found
    before = brief.files.get(path, "")
    if not symbols.parses(before) and symbols.vanished(before, code):
        laid = splice.lay(before, code, owner=brief.job.subject.rpartition(".")[0])
        if isinstance(laid, Fault):
            return laid
        code = laid
    if code == before:
        return Fault("it is the draft that failed", "write it so that the error is gone", rules)
    return Draft({path: code}, _NAME, rules=rules)


_BROKEN = "def total(prices):\n    return math.fsum(prices)\n\n\ndef one():\n    return 1\n"
_BRIEF = Brief(
    job=Job("add-function", "add total(prices)", "total", "shop.py", signature="total(prices)"),
    files={"shop.py": _BROKEN},
    evidence="total([1])\nNameError: name 'math' is not defined",
    model="m",
)

EXAMPLES = (
    (
        _BRIEF,
        "```python\nimport math\n\n\ndef total(prices):\n    return math.fsum(prices)\n```",
        {"shop.py": "import math\n\n" + _BROKEN},
    ),
    (
        _BRIEF,
        f"```python\nimport math\n\n{_BROKEN}```",
        {"shop.py": "import math\n\n" + _BROKEN},
    ),
)
