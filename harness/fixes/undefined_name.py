"""Mends a name that is not defined, in the file of a fix job or wherever the project has one.

A misspelt name or attribute with one near name, or a missing import; asks where there are several.
Does not cover any other fault: a job that names another error is not its job.
"""

from __future__ import annotations

import ast
import re

from harness import importable, scope, spelling, symbols
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
        mended = _mended(path, project, _only(said, _UNDEFINED), job)
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
    found = {
        name
        for match in pattern.findall(said)
        for name in ([match] if isinstance(match, str) else match)
        if name
    }
    return found.pop() if len(found) == 1 else ""


def _paths(job: Job, project: Project, said: str) -> tuple[str, ...]:
    """The files to look into: those named, else the subject's, else all where a name is at fault."""
    named = tuple(p for p in job.files if p.endswith(".py") and p in project.files)
    if named:
        return named
    if job.path in project.files and job.path.endswith(".py"):
        return (job.path,)
    if job.error in ("NameError", "AttributeError") or _SAID.search(said):
        return project.sources()[:MAX_FILES]
    return ()


def _mended(path: str, project: Project, only: str, job: Job) -> Mend:
    """One file after imports, names and attributes."""
    text = project.text(path)
    said = f"{job.task}\n{job.evidence}"
    attribute = _only(said, _ATTRIBUTE)
    done: list[Mend] = []
    if job.error != "AttributeError":
        done.append(importable.with_imports(path, text, project, "", only))
        done.append(spelling.respelt(path, done[-1].text, "", only))
    before = done[-1].text if done else text
    if job.error == "AttributeError" or "attribute" in said or _SAID.search(said):
        mended = spelling.respelt_attributes(path, before, project, "", attribute)
        done.append(mended)
    notes = tuple(note for mend in done for note in mend.notes)
    asked = next((mend.question for mend in done if mend.question), None)
    return Mend(done[-1].text, notes, asked)


def settle(job: Job, project: Project, answer: str) -> Carried | None:
    """The undefined name replaced by an answer, or imported by it; None where that mends nothing."""
    answer = answer.strip().strip("`")
    said = f"{job.task}\n{job.evidence}"
    for path in _paths(job, project, said):
        text = project.text(path)
        asked = spelling.unknown(text, "", _only(said, _UNDEFINED))
        if not asked:
            continue
        changed = _answered(text, asked, answer)
        left = {u.name for u in scope.undefined(changed)}
        known = {u.name for u in scope.undefined(text)}
        if not symbols.parses(changed) and changed != text and left < known:
            return Carried({path: changed}, (f"{path}: {answer}, as answered",))
    return None


def _answered(text: str, asked: tuple[scope.UndefinedName, ...], answer: str) -> str:
    """The text with the first undefined name that is open to an answer replaced by it."""
    from harness import imports

    if answer.startswith(("import ", "from ")):
        return imports.add(text, answer)
    try:
        ast.parse(answer, mode="eval")
    except SyntaxError:
        return text
    open_ = next((u for u in asked if len(u.in_scope) != 1), asked[0])
    own = {symbol.name for symbol in _around(text, open_.line)}
    if answer in own or f"self.{open_.name}" == answer and not spelling.own_attributes(text, open_):
        return text
    places = [
        spelling.Place(u.line, u.column, u.name, answer) for u in asked if u.name == open_.name
    ]
    return spelling.exchanged(text, places)


def _around(text: str, line: int) -> list[symbols.Symbol]:
    """The functions around a line."""
    return [
        s
        for s in symbols.everything(text)
        if s.kind in ("function", "method") and s.first_line <= line <= s.end_line
    ]
