"""Renames a function, class, method or constant with all its uses, where it can vouch for each.

Does not cover names in strings and comments, which it names for a look, nor files (`moved_module`).
Half a job is none: what analysis leaves open is asked, what cannot be verified is refused.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from dataclasses import dataclass, replace

from harness.fix import Carried, Question
from harness.source import integrity, meaning, members, mentions, places, roping, symbols
from harness.source.project import Project
from harness.source.roping import Place
from harness.types import Job

STAGE = "project"
EXAMPLES: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class _Task:
    """A rename that may be tried."""

    job: Job
    project: Project
    old: str
    new: str
    member: members.Member | None
    """Set if it is of a class."""


def carry(job: Job, project: Project) -> Carried | None:
    """The whole job in new texts; no file, with the reason or a question, where it cannot be."""
    if job.kind != "rename" or not job.subject or not job.path:
        return None
    return _renamed(job, project, None)


def settle(job: Job, project: Project, answer: str) -> Carried | None:
    """What an answer to the question of `carry` does; None where there was no question."""
    carried = carry(job, project)
    if carried is None or carried.question is None:
        return None
    return carried.question.by_answer(answer.strip().strip("`"))


def _renamed(job: Job, project: Project, doubtful: bool | None) -> Carried:
    """A rename wherever the definition is used; `doubtful` says what becomes of doubtful uses."""
    owner, _, old = job.subject.rpartition(".")
    new, text = job.target, project.text(job.path)
    if not new.isidentifier() or keyword.iskeyword(new):
        return _another(f"{new!r} is no name in Python; which name instead?", job, project)
    if symbols.find(text, job.subject) is None:
        return Carried({}, (f"{job.subject} is not defined in {job.path}",))
    if old == new:
        return Carried({}, (f"{old} has that name already",))
    if old.startswith("__") and old.endswith("__"):
        return Carried({}, (f"{old} is a special name, by which others call it",))
    found = symbols.find(text, owner) if owner else None
    member = None
    if found is not None and found.kind == "class":
        member = members.of(project, job.path, job.subject)
        if member.taken(new):
            return _another(f"{member.taken(new)} has {new}; which name instead?", job, project)
        if outer := member.overridden():
            return Carried({}, (f"{old} must keep its name: it overrides {outer}.{old}",))
    return _tried(_Task(job, project, old, new, member), doubtful)


def _another(text: str, job: Job, project: Project) -> Carried:
    """The question for another name."""

    def by_answer(answer: str) -> Carried | None:
        return _renamed(replace(job, target=answer), project, None) if answer else None

    return Carried({}, question=Question(text, by_answer=by_answer))


def _tried(task: _Task, doubtful: bool | None) -> Carried:
    """The rename with what analysis finds, verified."""
    job, project = task.job, task.project
    starts = task.member.starts() if task.member else _starts(task)
    among = project.python_files() if task.member else project.reaching(job.path)
    found = roping.uses(project, task.old, starts, among)
    if isinstance(found, str):
        return Carried({}, (f"cannot rename {task.old}: {found}",))
    chosen = set(found.sure) | set(starts)
    notes: tuple[str, ...] = ()
    if task.member is not None:
        sorted_out = task.member.sorted_out(found)
        if sorted_out.doubtful and doubtful is None:
            return _doubt(task, sorted_out.doubtful)
        chosen = set(sorted_out.meant) | (set(sorted_out.doubtful) if doubtful else set())
        notes = sorted_out.notes
        if doubtful is False:
            notes += tuple(f"left as it is: {_said(p, project)}" for p in sorted_out.doubtful)
    files = places.exchanged(project, chosen, task.old, task.new)
    if "." not in job.subject:
        files = places.kept(project, files, job.path, task.old, task.new)
        files = places.exported(project, files, task.old, task.new)
    return _verified(task, files, notes)


def _starts(task: _Task) -> frozenset[Place]:
    """Where the definition stands, with the others of its name in the same scope."""
    text = task.project.text(task.job.path)
    same = [s for s in symbols.everything(text) if s.qualname == task.job.subject]
    return frozenset(Place(task.job.path, places.of_symbol(text, s)) for s in same)


def _doubt(task: _Task, doubtful: Iterable[Place]) -> Carried:
    """The question whether doubtful uses are meant too."""
    first = sorted(doubtful, key=lambda p: (p.path, p.offset))
    more = f" and {len(first) - 1} more" if len(first) > 1 else ""
    text = f"is {task.job.subject} meant in {_said(first[0], task.project)}{more}?"

    def by_answer(answer: str) -> Carried | None:
        word = answer.lower()
        if word not in ("rename", "leave"):
            return None
        return _renamed(task.job, task.project, word == "rename")

    return Carried({}, question=Question(text, ("rename", "leave"), by_answer))


def _said(place: Place, project: Project) -> str:
    """A place for a person: path, line and the line's text."""
    line, text = places.line_of(project.text(place.path), place.offset)
    return f"{place.path}:{line} `{text}`"


def _verified(task: _Task, files: dict[str, str], notes: tuple[str, ...]) -> Carried:
    """The change if every text means the same under the new name and nothing is left behind."""
    job, project, old, new = task.job, task.project, task.old, task.new
    if not files:
        return Carried({}, (f"{old} is not used anywhere",))
    for path, text in files.items():
        if wrong := meaning.differs(project.text(path), text, old, new):
            if "already" in wrong:
                return _another(f"in {path} {wrong}; which name instead?", job, project)
            return Carried({}, (f"cannot rename {old} whole: in {path} {wrong}",))
    made = integrity.change(project, files, {})
    if wrong := integrity.broken(made, old):
        return Carried({}, (f"cannot rename {old} whole: {wrong}",))
    said = f"{old} is {new} now in {len(files)} file{'s' if len(files) > 1 else ''}"
    return Carried(dict(files), (said, *notes, *mentions.notes(made.after, old)))
