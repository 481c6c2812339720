"""Mends a name that is not defined, in the file of a fix job or wherever the project has one.

A misspelt name or attribute with one near name, or a missing import; asks where there are several.
Does not cover any other fault: a job that names another error is not its job.
"""

from __future__ import annotations

import re

from harness import importable, imports, spelling
from harness.fix import Carried, Mend, Question
from harness.project import Project
from harness.types import Job

STAGE = "project"
EXAMPLES = (
    ("fix the NameError in orders.py", "def f(total):\n    return totl\n"),
    ("fix f", "def f(text):\n    return json.loads(text)\n"),
)

_UNDEFINED = re.compile(r"name ['\"`](\w+)['\"`] is not defined|undefined name ['\"`]?(\w+)")
_ATTRIBUTE = re.compile(r"object has no attribute ['\"`](\w+)['\"`]")
_SAID = re.compile(r"\bNameError\b|\bnot defined\b|\bundefined\b|\bmisspel|\btypo\b", re.IGNORECASE)
_ERRORS = ("", "NameError", "UnboundLocalError", "AttributeError")
MAX_FILES = 2000


def carry(job: Job, project: Project) -> Carried | None:
    """The mended files, or the first question; None where the job is about something else."""
    if job.kind != "fix" or job.error not in _ERRORS:
        return None
    said = f"{job.task}\n{job.evidence}"
    files: dict[str, str | None] = {}
    notes: list[str] = []
    question: Question | None = None
    for path in _paths(job, project, said):
        mended = _mended(path, project, said, job)
        if mended.text != project.text(path):
            files[path] = mended.text
            notes += mended.notes
        elif question is None:
            question = mended.question
    if files:
        return Carried(files, tuple(notes))
    return Carried({}, question=question) if question else None


def _only(said: str, pattern: re.Pattern[str]) -> str:
    """The one name that the words complain of; empty where there is none, or more than one."""
    found = {name for match in pattern.finditer(said) for name in match.groups() if name}
    return found.pop() if len(found) == 1 else ""


def _paths(job: Job, project: Project, said: str) -> tuple[str, ...]:
    """The files to look into: those named, else the subject's, else all if a name is at fault."""
    named = tuple(p for p in job.files if p.endswith(".py") and p in project.files)
    if named:
        return named
    if job.path in project.files and job.path.endswith(".py"):
        return (job.path,)
    if job.error in ("NameError", "AttributeError") or _SAID.search(said):
        return project.sources()[:MAX_FILES]
    return ()


def _mended(path: str, project: Project, said: str, job: Job) -> Mend:
    """One file after imports, names and attributes."""
    text = project.text(path)
    attribute = _only(said, _ATTRIBUTE)
    done: list[Mend] = []
    if job.error != "AttributeError":
        only = _only(said, _UNDEFINED)
        done.append(importable.with_imports(path, text, project, "", only))
        done.append(spelling.respelt(path, done[-1].text, "", only))
    before = done[-1].text if done else text
    if job.error == "AttributeError" or attribute or _SAID.search(said):
        done.append(spelling.respelt_attributes(path, before, project, "", attribute))
    notes = tuple(note for mend in done for note in mend.notes)
    asked = next((mend.question for mend in done if mend.question), None)
    return Mend(done[-1].text, notes, asked)


def settle(job: Job, project: Project, answer: str) -> Carried | None:
    """The undefined name replaced by an answer, or imported by it; None if that mends nothing."""
    answer = answer.strip().strip("`")
    said = f"{job.task}\n{job.evidence}"
    for path in _paths(job, project, said):
        text = project.text(path)
        open_ones = spelling.unknown(text, "", _only(said, _UNDEFINED))
        if not open_ones:
            continue
        if answer.startswith(("import ", "from ")):
            changed = imports.add(text, answer)
            if spelling.undefined_in(changed) < spelling.undefined_in(text):
                return Carried({path: changed}, (f"{path}: added `{answer}`, as answered",))
            continue
        first = next((u.name for u in open_ones if len(u.in_scope) != 1), open_ones[0].name)
        uses = [u for u in open_ones if u.name == first]
        carried = spelling.answered(path, text, uses, answer)
        if carried is not None:
            return carried
    return None
