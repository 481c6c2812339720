"""Owns what a step may touch: the staged files of a run, their throw-away copy, and the person.

Does not cover which steps are allowed (`guards`), nor the one write into the person's tree at the
end (`session`, through `workspace`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from harness import parts
from harness.events import Asked, Event, Fixed, Listener, SuiteRan, Waiting
from harness.road.moment import Pair
from harness.settings import Settings
from harness.source.project import Project
from harness.suite.oracle import Oracle
from harness.tree.fence import is_protected
from harness.tree.scratch import Scratch
from harness.tree.workspace import Workspace
from harness.types import Change, Job, Refusal, SuiteReport

Asker = Callable[[str, tuple[str, ...]], str | None]
Gate = Callable[[Mapping[str, Pair]], Refusal | None]

MAX_PASSES = 3


def _nothing_told(event: Event) -> None:
    """A listener that hears nothing."""


def _nobody(question: str, options: tuple[str, ...]) -> str | None:
    """An answerer that is not there."""
    return None


def _open(changes: Mapping[str, Pair]) -> Refusal | None:
    """A gate that lets every change through."""
    return None


@dataclass(frozen=True)
class Laid:
    """A change that was laid into the throw-away copy."""

    changes: tuple[Change, ...]
    """Against the files as they stood just before."""
    notes: tuple[str, ...]
    """What the fixes did, one line each."""


@dataclass
class Desk:
    """What a step may touch. It changes as the run goes; the person's tree does not."""

    workspace: Workspace
    """The fence and the person's files, read only here."""
    oracle: Oracle
    """Runs the project's suite."""
    scratch: Scratch
    """The throw-away copy; always holds the tree with `overlay` laid into it."""
    job: Job
    """What was asked."""
    settings: Settings
    """Knobs of the run."""
    tell: Listener = _nothing_told
    """Hears what happens."""
    ask: Asker = _nobody
    """Puts a question to the person; None where nobody answers."""
    run_id: str = ""
    """Id of the run."""
    suite_before: SuiteReport | None = None
    """Suite on the tree as it came."""
    gate: Gate = _open
    """Asked before a change is laid; the loop puts the guards of stage write here."""
    overlay: dict[str, str | None] = field(default_factory=dict)
    """Staged text by relative path; None removes the file."""
    reads: set[str] = field(default_factory=set)
    """Paths whose text was shown to the model, or that it wrote."""
    writes: list[tuple[str, str]] = field(default_factory=list)
    """Files laid so far, as (path, sha256 of the text)."""
    asked: list[str] = field(default_factory=list)
    """Questions put so far."""
    suite_now: SuiteReport | None = None
    """Last run of the whole suite."""
    named_now: SuiteReport | None = None
    """Last run of named tests alone."""
    stale: bool = False
    """Whether something was laid after the last run of the whole suite."""
    _project: Project | None = field(default=None, repr=False)
    _files: tuple[str, ...] | None = field(default=None, repr=False)

    @property
    def project(self) -> Project:
        """The project as it stands with the staged files; made anew after each change."""
        if self._project is None:
            self._project = Project(self.workspace.root, self.files(), self.text)
        return self._project

    def files(self) -> tuple[str, ...]:
        """Relative paths of all text files in scope, staged ones included."""
        if self._files is None:
            self._files = self.workspace.files()
        gone = {path for path, text in self.overlay.items() if text is None}
        new = {path for path, text in self.overlay.items() if text is not None}
        return tuple(sorted((set(self._files) | new) - gone))

    def begin(self) -> None:
        """Forget what was shown before; the first suite holds while nothing is staged."""
        self.reads.clear()
        self.writes.clear()
        self.gate = _open
        if not self.staged():
            self.suite_now, self.named_now, self.stale = self.suite_before, None, False

    def read(self, name: str) -> str | Refusal:
        """A file's text as it stands now; a Refusal outside the fence or where there is none."""
        path = self.workspace.fence.judge(name, write=False)
        if isinstance(path, Refusal):
            return path
        if path in self.overlay:
            staged = self.overlay[path]
            if staged is None:
                return Refusal(
                    "desk", f"{path} was removed in this run", "Action: find\nPattern: *"
                )
            return staged
        found = self.workspace.read(path)
        return found if isinstance(found, Refusal) else found.text

    def meant(self, name: str) -> str | Refusal:
        """The file that a name means: itself, else the one file of that ending; or a Refusal.

        A name that fits no file stays as it is judged, so that something new can be written.
        """
        name = name.strip().strip("`'\"")
        path = self.workspace.fence.judge(name, write=False)
        if isinstance(path, Refusal) or path in self.files():
            return path
        base = path.rsplit("/", 1)[-1]
        same = [p for p in self.files() if p.rsplit("/", 1)[-1] == base]
        near = [p for p in same if path.endswith("/" + p) or p.endswith("/" + path)] or same
        return near[0] if len(near) == 1 else path

    def text(self, path: str) -> str | None:
        """A file's text as it stands now; None where it cannot be read."""
        found = self.read(path)
        return None if isinstance(found, Refusal) else found

    def original(self, path: str) -> str | None:
        """A file's text in the person's tree; None where there is none."""
        found = self.workspace.read(path)
        return None if isinstance(found, Refusal) else found.text

    def change(self, files: Mapping[str, str | None]) -> Laid | Refusal:
        """Mend, ask the gate, then lay files into the throw-away copy; all or none of them."""
        judged = {}
        for name, text in files.items():
            path = self.workspace.fence.judge(name, write=True)
            if isinstance(path, Refusal):
                return path
            judged[path] = text
        notes: list[str] = []
        pairs: dict[str, Pair] = {}
        for path, text in judged.items():
            if text is not None:
                text, said = self.mend(path, text)
                notes += said
            if (before := self.text(path)) != text:
                pairs[path] = (before, text)
        if not pairs:
            only = next(iter(judged))
            next_action = f"Action: read\nPath: {only}"
            return Refusal("desk", f"{only} already reads exactly like that", next_action)
        if (refusal := self.gate(pairs)) is not None:
            return refusal
        self.lay({path: after for path, (_, after) in pairs.items()})
        changes = tuple(Change(path, before, after) for path, (before, after) in pairs.items())
        return Laid(changes, tuple(notes))

    def mend(self, path: str, text: str) -> tuple[str, tuple[str, ...]]:
        """A draft's text after the fixes of stage draft, and what they did; tells each of them."""
        if not path.endswith((".py", ".pyi")):
            return text, ()
        fixes = {n: p for n, p in parts.all_of("fixes").items() if hasattr(p, "mend")}
        said: list[str] = []
        for _ in range(MAX_PASSES):
            before = text
            for name, part in fixes.items():
                if name in self.settings.off:
                    continue
                mended = part.mend(path, text, self.project)
                if mended.text != text:
                    text = mended.text
                    said += mended.notes or (f"{name} in {path}",)
                    for note in mended.notes or (parts.says(part),):
                        self.tell(Fixed(name, path, note))
            if text == before:
                break
        return text, tuple(said)

    def lay(self, files: Mapping[str, str | None]) -> None:
        """Put texts into the staged files and the throw-away copy; paths are judged already."""
        self.overlay.update(files)
        self.scratch.lay(files)
        for path, text in files.items():
            self.reads.add(path)
            self.writes.append(
                (path, hashlib.sha256((text or "").encode("utf-8", "replace")).hexdigest())
            )
        self.stale = True
        self._project = None

    def revert(self, overlay: Mapping[str, str | None]) -> None:
        """Go back to an earlier state of the staged files, as `staged` gave it."""
        self.scratch.reset()
        self.overlay = dict(overlay)
        if self.overlay:
            self.scratch.lay(self.overlay)
        self.stale = True
        self._project = None

    def staged(self) -> dict[str, str | None]:
        """Staged files that differ from the person's tree, by relative path; None removes."""
        return {p: text for p, text in self.overlay.items() if self.original(p) != text}

    def suite(self, when: str, tests: Sequence[str] = ()) -> SuiteReport:
        """Run the suite, or tests by their ids, in the throw-away copy; tells it."""
        self.tell(Waiting("the tests run"))
        report = self.oracle.suite(self.scratch.folder, tests)
        self.tell(SuiteRan(when, report))
        if tests:
            self.named_now = report
        else:
            self.suite_now, self.stale = report, False
        return report

    def question(self, question: str, options: Sequence[str] = ()) -> str | None:
        """Put a question to the person and count it; None where nobody answers."""
        self.asked.append(question)
        self.tell(Asked(question, tuple(options)))
        answer = self.ask(question, tuple(options))
        return answer.strip() if answer and answer.strip() else None

    def covering(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Test files that touch the files given: themselves, or by import of their modules."""
        project = self.project
        modules = {path: dotted for dotted, path in project.modules().items()}
        found = [p for p in paths if project.is_test(p)]
        for path in paths:
            if path in modules:
                found += [p for p in project.importers(modules[path]) if project.is_test(p)]
        return tuple(dict.fromkeys(found))

    def is_protected(self, path: str) -> bool:
        """Whether a file holds test configuration, which a run does not edit."""
        return is_protected(path)
