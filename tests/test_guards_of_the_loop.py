"""Every guard of the loop is asked about the moments that it shows, and each refusal is usable."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from harness import parts
from harness.reading import reply
from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

GUARDS = parts.all_of("guards")
SPECS = {verb: part.SPEC for verb, part in parts.all_of("actions").items()}
STAGES = ("action", "write", "done")
MAY_IMPORT = {"moment", "asserts", "secrets", "types", "symbols", "scope", "oracle"}


def moments(which: str) -> list[tuple[str, int]]:
    """Every shown moment as (guard, place in its list)."""
    return [(name, at) for name, part in GUARDS.items() for at in range(len(getattr(part, which)))]


def filled(form: str) -> str:
    """A form with something in its gaps, as a model would send it."""
    return re.sub(r"<[^<>\n]+>", "total = 1 + 1", form)


@pytest.mark.parametrize(("name", "at"), moments("ACCEPTED"))
def test_a_guard_lets_through_what_it_shows_as_accepted(name: str, at: int) -> None:
    """A rule that refuses too much is as wrong as one that refuses nothing."""
    assert GUARDS[name].check(GUARDS[name].ACCEPTED[at]) is None


@pytest.mark.parametrize(("name", "at"), moments("REFUSED"))
def test_a_guard_refuses_what_it_shows_as_refused(name: str, at: int) -> None:
    """Each refusal is the guard's own, says why in one line, and names a way on."""
    refusal = GUARDS[name].check(GUARDS[name].REFUSED[at])
    assert isinstance(refusal, Refusal)
    assert refusal.by == name
    assert refusal.reason.strip()
    assert not refusal.reason.endswith(".")
    assert len(refusal.next_action.strip()) > 10


@pytest.mark.parametrize(("name", "at"), moments("REFUSED"))
def test_the_way_on_is_an_action_that_the_reader_takes(name: str, at: int) -> None:
    """Where the next action starts with `Action:`, it is in plain form once its gaps are filled."""
    refusal = GUARDS[name].check(GUARDS[name].REFUSED[at])
    assert refusal is not None
    if refusal.next_action.startswith("Action:"):
        read = reply.read(filled(refusal.next_action), SPECS)
        assert isinstance(read, Action), read
        assert read.rules == ()


@pytest.mark.parametrize("name", GUARDS)
def test_a_guard_is_declared_whole(name: str) -> None:
    """Stage, docstring and moments of both kinds are there."""
    part = GUARDS[name]
    assert part.STAGE in STAGES
    assert len(parts.says(part)) > 20
    assert len(part.ACCEPTED) >= 1
    assert len(part.REFUSED) >= 1


@pytest.mark.parametrize("name", GUARDS)
def test_a_guard_is_pure(name: str) -> None:
    """It opens no file, starts nothing, and asked twice about one moment it says the same."""
    part = GUARDS[name]
    assert part.__file__ is not None
    tree = ast.parse(Path(part.__file__).read_text(encoding="utf-8"))
    ours = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("harness"):
            module = node.module or ""
            found = {alias.name for alias in node.names} if module.count(".") < 2 else set()
            ours |= (found & MAY_IMPORT) or {module.rpartition(".")[2]}
        if isinstance(node, ast.Call):
            assert getattr(node.func, "id", "") not in ("open", "exec", "eval", "__import__")
    assert ours <= MAY_IMPORT
    for moment in (*part.ACCEPTED, *part.REFUSED):
        assert part.check(moment) == part.check(moment)


@pytest.mark.parametrize("name", GUARDS)
def test_a_guard_bears_an_empty_moment(name: str) -> None:
    """Nothing known is no reason to fail, whatever the kind of job and the verb."""
    for kind in ("ask", "write-test", "fix", "add-function", "rename", "move", "other"):
        for verb in SPECS:
            found = GUARDS[name].check(Moment(Job(kind, ""), Action(verb, {})))
            assert found is None or isinstance(found, Refusal)


@pytest.mark.parametrize("name", [n for n, p in GUARDS.items() if p.STAGE == "write"])
@pytest.mark.parametrize("text", ["", "def f(:\n", "\x00", "x = '\ud800'\n", "(" * 300, "é" * 10])
def test_a_guard_of_writes_bears_any_text(name: str, text: str) -> None:
    """What does not parse, or is no text at all, is judged without an exception."""
    job = Job("write-test", "x", subject="f", path="a.py", test_path="tests/test_a.py")
    for before in (None, "x = 1\n", text):
        moment = Moment(
            job,
            Action("write", {"Path": "a.py"}),
            {"a.py": (before, text), "tests/test_a.py": (before, text), "b.py": (text, None)},
            tests=frozenset({"tests/test_a.py"}),
        )
        found = GUARDS[name].check(moment)
        assert found is None or isinstance(found, Refusal)


def test_refusals_do_not_quote_secrets() -> None:
    """The kind of a secret is named, never its value."""
    part = GUARDS["secret-in-draft"]
    for moment in part.REFUSED:
        refusal = part.check(moment)
        assert refusal is not None
        assert not re.search(r"AKIA", refusal.reason + refusal.next_action)


def test_the_step_that_follows_fits_the_run() -> None:
    """Look first, then change, then test, then end: each an Action that the reader takes."""
    job = Job("fix", "mend f", subject="f", path="a.py")
    files = frozenset({"a.py"})
    steps = [
        Moment(job, Action("plan", {}), files=files),
        Moment(job, Action("plan", {}), files=files, reads=files),
        Moment(
            job, Action("plan", {}), files=files, reads=files, writes=(("a.py", ""),), stale=True
        ),
    ]
    read = [reply.read(filled(moment.onward()), SPECS) for moment in steps]
    assert [step.verb for step in read if isinstance(step, Action)] == ["read", "patch", "test"]
