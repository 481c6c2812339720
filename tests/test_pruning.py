"""Pruning: drafted tests taken apart, so that one wrong assertion does not cost the right ones."""

from __future__ import annotations

from harness.source import pruning
from harness.types import Draft, Fault, SuiteReport, TestFailure

MANY = """import unittest


class TestA(unittest.TestCase):
    def test_a(self):
        \"\"\"Doubles.\"\"\"
        self.assertEqual(a(1), 2)
        # the smallest
        self.assertEqual(a(0), 0)
        with self.assertRaises(ValueError):
            a(None)

    def test_shared(self):
        box = [1]
        self.assertEqual(a(box), 2)
        self.assertEqual(box, [1])

    def test_steps(self):
        one = a(1)
        self.assertEqual(one, 2)
        two = a(2)
        self.assertEqual(two, 4)
"""


def names(text: str) -> list[str]:
    """Names of a text's tests, in order."""
    lines = [line.strip() for line in text.split("\n") if line.strip().startswith("def test")]
    return [line[4 : line.index("(")] for line in lines]


def report(*failing: str) -> SuiteReport:
    """A red report with these failures."""
    failures = tuple(TestFailure(test, "AssertionError: 1 != 2") for test in failing)
    return SuiteReport("red", (), "unittest", failures=failures)


def test_assertions_that_stand_alone_become_tests_of_their_own() -> None:
    """Each independent assertion is one test, with its comment and its preparation."""
    text = pruning.split(MANY)
    compile(text, "tests", "exec")
    assert names(text) == [
        "test_a",
        "test_a_2",
        "test_a_3",
        "test_shared",
        "test_steps",
        "test_steps_2",
    ]
    assert "        # the smallest\n        self.assertEqual(a(0), 0)\n" in text
    assert text.count("Doubles.") == 3


def test_assertions_that_share_what_was_prepared_stay_together() -> None:
    """A test whose second assertion looks at the first one's object is not taken apart."""
    text = pruning.split(MANY)
    assert "box = [1]\n        self.assertEqual(a(box), 2)\n        self.assertEqual(box" in text


def test_a_test_with_a_loop_or_a_decorator_stays_whole() -> None:
    """Where a statement is neither preparation nor assertion nothing is changed."""
    loop = "def test_a():\n    for x in (1, 2):\n        assert x\n    assert a(1)\n"
    marked = "@mark\ndef test_a():\n    assert a(1)\n    assert a(2)\n"
    assert pruning.split(loop) == loop
    assert pruning.split(marked) == marked
    assert pruning.split("def test_a(:\n") == "def test_a(:\n"


def test_only_the_drafts_own_failing_tests_go() -> None:
    """Of new tests the failing ones go, with a note; a failing test that was there stays."""
    old = "def test_old():\n    assert a(9) == 1\n"
    new = f"{old}\n\ndef test_good():\n    assert a(1) == 2\n\n\n"
    new += "def test_bad():\n    assert a(1) == 3\n"
    red = report("tests/test_a.py::test_bad", "tests/test_a.py::test_old")
    draft = pruning.pruned(Draft({"tests/test_a.py": new}, "test-for"), red, lambda path: old)
    assert isinstance(draft, Draft)
    assert names(draft.files["tests/test_a.py"]) == ["test_old", "test_good"]
    assert draft.notes == (
        "left test_bad out, it does not pass on the code: AssertionError: 1 != 2",
    )


def test_both_runners_names_are_understood() -> None:
    """unittest's dotted ids and pytest's ids with parameters name the same method."""
    text = (
        "class T(C):\n    def test_x(self):\n        a(1)\n\n    def test_y(self):\n        a(2)\n"
    )
    for name in ("tests.test_a.T.test_x", "tests/test_a.py::T::test_x", "t.py::T::test_x[1]"):
        draft = pruning.pruned(Draft({"t.py": text}, "d"), report(name), lambda path: None)
        assert isinstance(draft, Draft)
        assert names(draft.files["t.py"]) == ["test_y"]


def test_a_draft_without_a_passing_test_is_a_fault() -> None:
    """Where every new test fails, or the failure is elsewhere, there is nothing to keep."""
    text = "def test_x():\n    assert a(1)\n"
    for name in ("t.py::test_x", "other.py::test_z"):
        assert isinstance(
            pruning.pruned(Draft({"t.py": text}, "d"), report(name), lambda path: None), Fault
        )


def test_a_class_goes_with_its_last_test() -> None:
    """A neighbour stays as it was; a class that has no test left is no use."""
    text = "import x\n\n\nclass T(C):\n    def test_x(self):\n        a(1)\n\n"
    text += "    def test_y(self):\n        a(2)\n"
    assert names(pruning.without(text, ["T.test_x"])) == ["test_y"]
    assert pruning.without(text, ["T.test_x", "T.test_y"]) == "import x\n"
