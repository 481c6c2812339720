"""Refuses tests in a file of the implementation; they belong in a test file."""

from __future__ import annotations

import ast

from harness.road.moment import Moment, adding
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "test-inside-implementation"

_JOB = Job(
    "add-function",
    "add f(x) and a test",
    subject="f",
    path="a.py",
    test_path="tests/test_a.py",
    wants_test=True,
)


def check(moment: Moment) -> Refusal | None:
    """The test file is the way on; a test that stood there before is left alone."""
    for path, (before, after) in moment.changes.items():
        if path in moment.tests or path in moment.protected or not path.endswith(".py"):
            continue
        new = _tests(after) - _tests(before) - {moment.job.subject.rsplit(".", 1)[-1]}
        if new:
            place = moment.job.test_path or "tests/test_<module>.py"
            onward = f"first {path} without it; then\n"
            onward += adding(place, "<the test>", exists=place in moment.files)
            return Refusal(BY, f"{min(new)} is a test; it does not belong in {path}", onward)
    return None


def _tests(text: str | None) -> set[str]:
    """Names of test cases, and of test functions that assert, at a module's top level."""
    try:
        body = ast.parse(text or "").body
    except (SyntaxError, ValueError, RecursionError):
        return set()
    found = set()
    for node in body:
        if isinstance(node, ast.ClassDef):
            if any("TestCase" in ast.unparse(base) for base in node.bases):
                found.add(node.name)
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            asserts = any(isinstance(n, ast.Assert) for n in ast.walk(node))
            found |= {node.name} if asserts and not node.args.args else set()
    return found


ACCEPTED = (
    Moment(_JOB, Action("patch", {}), {"a.py": ("", "def f(x):\n    return x\n")}),
    Moment(
        _JOB, Action("patch", {}), {"a.py": ("", "def test_port(port):\n    return port > 0\n")}
    ),
    Moment(
        _JOB,
        Action("patch", {}),
        tests=frozenset({"tests/test_a.py"}),
        changes={"tests/test_a.py": ("", "def test_f():\n    assert f(1)\n")},
    ),
)
REFUSED = (
    Moment(
        _JOB,
        Action("patch", {}),
        {"a.py": ("", "def f(x):\n    return x\n\n\ndef test_f():\n    assert f(1) == 1\n")},
    ),
    Moment(
        _JOB,
        Action("patch", {}),
        {"a.py": ("", "import unittest\n\n\nclass F(unittest.TestCase):\n    pass\n")},
    ),
)
