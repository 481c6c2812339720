"""Behaviour: which inputs a function is tried with, what its calls give, which drafts agree."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.suite.oracle import Oracle
from harness.trial import behaviour

MODULE = '''"""Things."""

import random
import time


def add(values, extra=0):
    """Sum.

    >>> add([1, 2], 4)
    7
    """
    print("noise on stdout")
    if extra == 7:
        raise ValueError("seven")
    if extra == 8:
        while True:
            try:
                time.sleep(1)
            except Exception:
                pass
    if extra == 9:
        return random.random()
    if extra == 10:
        values.append(1)
    return sum(values) + extra


def parts(n):
    yield from range(n)


class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)
        return len(self.items)


class Box:
    pass


class Needs:
    def __init__(self, x):
        self.x = x

    def get(self):
        return self.x


def boxed(n):
    return Box()
'''


@pytest.fixture
def oracle(tmp_path: Path) -> Oracle:
    """An oracle on a folder that holds the module."""
    (tmp_path / "things.py").write_text(MODULE, encoding="utf-8")
    return Oracle(tmp_path, python=sys.executable)


def seen(oracle: Oracle, name: str, *given: str) -> behaviour.Seen:
    """What is observed of one function of the module."""
    return behaviour.watch(oracle, oracle.root, "things", name, given)


def test_inputs_start_with_examples_that_someone_wrote() -> None:
    """Calls in the task's words and in docstrings come first, as they were written."""
    found = behaviour.inputs(MODULE, "add", "add([5], extra=2) should be 7")
    assert found[:2] == ("[5], extra=2", "[1, 2], 4")


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("f(prices)", "return 0", ["[3, 1, 2]", "[]", "[5]"]),
        ("f(text: str)", "return 0", ["''"]),
        ("f(stuff)", "return [s.strip() for s in stuff]", ["[]", "['one']"]),
        ("f(n: int)", "return n > 17", ["0", "16", "17", "18"]),
        ("f(rows)", "return sum(r['cost'] for r in rows)", ["[]", "[{'cost': 2.5}, {'cost': 0}]"]),
        ("f(x: int | None)", "return x", ["None"]),
        ("f(a, *, key)", "return a", []),
        ("f()", "return 1", [""]),
    ],
)
def test_inputs_fit_the_parameters(head: str, body: str, expected: list[str]) -> None:
    """Values follow annotation, use and name; edge cases are among them; every call binds."""
    text = f"def {head}:\n    {body}\n"
    found = behaviour.inputs(text, "f")
    assert set(expected) <= set(found)
    assert 0 < len(found) <= 12
    names: dict[str, object] = {}
    exec(text, names)
    for given in found:
        exec(f"import inspect; inspect.signature(f).bind({given})", names)


def test_no_inputs_for_what_is_not_there() -> None:
    """An unknown name or a text that does not parse has no inputs."""
    assert behaviour.inputs(MODULE, "nothing") == ()
    assert behaviour.inputs("def f(:\n", "f") == ()


def test_a_call_is_observed_with_its_value(oracle: Oracle) -> None:
    """A value comes back in normal form, whatever the call prints; whole floats equal ints."""
    assert behaviour.observe(oracle, oracle.root, "things", "add", ["[1, 2]", "[0.1, 0.2]"]) == (
        "returns 3",
        "returns 0.3",
    )
    assert seen(oracle, "add", "[1.0, 2.0]").outcomes[0].normal == "returns 3"


def test_every_odd_end_of_a_call_is_told(oracle: Oracle) -> None:
    """Raising, never ending, chance, changed arguments: each has its own outcome."""
    raises, hangs, varies, mutates, unusable = seen(
        oracle, "add", "[1], 7", "[1], 8", "[1], 9", "[1], 10", "nonsense"
    ).outcomes
    assert (raises.kind, raises.type, raises.own) == ("raises", "ValueError", True)
    assert hangs.kind == "hangs"
    assert varies.kind == "varies"
    assert mutates.mutates
    assert mutates.normal == "returns 12; arguments then [([1, 1], 10), {}]"
    assert unusable.kind == "unusable"


def test_an_error_inside_a_library_is_not_the_codes_own(oracle: Oracle) -> None:
    """Only a `raise` of the module itself is its own; a TypeError out of sum is not."""
    assert not seen(oracle, "add", "['a']").outcomes[0].own


def test_generators_methods_and_objects(oracle: Oracle) -> None:
    """A generator is read, a method gets a fresh instance each call, a plain object its type."""
    assert seen(oracle, "parts", "3").outcomes[0].normal == "yields [0, 1, 2]"
    assert [o.normal for o in seen(oracle, "Stack.push", "1", "2").outcomes] == ["returns 1"] * 2
    assert seen(oracle, "boxed", "1").outcomes[0].normal == "returns Box()"


def test_what_cannot_be_reached_says_why(oracle: Oracle) -> None:
    """No instance, no such function, no such module: a reason, no outcomes, nothing observed."""
    assert "missing 1 required" in seen(oracle, "Needs.get", "").reason
    assert "no attribute" in seen(oracle, "nothing", "").reason
    assert "does not import" in behaviour.watch(oracle, oracle.root, "no", "f", [""]).reason
    assert behaviour.observe(oracle, oracle.root, "things", "Needs.get", [""]) == ()


def test_only_errors_tell_nothing(oracle: Oracle) -> None:
    """Where no call comes back nothing was observed: two such drafts must not count as agreeing."""
    assert behaviour.observe(oracle, oracle.root, "things", "add", ["[1], 7", "3"]) == ()


def test_variants_are_called_in_the_place_of_the_module(oracle: Oracle) -> None:
    """Other texts of the module are called likewise; one that fails to import differs."""
    texts = [MODULE.replace("sum(values) + extra", "sum(values) - extra"), "x = ("]
    found = behaviour.watch(oracle, oracle.root, "things", "add", ["[1], 2"], variants=texts)
    assert found.outcomes[0].normal == "returns 3"
    assert found.variants == (("returns -1",), ("no module: SyntaxError",))


def test_lines_that_ran_are_told(oracle: Oracle) -> None:
    """Two inputs that take different branches ran different lines."""
    found = behaviour.watch(oracle, oracle.root, "things", "add", ["[1]", "[1], 7"], lines=True)
    first, second = (set(o.lines) for o in found.outcomes)
    assert first - second
    assert second - first


def test_the_largest_group_wins_the_vote() -> None:
    """Drafts that behave alike stand together, the largest group first, ties by the lower index."""
    one, two = ("returns 1", "returns 2"), ("returns 1", "returns 3")
    assert behaviour.vote([one, two, two]) == (1, 2, 0)
    assert behaviour.vote([one, two]) == (0, 1)


def test_drafts_that_only_fail_never_win_the_vote() -> None:
    """Three drafts that raise on every input lose to one that gives a value."""
    bad, good = ("raises TypeError",) * 2, ("returns 1", "raises ValueError")
    assert behaviour.vote([bad, bad, bad, good])[0] == 3


def test_inputs_on_which_a_draft_varies_are_ignored() -> None:
    """A draft that answers by chance on one input agrees with whoever shares the rest."""
    steady, chance, other = ("returns 1", "returns 2"), ("returns 1", "varies"), ("returns 5", "x")
    assert behaviour.vote([other, steady, chance]) == (1, 2, 0)
    assert behaviour.agreement([other, steady, chance]) == "2 of 3 drafts behave alike on 2 inputs"
    assert behaviour.agreement([("raises KeyError",)]).startswith("no draft gives a value")
