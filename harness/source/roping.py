"""Owns asking rope where a definition is used, on a throw-away copy of a project's Python files.

Does not cover what is then done there (`fixes/rename`), nor whether rope is right.
"""

from __future__ import annotations

import re
import tempfile
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.source.project import Project

_COOKIE = re.compile(r"\A((?:[^\n]*\n)?[ \t\f]*#[^\n]*?)coding(?=[:=])")


@dataclass(frozen=True)
class Place:
    """One place where a name stands."""

    path: str
    """Relative."""
    offset: int
    """Characters before the name in the file's text."""


@dataclass(frozen=True)
class Uses:
    """Where a definition's name stands, its own included."""

    sure: frozenset[Place]
    unsure: frozenset[Place]
    """The same name on something of which rope cannot tell what it is."""


def uses(project: Project, name: str, starts: Iterable[Place], among: Iterable[str]) -> Uses | str:
    """Uses of definitions of one name, each given by its own place; a reason if rope cannot.

    Looked for in those paths of `among` that say the name.
    """
    from rope.base.exceptions import RopeError
    from rope.base.project import Project as Rope

    with tempfile.TemporaryDirectory(prefix="py-harness-rope-") as folder:
        _lay(project, Path(folder))
        roots = [root for root in project.source_roots() if root]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rope = Rope(folder, ropefolder=None, source_folders=roots, ignore_syntax_errors=True)
            try:
                likely = [path for path in among if name in project.text(path)]
                return _found(rope, likely, name, starts)
            except (RopeError, SyntaxError, RecursionError, AttributeError, ValueError) as wrong:
                said = str(wrong).splitlines() or [type(wrong).__name__]
                return f"no analysis of this project: {said[0]}"
            finally:
                rope.close()


def _found(rope: Any, paths: list[str], name: str, starts: Iterable[Place]) -> Uses:
    """Uses in some files."""
    from rope.base import evaluate
    from rope.refactor import occurrences

    sure: set[Place] = set()
    unsure: set[Place] = set()

    def note(one: Any) -> bool:
        unsure.add(Place(one.resource.path, one.offset))
        return False

    for start in starts:
        module = rope.get_pymodule(rope.get_resource(start.path))
        meant = evaluate.eval_location(module, start.offset)
        if meant is None:
            continue
        finder = occurrences.create_finder(rope, name, meant, unsure=note, in_hierarchy=True)
        for path in paths:
            for one in finder.find_occurrences(rope.get_resource(path)):
                sure.add(Place(path, one.get_word_range()[0]))
    return Uses(frozenset(sure), frozenset(unsure - sure))


def _lay(project: Project, root: Path) -> None:
    """Write the Python files as UTF-8, whatever encoding they declare."""
    for path in project.python_files():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        text = _COOKIE.sub(r"\1c0ding", project.text(path))
        (root / path).write_bytes(text.encode("utf-8", "replace"))
