"""Writes a test from what the code does now, without a model; the test says so itself.

Does not cover what the code should do: nothing here comes from a specification.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.road.brief import Brief, tests_place
from harness.road.desk import Desk
from harness.source import splice_tests, symbols
from harness.trial import behaviour, mutants
from harness.trial.behaviour import Outcome
from harness.types import Draft, Fault, Job, JobKind

KINDS: tuple[JobKind, ...] = ("write-test",)
BY_MODEL = False
ORDER = 99

_NAME = "characterisation"
_MAX_CASES = 4
_MAX_MUTANTS = 12
_MAX_VALUE = 160
_OFTEN_RAISED = frozenset({"ValueError", "TypeError", "KeyError", "IndexError", "LookupError",
                           "ZeroDivisionError", "OverflowError"})  # fmt: skip
_SAYS = "Characterisation: records what {name} does now; not derived from a specification."


@dataclass(frozen=True)
class Case:
    """One call whose outcome a test can spell."""

    given: str
    """Arguments as they stand between the brackets."""
    outcome: Outcome
    killed: frozenset[int]
    """Numbers of the mutants that give something else here."""


def write(brief: Brief, desk: Desk, tree: Path) -> Draft | Fault:
    """A test of the subject in the project's convention; a Fault where nothing can be recorded.

    The subject is called in the throw-away copy `tree`; it and its mutants run bounded.
    """
    subject, text = brief.job.subject, brief.target()
    given = behaviour.inputs(text, subject, brief.job.task)
    if not subject or not given:
        return _none(f"no function {subject or 'that the task names'} to call")
    small = mutants.of(text, subject, _MAX_MUTANTS)
    module = brief.dotted()
    seen = behaviour.watch(
        desk.oracle, tree, module, subject, given, variants=[m.text for m in small], lines=True
    )
    if seen.reason:
        return _none(f"{subject} cannot be called: {seen.reason}")
    again = behaviour.watch(desk.oracle, tree, module, subject, given)
    steady = [a.normal == b.normal for a, b in zip(seen.outcomes, again.outcomes, strict=False)]
    cases = _chosen(_cases(given, seen, steady))
    if not cases:
        return _none(f"no call of {subject} gives a value that a test can spell")
    laid = splice_tests.lay(brief.tests(), source(brief, cases), tests_place(brief))
    if isinstance(laid, Fault):
        return laid
    note = f"the test records what {subject} does now; no model and no specification is behind it"
    return Draft({brief.tests_path(): laid}, _NAME, notes=(note,), by_model=False)


def _none(why: str) -> Fault:
    """Nothing can be recorded."""
    return Fault(f"no characterisation: {why}", "say what it should give for which input")


def _cases(given: Sequence[str], seen: behaviour.Seen, steady: Sequence[bool]) -> tuple[Case, ...]:
    """Calls whose outcome is the same in two processes and can be spelled in a test."""
    found = []
    for at, (call, outcome) in enumerate(zip(given, seen.outcomes, strict=True)):
        if at < len(steady) and steady[at] and _spellable(call, outcome):
            differ = (n for n, v in enumerate(seen.variants) if v and v[at] != outcome.normal)
            found.append(Case(call, outcome, frozenset(differ)))
    return tuple(found)


def _spellable(call: str, outcome: Outcome) -> bool:
    """Whether a test can hold the call and its outcome as literals."""
    if len(call) > _MAX_VALUE or not _literal_arguments(call):
        return False
    if outcome.kind == "raises":
        return outcome.own and outcome.type in _OFTEN_RAISED
    if outcome.kind != "returns" or not outcome.shown or outcome.mutates:
        return False
    nested = outcome.type in ("list", "tuple", "dict", "set")
    return len(outcome.shown) <= _MAX_VALUE and not (nested and _has_fraction(outcome.shown))


def _literal_arguments(call: str) -> bool:
    """Whether all arguments are literals."""
    tree = ast.parse(f"f({call})", mode="eval").body
    if not isinstance(tree, ast.Call):
        return False
    try:
        for value in [*tree.args, *(k.value for k in tree.keywords)]:
            ast.literal_eval(value)
    except ValueError:
        return False
    return True


def _has_fraction(shown: str) -> bool:
    """Whether a literal holds a float that is not whole."""
    constants = (n.value for n in ast.walk(ast.parse(shown)) if isinstance(n, ast.Constant))
    return any(isinstance(v, float) and not v.is_integer() for v in constants)


def _chosen(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Few cases that together tell apart the most mutants, then run the most lines."""
    left, chosen = list(cases), list[Case]()
    killed, lines = set[int](), set[int]()
    while left and len(chosen) < _MAX_CASES:
        best = max(left, key=lambda c: (len(c.killed - killed), len(set(c.outcome.lines) - lines)))
        news = bool(best.killed - killed) + bool(set(best.outcome.lines) - lines)
        if chosen and not news:
            break
        chosen.append(best)
        left.remove(best)
        killed |= best.killed
        lines |= set(best.outcome.lines)
    return tuple(sorted(chosen, key=lambda c: (c.outcome.kind == "raises", cases.index(c))))


def source(brief: Brief, cases: Sequence[Case]) -> str:
    """Tests of some cases, arrange, act, assert, in the project's convention."""
    name = re.sub(r"\W+", "_", brief.job.subject).strip("_").lower()
    parts = []
    for number, case in enumerate(cases, 1):
        title = f"test_{name}_does_this_now_{number}"
        parts.append(_test(brief, case, title))
    if brief.conventions == "pytest":
        return "\n\n".join(parts)
    place = tests_place(brief)
    head = f"class {place.class_name()}Characterisation(unittest.TestCase):\n"
    doc = f'    """{_SAYS.format(name=brief.job.subject)}"""\n\n'
    return head + doc + "\n".join(parts)


def _test(brief: Brief, case: Case, title: str) -> str:
    """One test function or method."""
    unit = brief.conventions == "unittest"
    names, arrange = _arranged(brief, case)
    owner, _, last = brief.job.subject.rpartition(".")
    called = f"{_reached(brief, owner)}.{last}" if owner else last
    call = f"{called}({names})"
    doc = [f'"""{_SAYS.format(name=brief.job.subject)}"""']
    lines = [*doc, *arrange, *([""] if arrange else []), *_asserted(case.outcome, call, unit)]
    indent = "        " if unit else "    "
    body = "".join(f"{indent}{line}\n" if line else "\n" for line in lines)
    return f"    def {title}(self):\n{body}" if unit else f"def {title}():\n{body}"


def _reached(brief: Brief, owner: str) -> str:
    """A method's instance, or its class where the method needs none."""
    found = symbols.find(brief.target(), brief.job.subject)
    free = found is not None and {"staticmethod", "classmethod"} & set(found.decorators)
    return owner if free else f"{owner}()"


def _arranged(brief: Brief, case: Case) -> tuple[str, list[str]]:
    """Arguments by name, and the lines that set them."""
    tree = ast.parse(f"f({case.given})", mode="eval").body
    if not isinstance(tree, ast.Call):
        return case.given, []
    wanted = list(symbols.parameters(brief.target(), brief.job.subject))
    wanted = wanted[1:] if wanted[:1] in (["self"], ["cls"]) else wanted
    if len(tree.args) > len(wanted):
        return case.given, []
    pairs = list(zip(wanted, tree.args, strict=False))
    pairs += [(k.arg or "", k.value) for k in tree.keywords]
    names = [n for n, _ in pairs[: len(tree.args)]]
    names += [f"{k.arg}={k.arg}" for k in tree.keywords]
    return ", ".join(names), [f"{name} = {ast.unparse(value)}" for name, value in pairs]


def _asserted(outcome: Outcome, call: str, unit: bool) -> list[str]:
    """Act and assert."""
    if outcome.kind == "raises":
        opened = "self.assertRaises" if unit else "pytest.raises"
        return [f"with {opened}({outcome.type}):", f"    {call}"]
    shown = outcome.shown
    act = [f"result = {call}", ""]
    if shown in ("True", "False", "None"):
        return [*act, f"self.assertIs(result, {shown})" if unit else f"assert result is {shown}"]
    if outcome.type in ("float", "complex"):
        near = f"self.assertAlmostEqual(result, {shown})"
        return [*act, near if unit else f"assert result == pytest.approx({shown})"]
    return [*act, f"self.assertEqual(result, {shown})" if unit else f"assert result == {shown}"]


_TEXT = "def half(x):\n    if x < 0:\n        raise ValueError(x)\n    return x / 2\n"
_BRIEF = Brief(
    job=Job("write-test", "write a test for half", "half", "sums.py", "test_sums.py"),
    files={"sums.py": _TEXT},
    symbol_source=_TEXT,
    test_file="test_sums.py",
)

EXAMPLES = ((_BRIEF, "", {"test_sums.py": "does_this_now_1"}),)
