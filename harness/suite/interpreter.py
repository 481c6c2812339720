"""Owns which Python runs a project's suite, why that one, and what it can import.

Does not cover which runner is used with it (`suite_plan`).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from harness.errors import HarnessError
from harness.suite import sandbox

_NEARBY = (".venv", "venv", "env", ".env", "virtualenv")
_ASKED = ("pytest", "coverage", "pytest_cov", "xdist")
_LIMITS = sandbox.Limits(seconds=30, memory_mb=4096, processes=64, file_mb=16)
_PROBE = f"""
import importlib.util as u, json, sys
found = [n for n in {_ASKED!r} if u.find_spec(n) is not None]
places = [sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path]
print("\\n" + json.dumps([list(sys.version_info[:3]), found, places, sys.executable]))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python that answered."""

    path: Path
    """Its program, as it was found; links are kept, since a virtual environment is one."""
    version: tuple[int, int, int]
    """Such as (3, 11, 7)."""
    why: str
    """Why it is used, in a few words."""
    modules: frozenset[str]
    """Which of pytest, coverage, pytest_cov and xdist it can import."""
    places: tuple[Path, ...] = ()
    """Folders that it needs: its prefixes and its import path."""


def find(root: Path, given: str = "") -> Interpreter:
    """The Python for a project: the one given, an active or nearby environment, else ours.

    HarnessError where the one given does not answer; an environment that does not is passed
    over, and `why` says so.
    """
    if given:
        return _probed(_given(root, given), "given by --python")
    passed_over: list[str] = []
    for path, why in _candidates(root.resolve()):
        try:
            return _probed(path, "; ".join((why, *passed_over)))
        except HarnessError as wrong:
            passed_over.append(f"passed over {path}: {wrong.message}")
    return _probed(Path(sys.executable), "; ".join(("the Python that started us", *passed_over)))


def _given(root: Path, given: str) -> Path:
    """The program that a person names: a command, a path from here or the project, or a folder."""
    for start in (Path(), root):
        path = (start / Path(given).expanduser()).absolute()
        if path.is_dir():
            inner = program_of(path)
            if inner.exists():
                return inner
        elif path.exists():
            return path
    found = shutil.which(given)
    if found is None:
        raise HarnessError(f"--python {given}: no such program", "give the path of an interpreter")
    return Path(found)


def program_of(environment: Path) -> Path:
    """Where an environment's Python is."""
    if os.name == "nt":
        inner = environment / "Scripts" / "python.exe"
        return inner if inner.exists() else environment / "python.exe"
    return environment / "bin" / "python"


def _candidates(root: Path) -> Iterator[tuple[Path, str]]:
    """Pythons of active and nearby environments, in the order in which they are tried."""
    for variable, word in (("VIRTUAL_ENV", "virtual"), ("CONDA_PREFIX", "conda")):
        active = os.environ.get(variable, "")
        if active and program_of(Path(active)).exists():
            yield program_of(Path(active)), f"active {word} environment"
    for folder in _upwards(root):
        for name in _NEARBY:
            environment = folder / name
            is_one = (environment / "pyvenv.cfg").exists() or (environment / "conda-meta").is_dir()
            if is_one and program_of(environment).exists():
                yield program_of(environment), f"virtual environment {name} of {folder}"


def _upwards(root: Path) -> Iterator[Path]:
    """The project and the folders above it, up to the one with the git data; else it alone."""
    above = [root, *root.parents]
    top = next((i for i, folder in enumerate(above) if (folder / ".git").exists()), 0)
    yield from above[: top + 1]


@cache
def _answer(path: Path) -> Interpreter | str:
    """What an interpreter says of itself, or why it says nothing."""
    near = (path.parent.parent, path.resolve().parent.parent)
    ran = sandbox.run(
        [str(path), "-c", _PROBE], cwd=path.parent, limits=_LIMITS, readable=near, env={}
    )
    try:
        version, found, places, program = json.loads(ran.stdout.strip().split("\n")[-1])
        major, minor, micro = map(int, version)
    except (ValueError, TypeError):
        last = (ran.stderr or ran.stdout).strip().split("\n")[-1]
        return f"{path} did not answer as a Python 3: {ran.ended or last or 'it said nothing'}"
    real = tuple(dict.fromkeys(Path(place) for place in places if place and os.path.isabs(place)))
    # A launcher (pyenv's, for one) picks by the folder it is called in: its choice is kept.
    with path.open("rb") as start:
        kept = Path(program) if start.read(2) == b"#!" else path
    return Interpreter(kept, (major, minor, micro), "", frozenset(found), (*near, *real))


def _probed(path: Path, why: str) -> Interpreter:
    """The interpreter with what it answered; HarnessError where it is none we can use."""
    answer = _answer(path)
    if isinstance(answer, str):
        raise HarnessError(answer, "give --python another interpreter")
    if answer.version < (3, 8):
        shown = ".".join(map(str, answer.version))
        raise HarnessError(f"{path} is Python {shown}", "3.8 or newer is needed: give --python")
    return replace(answer, why=why)
