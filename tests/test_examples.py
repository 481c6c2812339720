"""The person's own examples: which words are one, and what becomes of them when they are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.suite.oracle import Oracle
from harness.tree.scratch import Scratch
from harness.trial import examples


@pytest.mark.parametrize(
    ("task", "found"),
    [
        ("half(4) should be 2", [("half(4)", "2")]),
        ("half(4) is 2, and half(5) gives 2.5.", [("half(4)", "2"), ("half(5)", "2.5")]),
        ("`half([1, 2])` returns `[0.5, 1.0]`", [("half([1, 2])", "[0.5, 1.0]")]),
        ("half('a') == 'b'", [("half('a')", "'b'")]),
        ("add half(value), which halves", []),
        ("half(4) should be quick", []),
        ("half(x) gives 3", []),
        ("", []),
    ],
)
def test_only_a_call_with_a_literal_result_is_an_example(
    task: str, found: list[tuple[str, str]]
) -> None:
    """A signature, a vague wish or a call with names in it is no example."""
    assert [(e.call, e.expected) for e in examples.in_task(task, "half")] == found


def test_examples_are_carried_out(tmp_path: Path) -> None:
    """Each example is run in the throw-away copy; a miss says what came out, also an exception."""
    (tmp_path / "parts.py").write_text("def half(x):\n    return x / 2\n", encoding="utf-8")
    (tmp_path / "test_parts.py").write_text("", encoding="utf-8")
    wanted = examples.in_task("half(4) is 2.0; half(5) is 2; half('a') is 1", "half")
    with Scratch(tmp_path) as scratch:
        told = examples.run(wanted, "parts", "half", Oracle(tmp_path), scratch)
    assert [o.holds for o in told] == [True, False, False]
    assert str(told[1]) == "half(5) should give 2, got 2.5"
    assert "TypeError" in told[2].got
