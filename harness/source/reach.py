"""Owns which files and lines a job about an undefined name reaches, nearest first.

Does not cover what is mended there (`spelling`, `importable`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from harness.source import scope, symbols
from harness.source.project import Project
from harness.source.symbols import Symbol
from harness.types import Job

ERRORS = ("", "NameError", "UnboundLocalError", "AttributeError")
MAX_FILES = 500
"""Files looked through where a job names none."""
MAX_CALLED = 200
"""Definitions followed from a job's subject."""

_LOUD = re.compile(r"\bnot defined\b|\bundefined\b|\bmis-?spel|\btypos?\b", re.IGNORECASE)
_NAMED = re.compile(
    r"\b[Nn]ame ['\"`](\w+)['\"`] is not defined|undefined name ['\"`]?(\w+)"
    r"|variable ['\"`](\w+)['\"`]|object has no attribute ['\"`](\w+)['\"`]"
)
_FRAME = re.compile(r"File \"([^\"]+\.py)\", line \d|^([\w./\\-]+\.py):\d", re.MULTILINE)


@dataclass(frozen=True)
class Aim:
    """Where a job looks for its fault."""

    tiers: tuple[tuple[str, ...], ...]
    """Relative paths; the next row counts only if nothing is wrong in those before it."""
    only: str = ""
    """The one name that the error speaks of; empty for any."""
    lines: dict[str, set[int]] = field(default_factory=dict)
    """By path the lines that the job's subject runs; a path that is not here counts whole."""

    def wants(self, path: str, name: str, line: int) -> bool:
        """Whether a name at a line of a file may be what the job is about."""
        return self.only in ("", name) and line in self.lines.get(path, {line})

    def left(self, path: str, text: str) -> frozenset[str]:
        """Undefined names of a text that the job is not about."""
        found = scope.undefined(text)
        wanted = {u.name for u in found if self.wants(path, u.name, u.line)}
        return frozenset(u.name for u in found) - wanted


def aim(job: Job, project: Project) -> Aim | None:
    """Where a fix looks; None for another kind of job or another error.

    A file that the person names wins. Without an error about names the job may be about something
    else in that file, so that only what its subject runs counts.
    """
    if job.kind != "fix" or job.error not in ERRORS:
        return None
    told = f"{job.task}\n{job.evidence}"
    named = tuple(p for p in job.files if p.endswith(".py") and p in project.files)
    sources = project.sources()[:MAX_FILES]
    known = (job.path,) if job.path in project.files else ()
    if not job.error and not _LOUD.search(told):
        known = (job.path,) if job.path in project.files else ()
        return _quiet(job, project, named or known or sources)
    found = {name for match in _NAMED.finditer(told) for name in match.groups() if name}
    only = found.pop() if len(found) == 1 else ""
    if any(not project.is_test(path) for path in named):
        return Aim((named,), only)
    near = tuple(dict.fromkeys([*named, *_frames(told, project), *known]))
    return Aim((near, sources, project.tests()[:MAX_FILES]), only)


def _quiet(job: Job, project: Project, paths: tuple[str, ...]) -> Aim:
    """Where a job looks that speaks of no such error."""
    if not job.subject or job.path not in project.files:
        return Aim((paths,))
    run: dict[str, set[int]] = {}
    for path, symbol in _called(job, project):
        run.setdefault(path, set()).update(range(symbol.first_line, symbol.end_line + 1))
    return Aim((tuple(run),), lines=run)


def _called(job: Job, project: Project) -> Iterator[tuple[str, Symbol]]:
    """The job's subject and, step by step, what it calls of the project."""
    first = symbols.find(project.text(job.path), job.subject)
    waiting = [(job.path, first)] if first is not None else []
    seen = set(waiting)
    while waiting:
        path, symbol = waiting.pop(0)
        yield path, symbol
        for name in sorted(symbols.calls(symbols.source(project.text(path), symbol))):
            found = _defined_once(name, project)
            if found is not None and found not in seen and len(seen) < MAX_CALLED:
                seen.add(found)
                waiting.append(found)


def _defined_once(name: str, project: Project) -> tuple[str, Symbol] | None:
    """The one definition outside the tests that a call can mean; None where it is not one."""
    found = [
        (path, symbol)
        for path, symbol in project.definitions(name.rpartition(".")[2])
        if symbol.kind != "assignment" and not project.is_test(path)
    ]
    return found[0] if len(found) == 1 else None


def _frames(told: str, project: Project) -> list[str]:
    """Files of the project that a traceback names, innermost first."""
    found = []
    for match in _FRAME.finditer(told):
        name = (match[1] or match[2]).replace("\\", "/").removeprefix("./")
        same = [p for p in project.python_files() if name == p or name.endswith(f"/{p}")]
        found += [max(same, key=len)] if same else []
    return list(reversed(found))
