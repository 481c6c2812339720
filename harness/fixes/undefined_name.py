"""Mends a name that is not defined, in the file of a fix job or wherever the project has one.

A misspelt name or attribute with one near name, or a missing import; asks where there are several.
Does not cover any other fault: a job that names another error is not its job.
"""

from __future__ import annotations

from harness.fix import Carried, Mend, Question
from harness.source import importable, reach, spelling, syntax
from harness.source.project import Project
from harness.source.reach import Aim
from harness.types import Job

STAGE = "project"
EXAMPLES = (
    ("fix the NameError in orders.py", "def f(total):\n    return totl\n"),
    ("fix f", "def f(text):\n    return json.loads(text)\n"),
)


def carry(job: Job, project: Project) -> Carried | None:
    """The mended files, or the first question; None where the job is about something else."""
    aim = reach.aim(job, project)
    for paths in aim.tiers if aim else ():
        if (carried := _over(paths, aim, project)) is not None:
            return carried
    return None


def settle(job: Job, project: Project, answer: str) -> Carried | None:
    """What an answer to the question of `carry` does; None where the answer cannot stand there."""
    carried = carry(job, project)
    if carried is None or carried.question is None:
        return None
    return carried.question.by_answer(answer.strip().strip("`"))


def _over(paths: tuple[str, ...], aim: Aim | None, project: Project) -> Carried | None:
    """The mend of some files; a question only where none of them can be mended."""
    files: dict[str, str | None] = {}
    notes: list[str] = []
    questions: list[Question] = []
    for path in paths:
        text = project.text(path)
        if aim is None or aim.only not in text:
            continue
        mended = _mended(path, text, project, aim)
        if mended.text != text:
            files[path] = mended.text
            notes += mended.notes
        if mended.question is not None:
            questions.append(mended.question)
    if files:
        return Carried(files, (*notes, *(f"left open: {q.text}" for q in questions)))
    return Carried({}, question=questions[0]) if questions else None


def _mended(path: str, text: str, project: Project, aim: Aim) -> Mend:
    """One file after its attributes, imports and names are put right."""
    if syntax.tree(text) is None:
        return Mend(text)
    left = aim.left(path, text)
    attributes = spelling.respelt_attributes(
        path, text, project, lambda name, line: aim.wants(path, name, line)
    )
    imported = importable.with_imports(path, attributes.text, project, left)
    # What an import would define under exactly that name is no slip.
    exact = importable.known(path, imported.text, project)
    names = spelling.respelt(path, imported.text, exact | left)
    done = (attributes, imported, names)
    asked = [one.question for one in (imported, names, attributes) if one.question]
    notes = tuple(note for one in done for note in one.notes)
    return Mend(names.text, notes, asked[0] if asked else None)
