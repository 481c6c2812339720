"""Owns how a project's suite is found: which runner, from which folders, and why.

Does not cover running it (`oracle`) nor which Python it gets (`interpreter`).
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from harness.suite.interpreter import Interpreter
from harness.suite.suite_output import Runner
from harness.tree.copying import walk

_LOOKED_AT = 400
_TEST_NAME = re.compile(r"^(?:test.*|.*_test|tests)\.py$")
_IMPORTS_PYTEST = re.compile(r"^\s*(?:import pytest\b|from pytest\b)", re.MULTILINE)
_PLAIN_TEST = re.compile(r"^(?:async )?def test\w*\(|^class Test\w*(?:\(\s*\))?:", re.MULTILINE)
_TEST_CASE = re.compile(r"^class \w+\(.*TestCase\b|^\s*(?:import|from) unittest\b", re.MULTILINE)


@dataclass(frozen=True)
class Group:
    """Tests of unittest that are found together."""

    start: str
    """Folder to look through, relative."""
    top: str
    """Folder at which dotted names start, relative."""
    pattern: str
    """Names of its test files."""


@dataclass(frozen=True)
class SuitePlan:
    """How a project's suite will be run."""

    interpreter: Interpreter
    """The project's Python."""
    runner: Runner
    """How its output is read; none where nothing can be run."""
    command: tuple[str, ...]
    """What a person would type."""
    why: str
    """What decided it, one line; for `none` what to do about it."""
    groups: tuple[Group, ...] = ()
    """Of unittest."""
    test_files: tuple[str, ...] = ()
    """Relative paths that look like tests."""

    @property
    def tops(self) -> tuple[str, ...]:
        """Folders at which dotted test names may start."""
        return tuple(dict.fromkeys((*(group.top for group in self.groups), ".")))


@dataclass(frozen=True)
class _Signs:
    """What the test files are written for."""

    pytest_only: tuple[str, ...]
    """Files with plain test functions, or that import pytest."""
    unittest: tuple[str, ...]
    """The others."""


def plan(root: Path, interpreter: Interpreter, test_cmd: str = "") -> SuitePlan:
    """How to run the suite of the project at `root`."""
    tests, conftest = _test_files(root)
    if test_cmd.strip():
        words = tuple(shlex.split(test_cmd, posix=True))
        return SuitePlan(interpreter, "command", words, "given by --test-cmd", (), tests)
    signs = _signs(root, tests)
    named = "conftest.py" if conftest else _config_that_names_pytest(root)
    has_pytest = "pytest" in interpreter.modules
    why = f"{named} is there" if named else ""
    if signs.pytest_only and not why:
        why = f"{signs.pytest_only[0]} is written for pytest"
    python = str(interpreter.path)
    if has_pytest and why and (tests or named):
        return SuitePlan(interpreter, "pytest", (python, "-m", "pytest"), why, (), tests)
    if not tests:
        return SuitePlan(interpreter, "none", (), "no test file was found")
    if signs.pytest_only and not signs.unittest:
        todo = (
            f"its tests need pytest ({why}), which {interpreter.path} lacks: "
            "install pytest there, or give --python or --test-cmd"
        )
        return SuitePlan(interpreter, "none", (), todo, (), tests)
    groups = tuple(_groups(root, signs.unittest))
    first = groups[0]
    named_so = () if first.pattern == "test*.py" else ("-p", first.pattern)
    command = (python, "-m", "unittest", "discover", "-s", first.start, "-t", first.top, *named_so)
    said = f"{signs.unittest[0]} is written for unittest"
    if signs.pytest_only:
        said += f"; {interpreter.path} lacks pytest, so {signs.pytest_only[0]} is not run whole"
    return SuitePlan(interpreter, "unittest", command, said, groups, tests)


def is_test(path: str) -> bool:
    """Whether a relative path looks like a test file, or lies in a folder of tests."""
    pure = PurePosixPath(path)
    if pure.suffix != ".py":
        return False
    return bool(_TEST_NAME.match(pure.name)) or bool({"test", "tests"} & set(pure.parts[:-1]))


def _test_files(root: Path) -> tuple[tuple[str, ...], bool]:
    """Files that look like tests by their names, nearest first, and whether there is a conftest."""
    found, conftest = [], False
    for entry in walk(root):
        if entry.kind != "file":
            continue
        path = PurePosixPath(entry.path)
        conftest = conftest or path.name == "conftest.py"
        if _TEST_NAME.match(path.name):
            found.append(entry.path)
    order = sorted(found, key=lambda path: (path.count("/"), path))
    return tuple(order), conftest


def _signs(root: Path, tests: Sequence[str]) -> _Signs:
    """Which test files need pytest, by what is written in them."""
    pytest_only, other = [], []
    for path in tests[:_LOOKED_AT]:
        try:
            text = (root / path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if _IMPORTS_PYTEST.search(text) or (
            _PLAIN_TEST.search(text) and not _TEST_CASE.search(text)
        ):
            pytest_only.append(path)
        elif "test" in text.lower():
            other.append(path)
    return _Signs(tuple(pytest_only), tuple(other) if other or pytest_only else tuple(tests))


def _config_that_names_pytest(root: Path) -> str:
    """The settings file that speaks of pytest; empty where none does."""
    if (root / "pytest.ini").is_file() or (root / ".pytest.ini").is_file():
        return "pytest.ini"
    try:
        data = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        data = {}
    if "pytest" in data.get("tool", {}):
        return "pyproject.toml [tool.pytest]"
    for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        parser = ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string((root / name).read_text(encoding="utf-8"))
        except (OSError, ValueError, ConfigError):
            continue
        if parser.has_section(section):
            return f"{name} [{section}]"
    return ""


def _groups(root: Path, tests: Sequence[str]) -> Iterator[Group]:
    """Where to start discovery so that each test file is found once, and by the name it has."""
    done: set[Group] = set()
    for path in tests:
        folder = PurePosixPath(path).parent
        start, top = folder, folder
        while (root / top / "__init__.py").is_file() and top != PurePosixPath("."):
            start, top = top, top.parent
        name = PurePosixPath(path).name
        pattern = "test*.py" if name.startswith("test") else "*_test.py"
        group = Group(start.as_posix(), top.as_posix(), pattern)
        if group not in done and not _covered(group, done, root):
            done.add(group)
            yield group


def _covered(group: Group, done: set[Group], root: Path) -> bool:
    """Whether discovery of another group goes through this one's folder already."""
    for other in done:
        if other.pattern != group.pattern or other.top != group.top:
            continue
        if other.start in (".", group.start):
            return True
    return False
