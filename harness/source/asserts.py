"""Owns what a test file's text shows of its tests unrun: which there are and what each asserts.

Does not cover what they call (`testcalls`), whether they pass (`oracle`) or notice a fault
(`mutants`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef

_ASSERTING = re.compile(
    r"^(assert|fail|raises|warns|check|verify|expect|approx_equal)", re.IGNORECASE
)


@dataclass(frozen=True)
class TestShape:
    """One test function or method, unrun."""

    __test__ = False
    name: str
    """Its own name."""
    line: int
    """1-based."""
    asserts: int
    """Assertions that could fail."""
    idle: int
    """Assertions that cannot, such as `assert True`."""
    code: str
    """Its tree in one text, to tell whether it was changed."""


def shapes(text: str) -> tuple[TestShape, ...]:
    """Every test in a file's text, in order; empty where it does not parse."""
    found = []
    for node in _functions(text):
        if node.name.startswith("test"):
            checks = list(_assertions(node))
            idle = sum(1 for check in checks if _cannot_fail(check))
            found.append(
                TestShape(node.name, node.lineno, len(checks) - idle, idle, ast.dump(node))
            )
    return tuple(found)


def _functions(text: str) -> Iterator[Function]:
    """Functions and methods of a text, none where it does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _assertions(function: Function) -> Iterator[ast.Assert | ast.Call]:
    """Assert statements and calls that assert."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            yield node
        elif isinstance(node, ast.Call):
            target = node.func
            name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
            if _ASSERTING.match(name.lstrip("_")):
                yield node


def _cannot_fail(check: ast.Assert | ast.Call) -> bool:
    """Whether an assertion holds whatever the code does: constants, or a thing and itself."""
    if isinstance(check, ast.Assert):
        tested: ast.expr = check.test
        if isinstance(tested, ast.Compare) and len(tested.ops) == 1:
            return _alike([tested.left, tested.comparators[0]])
        return isinstance(tested, ast.Constant) and bool(tested.value)
    name = getattr(check.func, "attr", "")
    if name == "assertTrue":
        return bool(check.args) and isinstance(check.args[0], ast.Constant)
    return name in ("assertEqual", "assertIs", "assertEquals") and _alike(check.args[:2])


def _alike(sides: list[ast.expr]) -> bool:
    """Whether both sides are the same, or both are constants."""
    if len(sides) != 2:
        return False
    constants = all(isinstance(side, ast.Constant) for side in sides)
    return constants or (
        ast.dump(sides[0]) == ast.dump(sides[1]) and not any(map(_has_call, sides))
    )


def _has_call(node: ast.expr) -> bool:
    """Whether an expression calls something, so that two of the same may differ."""
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))
