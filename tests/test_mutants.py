"""Mutants: small changes of one function, and the grade of a set of tests by them."""

from __future__ import annotations

import ast

import pytest

from harness.trial import mutants
from harness.trial.mutants import Grade, Mutant
from harness.types import SuiteReport

CODE = '''"""Shop."""


def other(x):
    return x + 1


def price(count, each: int = 3, *, free=False):
    """Price of some; `a < b` in words is no code."""
    if count < 2 and not free:
        return count * each
    total = 0
    for i in range(count - 1):
        total += [each, 2][i % 2]
    print("total", total)
    if total is None or "é" in str(total):
        raise ValueError("no total")
    return total
'''


def report(status: str) -> SuiteReport:
    """A suite's report of one status."""
    return SuiteReport(status, (), "unittest")  # type: ignore[arg-type]


def test_every_mutant_parses_and_changes_the_program() -> None:
    """A mutant is a program of its own: it parses, and its tree is not the tree of the code."""
    found = mutants.of(CODE, "price", 100)
    assert len(found) > 15
    before = ast.dump(ast.parse(CODE))
    assert all(ast.dump(ast.parse(m.text)) != before for m in found)


def test_a_mutant_changes_one_place_and_keeps_every_other_byte() -> None:
    """Outside the one edit the text stays, comments and spacing included."""
    for mutant in mutants.of(CODE, "price", 100):
        same = sum(a == b for a, b in zip(CODE, mutant.text, strict=False))
        head = next(i for i, (a, b) in enumerate(zip(CODE, mutant.text, strict=False)) if a != b)
        assert same >= head
        assert CODE.split("\n")[mutant.line - 1] not in (
            [] if "left out" in mutant.what else [mutant.text.split("\n")[mutant.line - 1]]
        )


def test_only_the_named_function_is_changed() -> None:
    """Code outside the subject, its docstring, annotations, prints and raises are left alone."""
    found = mutants.of(CODE, "price", 100)
    lines = {m.line for m in found}
    assert lines <= set(range(8, 19))
    assert 15 not in lines
    assert not any(m.what.startswith(('`"no total"`', "`int`")) for m in found)
    assert all(
        m.text.startswith('"""Shop."""\n\n\ndef other(x):\n    return x + 1\n') for m in found
    )


@pytest.mark.parametrize(
    "what",
    [
        "`<` becomes `<=`",
        "`and` becomes `or`",
        "`not` is removed",
        "`*` becomes `+`",
        "`2` becomes `3`",
        "`False` becomes `True`",
        "`is` becomes `is not`",
        "`return total` becomes `return None`",
        "`count - 1` becomes `(count - 1) - 1`",
    ],
)
def test_each_kind_of_change_is_made(what: str) -> None:
    """Comparison, boolean, arithmetic, constant, negation, bounds and return are all changed."""
    assert what in {m.what for m in mutants.of(CODE, "price", 100)}


def test_a_limit_spreads_over_the_lines() -> None:
    """With fewer mutants than lines, no line gets two, and the choice is the same each time."""
    found = mutants.of(CODE, "price", 6)
    assert len(found) == 6
    assert len({m.line for m in found}) == 6
    assert found == mutants.of(CODE, "price", 6)


def test_a_method_and_an_unknown_name() -> None:
    """A qualified name finds the method alone; an unknown one, or broken code, has no mutants."""
    text = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    assert {m.line for m in mutants.of(text, "A.g")} == {6}
    assert mutants.of(text, "A.h") == ()
    assert mutants.of("def f(:\n", "f") == ()


def test_arguments_of_max_are_not_swapped() -> None:
    """A change that leaves the behaviour as it was says nothing of a test."""
    text = "def f(a, b):\n    return g(max(a, b), b)\n"
    assert [m.what for m in mutants.of(text, "f") if "swap" in m.what] == [
        "the arguments `max(a, b)` and `b` swap"
    ]


def test_an_edit_that_changes_no_program_is_no_mutant() -> None:
    """Two equal arguments that change places leave the same program."""
    text = "def f(a):\n    return g(a, a)\n"
    assert [m.what for m in mutants.of(text, "f")] == ["`return g(a, a)` becomes `return None`"]


def test_a_grade_counts_what_is_noticed() -> None:
    """Red, crashed and never-ending runs kill; green ones, and runs without a test, do not."""
    tried = tuple(Mutant(n, f"change {n}", str(n)) for n in range(1, 6))
    told = dict(
        zip("12345", ("green", "red", "timeout", "no-tests", "not-importable"), strict=True)
    )
    grade = mutants.graded(lambda text: report(told[text]), tried)
    assert (grade.killed, grade.survived, grade.total) == (3, 2, 5)
    assert [m.line for m in grade.survivors] == [1, 4]
    assert str(grade) == "kills 3 of 5; not noticed: line 1, change 1; line 4, change 4"


def test_a_grade_stops_when_its_time_is_over() -> None:
    """No further mutant is begun after the seconds given, and the total says how many were."""
    tried = tuple(Mutant(n, "change", str(n)) for n in range(5))
    assert mutants.graded(lambda text: report("red"), tried, seconds=-1) == Grade(0, 0, 0, ())


def test_real_tests_are_graded_by_real_runs() -> None:
    """A careful test kills more mutants than a careless one; an idle one kills none."""

    def run(check: str) -> Grade:
        def suite(text: str) -> SuiteReport:
            names: dict[str, object] = {}
            try:
                exec(text + "\n" + check, names)
            except Exception:
                return report("red")
            return report("green")

        code = "def clip(x, top):\n    if x > top:\n        return top\n    return x\n"
        return mutants.graded(suite, mutants.of(code, "clip"))

    careful = run("assert (clip(1, 2), clip(2, 2), clip(3, 2)) == (1, 2, 2)")
    careless = run("assert clip(1, 2) == 1")
    idle = run("clip(1, 2)")
    assert careful.killed > careless.killed > idle.killed == 0
