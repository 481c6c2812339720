"""Asks for tests of one function in the project's own convention, a test for each behaviour.

Does not cover whether they are any good: the checks and the mutants say that.
"""

from __future__ import annotations

from harness.reading.fenced import wrapped
from harness.road import readings
from harness.road.brief import Brief, calls_into, chat, rules
from harness.settings import Settings
from harness.source import symbols
from harness.types import Draft, Fault, Job, JobKind, Request

KINDS: tuple[JobKind, ...] = ("write-test",)
BY_MODEL = True
ORDER = 2

_NAME = "test-for"
_STYLES = {
    "unittest": "a `unittest.TestCase` class with three or four short test methods",
    "pytest": "three or four short pytest functions with `assert`",
}
_ASKED = ("a usual input", "a smallest input that works", "another branch of the code")


def request(brief: Brief, settings: Settings, number: int) -> Request | None:
    """The function and the request for its tests; None where the function is not known."""
    if not brief.symbol_source:
        return None
    raising = ["an input for which it raises"] if "raise " in brief.symbol_source else []
    cases = ", ".join([*_ASKED, *raising])
    return chat(
        brief,
        settings,
        number,
        rules(brief),
        calls_into(brief),
        f"{brief.job.path}:\n{wrapped(_shown(brief), 'python')}",
        f"Task: {brief.job.task.strip()}",
        _present(brief),
        f"Write {_STYLES[brief.conventions]}: {cases}. Each makes one call with short"
        " values and one assertion."
        " Follow the code above line by line to get each expected value."
        f" Import it with `{brief.import_line()}`. Reply with the tests alone, in one Python code"
        " block.",
    )


def _shown(brief: Brief) -> str:
    """The subject's source, under its class's first line and constructor where it is a method."""
    owner, _, _ = brief.job.subject.rpartition(".")
    found = symbols.find(brief.target(), owner) if owner else None
    made = symbols.find(brief.target(), f"{owner}.__init__") if found else None
    if found is None:
        return brief.symbol_source
    parts = [f"{found.signature}:"]
    parts += [symbols.source(brief.target(), made)] if made else []
    return "\n".join([*parts, brief.symbol_source])


def _present(brief: Brief) -> str:
    """Names of the tests that are there, so that others are written."""
    there = symbols.tests_that_call(brief.tests(), brief.job.subject)
    names = ", ".join(name.rsplit(".", 1)[-1] for name in there[:12])
    return f"There already, write others: {names}" if names else ""


def read(reply: str, brief: Brief) -> Draft | Fault:
    """The tests laid into the test file, under the import of the real module."""
    found = readings.code_of(reply)
    if isinstance(found, Fault):
        return found
    return readings.added_tests(found[0], brief, _NAME, found[1])


_SOURCE = "def half(x):\n    return x / 2\n"
_BRIEF = Brief(
    job=Job("write-test", "write a test for half", "half", "src/sums.py", "tests/test_sums.py"),
    files={"src/sums.py": _SOURCE},
    symbol_source=_SOURCE,
    test_file="tests/test_sums.py",
    module="src.sums",
    model="m",
)

EXAMPLES = (
    (
        _BRIEF,
        "```python\nimport unittest\nfrom your_module import half\n\n\n"
        "class TestHalf(unittest.TestCase):\n    def test_even(self):\n"
        "        self.assertEqual(half(4), 2)\n\n\n"
        'if __name__ == "__main__":\n    unittest.main()\n```',
        {
            "tests/test_sums.py": "import unittest\n\nfrom src.sums import half\n\n\n"
            "class TestHalf(unittest.TestCase):\n    def test_even(self):\n"
            "        self.assertEqual(half(4), 2)\n"
        },
    ),
)
