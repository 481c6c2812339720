"""Owns what a guard is shown: one step as it is proposed, frozen, with the facts a rule may need.

Does not cover the rules themselves (`guards/`) nor how a moment is gathered (`turns`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.source import symbols
from harness.types import Action, Job, SuiteReport

Pair = tuple[str | None, str | None]

SHOWN = 2_000
"""Characters up to which a definition is put whole into a proposed step."""


@dataclass(frozen=True)
class Tried:
    """One write that was asked for before, whatever became of it."""

    key: str
    """Fingerprint of verb, file and bodies, as `fingerprint` makes it."""
    gave: str
    """What it gave then, one line."""


@dataclass(frozen=True)
class Moment:
    """One step before it is carried out; a guard reads it and nothing else."""

    job: Job
    """What the person asked."""
    action: Action
    """What the model asks for now."""
    changes: Mapping[str, Pair] = field(default_factory=dict)
    """At stage write: proposed files as (text before, text after), None where there is none.
    At stage done: every file that the run changed, against the person's tree."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Text as it stands now of the files that matter: read, changed, or named by the job."""
    files: frozenset[str] = frozenset()
    """Relative paths of all text files as they stand now."""
    existing: frozenset[str] = frozenset()
    """Of them those that stood there before the run."""
    tests: frozenset[str] = frozenset()
    """Which of the files, and of the files named by the step, are test files."""
    protected: frozenset[str] = frozenset()
    """Which of the files that the step would change hold test configuration."""
    roots: frozenset[str] = frozenset({""})
    """Folders whose modules can be imported by their bare name, such as `src`."""
    reads: frozenset[str] = frozenset()
    """Paths whose text the model was shown, or wrote itself."""
    writes: tuple[tuple[str, str], ...] = ()
    """Files written so far in this run, as (path, sha256 of the text)."""
    tried: tuple[Tried, ...] = ()
    """Writes that were asked for before."""
    repeats: int = 0
    """How often this same action has been carried out with the same result."""
    known: str = ""
    """What it gave then, where `repeats` is not 0."""
    states: int = 0
    """How often the run already stood in this very state before this very action."""
    suite_before: SuiteReport | None = None
    """Suite on the tree as it came; None where it was not run."""
    suite_now: SuiteReport | None = None
    """Last run of the whole suite; None where it was not run."""
    named_now: SuiteReport | None = None
    """Last run of named tests alone; None where it was not run."""
    stale: bool = False
    """Whether files were written after the last run of the whole suite."""
    said: tuple[str, ...] = ()
    """Texts that the model was given: system text, opening, refusals."""
    asked: int = 0
    """Questions put so far."""
    step: int = 1
    """Number of this turn, 1-based."""
    steps: int = 20
    """Turns at most."""

    def after(self, path: str) -> str:
        """A file's text as it would stand after the step; empty where there is none."""
        if path in self.changes:
            return self.changes[path][1] or ""
        return self.texts.get(path, "")

    @property
    def wrote(self) -> bool:
        """Whether the run has written a file."""
        return bool(self.writes)

    def onward(self) -> str:
        """The next legal step as the run stands, as a reply that could be sent as it is."""
        job = self.job
        if not self.reads:
            return self._look()
        if job.kind == "ask":
            return "Action: done\nSummary: <the answer, with the line of code that shows it>"
        if not self.wrote:
            return self._change()
        if self.suite is None:
            return "Action: test"
        if self.suite.green or self.suite.status in ("no-suite", "no-tests"):
            name = job.subject.rsplit(".", 1)[-1]
            if job.wants_test and job.test_path and name not in self.texts.get(job.test_path, ""):
                exists = job.test_path in self.files
                return adding(job.test_path, f"<a test that calls {name}>", exists=exists)
            return "Action: done\nSummary: <one sentence on what was changed>"
        return self._change()

    def _look(self) -> str:
        """The step that finds what the job is about."""
        if self.job.path in self.files:
            return f"Action: read\nPath: {self.job.path}"
        if self.job.subject and self.job.kind != "add-function":
            return f"Action: locate\nQuery: {self.job.subject}"
        return "Action: map"

    def _change(self) -> str:
        """The step that writes, on the file that the job or the failing test points at."""
        job = self.job
        if job.kind == "write-test" and job.test_path:
            return adding(job.test_path, "<the new test>", exists=job.test_path in self.files)
        if job.kind == "add-function" and job.path and not self.wrote:
            return adding(job.path, "<the new function>", exists=job.path in self.files)
        failures = self.suite.failures if self.suite else ()
        raised = [f.path for f in failures if f.path in self.files and f.path not in self.tests]
        sources = sorted(p for p in self.reads if p in self.files and p not in self.tests)
        path = next(iter([*raised, *([job.path] if job.path in self.files else []), *sources]), "")
        if not path:
            return "Action: map"
        return self._rewriting(path) or replacing(path)

    def _rewriting(self, path: str) -> str:
        """A patch that holds the subject's definition as it stands: models edit what they see."""
        text = self.texts.get(path, "")
        symbol = symbols.find(text, self.job.subject) if path == self.job.path else None
        if symbol is None or symbol.kind == "class":
            return ""
        body = symbols.source(text, symbol).rstrip("\n")
        if len(body) > SHOWN or "```" in body:
            return ""
        head = f"Action: patch\nPath: {path}\nSymbol: {symbol.qualname}"
        return f"{head}\nBody:\n```\n{body}\n```"

    @property
    def suite(self) -> SuiteReport | None:
        """The newest whole run that still holds: none if files were written since."""
        return None if self.stale else self.suite_now


def replacing(path: str) -> str:
    """A patch of some lines of a file, to be filled in."""
    return (
        f"Action: patch\nPath: {path}\nFind:\n```\n<lines as they stand in the file>\n```\n"
        "Replace:\n```\n<the lines as they shall be>\n```"
    )


def adding(path: str, what: str, *, exists: bool) -> str:
    """An addition to a file that is there, or a new file, to be filled in."""
    if exists:
        return f"Action: patch\nPath: {path}\nAppend:\n```\n{what}\n```"
    return f"Action: write\nPath: {path}\nBody:\n```\n{what}\n```"


def fingerprint(action: Action) -> str:
    """The same for two steps that ask for the same, whatever their spacing at the ends."""
    parts = [action.verb, *(f"{k}={v.strip()}" for k, v in sorted(action.fields.items()))]
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "replace")).hexdigest()
