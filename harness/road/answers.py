"""Owns `ask`: an answer with evidence, file and line, checked to exist; behaviour is run.

Does not cover questions whose subject is not known: those go through the loop, without writes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from harness.reading import fenced
from harness.road.desk import Desk
from harness.source import symbols
from harness.source.project import Project
from harness.source.symbols import Symbol
from harness.trial.examples import calls_in
from harness.types import DecidedBy, Message, Request, Sampling

MAX_SHOWN = 120
MAX_CALLERS = 8
MAX_ANSWER = 300
_WHERE = re.compile(r"\bwhere\b.*\b(defined|declared|implemented|live|is)\b|\bwhich file\b", re.I)
_WHO = re.compile(r"\b(who|what|which)\b.*\b(calls?|uses?|imports?|depends on)\b|\bcallers\b", re.I)
_CITED = re.compile(
    r"\b(?P<path>[\w./-]+\.pyi?)(?::|,? lines? )(?P<line>\d+)(?:\s*[-–]\s*(?P<end>\d+))?"
)

SYSTEM = (
    "You answer questions about Python code that is shown with line numbers. Answer in one to "
    "three sentences, from the code alone. Name the file and line you rely on as path:line."
)


@dataclass(frozen=True)
class Evidence:
    """One place that an answer rests on."""

    path: str
    line: int
    """1-based."""
    text: str
    """The line itself, stripped, or what came out of a run."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def place(path: str, line: int, project: Project) -> Evidence:
    """A line of a file as evidence."""
    lines = project.text(path).splitlines()
    return Evidence(path, line, lines[line - 1].strip() if 0 < line <= len(lines) else "")


def mechanical(
    question: str, path: str, symbol: Symbol, project: Project
) -> tuple[str, list[Evidence]]:
    """Answers that need no model: where something is defined, and who calls it; else empty."""
    here = place(path, symbol.line, project)
    if _WHO.search(question):
        callers = [c for c in project.callers(symbol.qualname) if c[:2] != (path, symbol.line)]
        if not callers:
            return f"Nothing in this project calls {symbol.qualname}.", [here]
        places = [Evidence(p, line, text.strip()) for p, line, text in callers[:MAX_CALLERS]]
        named = ", ".join(dict.fromkeys(f"{e.path}:{e.line}" for e in places))
        more = f" and {len(callers) - MAX_CALLERS} more" if len(callers) > MAX_CALLERS else ""
        return f"{symbol.qualname} is called in {named}{more}.", places
    if _WHERE.search(question):
        return f"{symbol.qualname} is defined in {path}, line {symbol.line}.", [here]
    return "", []


def executed(question: str, path: str, symbol: Symbol, desk: Desk) -> list[str]:
    """Calls of the subject that the question spells, run in the bounded process."""
    module = desk.project.module_of(path)
    said = []
    for call in calls_in(question, symbol.qualname)[:3]:
        code = (
            f"import importlib\nnames = dict(vars(importlib.import_module({module!r})))\n"
            f"try:\n    print('gives', repr(eval({call!r}, names))[:400])\n"
            "except Exception as error:\n"
            "    print('raises', type(error).__name__ + ':', str(error)[:400])\n"
        )
        ran = desk.oracle.python(desk.scratch.folder, code)
        lines = ran.stdout.strip().splitlines()
        said.append(f"{call} {lines[-1] if lines else 'did not end'}")
    return said


def messages(
    question: str, path: str, symbol: Symbol, ran: Sequence[str], project: Project
) -> tuple[Message, ...]:
    """What the model is asked: the definition with line numbers, its callers, what was run."""
    text = project.text(path)
    lines = text.splitlines()[symbol.line - 1 : symbol.end_line][:MAX_SHOWN]
    numbered = "\n".join(f"{symbol.line + k}: {line}" for k, line in enumerate(lines))
    parts = [f"{path}\n{fenced.wrapped(numbered)}"]
    callers = project.callers(symbol.qualname)[:3]
    if callers:
        parts.append("Called in:\n" + "\n".join(f"{p}:{n}: {t.strip()}" for p, n, t in callers))
    if ran:
        parts.append("Run just now:\n" + "\n".join(ran))
    parts.append(f"Question: {question.strip()}")
    return (Message("system", SYSTEM), Message("user", "\n\n".join(parts)))


def cited(answer: str, project: Project) -> tuple[list[Evidence], list[str]]:
    """Places that an answer names: those that exist, and the others as they were written."""
    real, wrong = [], []
    for match in _CITED.finditer(answer):
        name, line = match["path"].removeprefix("./"), int(match["line"])
        same = [p for p in project.files if p == name or p.endswith("/" + name)]
        if len(same) == 1 and 0 < line <= len(project.text(same[0]).splitlines()):
            real.append(place(same[0], line, project))
        else:
            wrong.append(match.group())
    return real, wrong


def facts(path: str, symbol: Symbol, project: Project) -> list[Evidence]:
    """What can be quoted of a function whatever the answer says: its head and its returns."""
    found = [place(path, symbol.line, project)]
    source = symbols.source(project.text(path), symbol)
    try:
        tree = ast.parse(_flush(source))
    except SyntaxError:
        return found
    lines = [n.lineno for n in ast.walk(tree) if isinstance(n, (ast.Return, ast.Yield, ast.Raise))]
    return found + [place(path, symbol.line + line - 1, project) for line in sorted(set(lines))[:4]]


def _flush(source: str) -> str:
    """A definition without its own indentation."""
    lines = source.splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    return "\n".join(line[indent:] if line[:indent].isspace() else line for line in lines)


def thin(answer: str, question: str, given: str) -> bool:
    """Whether an answer says too little, or only says again what it was given."""
    words = re.findall(r"\w+", answer)
    if len(words) < 3:
        return True
    plain = " ".join(answer.split()).lower()
    return plain in " ".join(given.split()).lower() or plain == " ".join(question.split()).lower()


@dataclass(frozen=True)
class Answer:
    """An answer and what it rests on."""

    text: str
    evidence: tuple[Evidence, ...]
    ran: tuple[str, ...]
    """What was run for it, each a call and what it gave."""
    decided_by: DecidedBy
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [self.text, *(f"  ran {line}" for line in self.ran)]
        return "\n".join([*lines, *(f"  {e}" for e in self.evidence)])


def answer(desk: Desk, symbol: Symbol, ask: Callable[[Request], str]) -> Answer:
    """The answer to the desk's question about a symbol; `ask` sends a request to the model."""
    job, project = desk.job, desk.project
    text, found = mechanical(job.task, job.path, symbol, project)
    if text:
        return Answer(text, tuple(found), (), "harness")
    ran = tuple(executed(job.task, job.path, symbol, desk))
    asked = messages(job.task, job.path, symbol, ran, project)
    settings = desk.settings
    sampling = Sampling(max_tokens=min(MAX_ANSWER, settings.max_tokens), num_ctx=settings.num_ctx)
    request = Request("chat", settings.model, sampling, asked, purpose="ask")
    text = ask(request).strip()
    if thin(text, job.task, asked[-1].content):
        text = ask(replace(request, messages=(*asked, *_again(text)), purpose="ask again")).strip()
    real, wrong = cited(text, project)
    notes = tuple(f"the answer names {name}, which does not exist" for name in wrong)
    known = {(e.path, e.line) for e in real}
    real += [e for e in facts(job.path, symbol, project) if (e.path, e.line) not in known]
    if thin(text, job.task, asked[-1].content):
        notes += ("the model gave no answer of its own; the lines below are the code's",)
        return Answer(f"{symbol.signature}", tuple(real), ran, "harness", notes)
    return Answer(text, tuple(real), ran, "mixed" if ran else "model", notes)


def _again(text: str) -> tuple[Message, ...]:
    """The one nudge after a thin or echoed answer."""
    nudge = "Say in a full sentence of your own what the code does, with path:line."
    return (Message("assistant", text or "(nothing)"), Message("user", nudge))
