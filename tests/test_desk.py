"""The desk: staged files over an untouched project, mended drafts, a suite that goes stale."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import parts
from harness.events import Fixed, SuiteRan
from harness.road.desk import Desk
from harness.road.moment import Pair
from harness.types import Action, Observation
from tests.small_desk import FILES, desk_on, lay


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The small project."""
    return lay(tmp_path / "project", FILES)


@pytest.fixture
def desk(root: Path) -> Iterator[Desk]:
    """A desk on it."""
    with desk_on(root) as desk:
        yield desk


def act(desk: Desk, verb: str, **fields: str) -> Observation:
    """Carry out an action that must not be refused."""
    found = parts.load("actions", verb).act(Action(verb, fields), desk)
    assert isinstance(found, Observation), found
    return found


def test_a_draft_is_mended_before_the_guards_see_it(desk: Desk) -> None:
    """The fixes of stage draft restore its form, and say so."""
    seen: list[str | None] = []

    def gate(changes: dict[str, Pair]) -> None:
        seen.extend(after for _, after in changes.values())

    desk.gate = gate  # type: ignore[assignment]
    act(desk, "write", Path="src/stamp.py", Body="def here():\n    return Path.cwd()\n")
    assert len(seen) == 1
    assert (seen[0] or "").startswith("from pathlib import Path\n")
    assert desk.text("src/stamp.py") == seen[0]


def test_a_fix_that_is_switched_off_leaves_the_draft(root: Path) -> None:
    """`--off` reaches the fixes, so that their effect can be measured."""
    heard: list[object] = []
    off = parts.names("fixes")
    with desk_on(root, heard=heard, off=off) as desk:  # type: ignore[arg-type]
        act(desk, "write", Path="src/stamp.py", Body="def here():\n    return Path.cwd()\n")
        assert desk.text("src/stamp.py") == "def here():\n    return Path.cwd()\n"
    assert not [e for e in heard if isinstance(e, Fixed)]


def test_a_revert_takes_back_staged_files_and_their_copy(desk: Desk) -> None:
    """The throw-away copy stands again as the staged files say, the project untouched."""
    act(desk, "patch", Path="src/orders.py", Find="TAX = 0.2", Replace="TAX = 0.3")
    sound = desk.staged()
    act(desk, "write", Path="src/new.py", Body="x = 1")
    act(desk, "patch", Path="src/orders.py", Find="TAX = 0.3", Replace="TAX = 0.4")
    desk.revert(sound)
    copy = desk.scratch.folder
    assert "TAX = 0.3" in (copy / "src/orders.py").read_text(encoding="utf-8")
    assert not (copy / "src/new.py").exists()
    assert desk.staged() == sound
    assert "src/new.py" not in desk.files()


def test_the_suite_is_told_and_kept(root: Path) -> None:
    """A run of the suite is an event, and holds until something is written."""
    heard: list[object] = []
    with desk_on(root, heard=heard) as desk:  # type: ignore[arg-type]
        desk.suite("before")
        assert not desk.stale
        act(desk, "patch", Path="src/orders.py", Find="TAX = 0.2", Replace="TAX = 0.3")
        assert desk.stale
    assert [e.when for e in heard if isinstance(e, SuiteRan)] == ["before"]
