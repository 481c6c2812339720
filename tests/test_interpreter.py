"""Which Python runs a project's suite, and why that one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.suite.interpreter import find, program_of

OTHERS = sorted((Path.home() / ".pyenv" / "versions").glob("3.[0-9]*/bin/python"))
posix = pytest.mark.skipif(os.name != "posix", reason="makes environments out of links")


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No environment is active unless a test makes one so."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)


def environment(folder: Path, broken: bool = False) -> Path:
    """A real virtual environment without pip, or one whose Python is gone; its program."""
    if broken:
        (folder / "bin").mkdir(parents=True)
        (folder / "pyvenv.cfg").write_text("home = /nowhere\n", encoding="utf-8")
        program = folder / "bin" / "python"
        program.write_text("#!/bin/sh\necho no python here >&2; exit 1\n", encoding="utf-8")
        program.chmod(0o755)
        return program
    command = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(command, check=True, timeout=60)
    return program_of(folder)


def test_without_any_other_it_is_the_one_that_started_us(tmp_path: Path) -> None:
    """The last resort is our own Python; it answers for itself."""
    found = find(tmp_path)
    assert found.path == Path(sys.executable)
    assert found.version == sys.version_info[:3]
    assert "pytest" in found.modules
    assert "started us" in found.why


def test_a_nearby_environment_goes_before_ours(tmp_path: Path) -> None:
    """An environment of the folder, or of one above up to the git top, is the project's."""
    own = environment(tmp_path / "repo" / ".venv")
    package = tmp_path / "repo" / "packages" / "shop"
    package.mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    for root in (tmp_path / "repo", package):
        found = find(root)
        assert found.path == own
        assert ".venv" in found.why
    assert "pytest" not in found.modules


def test_an_environment_above_the_git_top_is_somebody_elses(tmp_path: Path) -> None:
    """The search ends at the folder with the git data, and without one at the project."""
    environment(tmp_path / ".venv")
    for root in (tmp_path / "repo", tmp_path / "plain"):
        root.mkdir()
    (tmp_path / "repo" / ".git").mkdir()
    assert find(tmp_path / "repo").path == Path(sys.executable)
    assert find(tmp_path / "plain").path == Path(sys.executable)


def test_the_order_is_given_active_nearby(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--python beats an active environment, which beats one in the folder."""
    root = tmp_path / "shop"
    environment(root / "venv")
    active = environment(tmp_path / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    assert find(root).path == active
    assert "active" in find(root).why
    assert find(root, sys.executable).path == Path(sys.executable)
    assert "--python" in find(root, sys.executable).why
    assert find(root, "venv").path == program_of(root / "venv")


@posix
def test_a_broken_environment_is_passed_over_and_told(tmp_path: Path) -> None:
    """One that nobody named is skipped, with a word; one that was given is an error."""
    program = environment(tmp_path / ".venv", broken=True)
    found = find(tmp_path)
    assert found.path == Path(sys.executable)
    assert f"passed over {program}" in found.why
    assert "no python here" in found.why
    with pytest.raises(HarnessError, match="no python here"):
        find(tmp_path, str(program))


@pytest.mark.parametrize("given", ["no-such-python", "folder/without/one"])
def test_a_python_that_is_not_there_is_the_persons_mistake(tmp_path: Path, given: str) -> None:
    """The message names what was given, and the hint says what to give."""
    with pytest.raises(HarnessError, match=given) as raised:
        find(tmp_path, given)
    assert "interpreter" in raised.value.hint


@posix
def test_a_launcher_is_resolved_to_what_it_starts(tmp_path: Path) -> None:
    """A script that picks a Python by the folder it is called in gives the Python it picked."""
    launcher = tmp_path / "python"
    picked = Path(sys.executable).resolve()
    launcher.write_text(f'#!/bin/sh\nexec "{picked}" "$@"\n', encoding="utf-8")
    launcher.chmod(0o755)
    assert find(tmp_path, str(launcher)).path == picked


@pytest.mark.skipif(not OTHERS, reason="no other Python versions are installed here")
def test_every_version_that_is_here_answers_or_is_refused() -> None:
    """3.8 and newer answer with their version; an older one is refused by its number."""
    for program in OTHERS:
        said = program.parent.parent.name
        if tuple(map(int, said.split(".")[:2])) < (3, 8):
            with pytest.raises(HarnessError, match=said):
                find(program.parent, str(program))
        else:
            assert ".".join(map(str, find(program.parent, str(program)).version)) == said
