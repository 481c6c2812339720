"""Owns the course of one run: what needs no model, then drafts, then the loop, then one offer.

Does not cover the parts themselves, nor what is kept of a run (`session`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from harness import parts
from harness.errors import EngineError
from harness.events import Drafted, Fixed, Note
from harness.model.engine import Engine
from harness.model.recording import Recorder
from harness.road import answers, checks, context, drafts, excerpt, loop, offer
from harness.road.desk import Desk
from harness.road.drafts import Judged
from harness.source import symbols
from harness.suite.oracle import newly_red
from harness.tree import gittree
from harness.types import DecidedBy, Outcome, Request, RunResult, Usage, Verdict

UNRELIABLE = ("not-importable", "timeout", "crashed")


@dataclass
class Course:
    """One run under way."""

    desk: Desk
    recorder: Recorder
    warm: Callable[[], Engine]
    accept: offer.Accept
    deadline: float
    """Clock of `time.monotonic` at which nothing new is begun."""
    roads: set[Literal["short", "long"]] = field(default_factory=set)
    spent: drafts.Spent = field(default_factory=drafts.Spent)
    notes: list[str] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    refusals: int = 0
    missing: str = ""
    """What of the job was not done though the rest is offered."""

    def note(self, text: str) -> None:
        """Tell the person something and keep it with the result."""
        self.notes.append(text)
        self.desk.tell(Note(text))

    def end(self, outcome: Outcome, summary: str, **more: Any) -> RunResult:
        """The result of a run that ends here, with what it used so far."""
        spent = self.spent
        return RunResult(
            outcome,
            summary,
            self.desk.job,
            road=self._road(),
            before=self.desk.suite_before,
            steps=spent.turns,
            refusals=self.refusals,
            drafts=spent.drafts,
            usage=Usage(spent.input_tokens, spent.output_tokens),
            notes=tuple(self.notes),
            **more,
        )

    def _road(self) -> Literal["none", "short", "long", "both"]:
        """Which roads were taken, in one word."""
        if not self.roads:
            return "none"
        return "both" if len(self.roads) > 1 else next(iter(self.roads))


def run(
    desk: Desk, recorder: Recorder, warm: Callable[[], Engine], accept: offer.Accept
) -> RunResult:
    """From a job to its end. An engine that fails is an end, not an exception."""
    deadline = time.monotonic() + desk.settings.budget_s
    course = Course(desk, recorder, warm, accept, deadline)
    try:
        return _question(course) if desk.job.kind == "ask" else _job(course)
    except EngineError as wrong:
        return course.end("engine-failed", str(wrong))


def _job(course: Course) -> RunResult:
    """A job that may write: the suite as it is, fixes, drafts, the loop, the offer."""
    desk = course.desk
    if changed := gittree.dirty(desk.workspace.root):
        more = " …" if len(changed) > 3 else ""
        course.note(f"the git tree has changes of its own: {', '.join(changed[:3])}{more}")
    desk.suite_before = desk.suite("before")
    if desk.suite_before.status in UNRELIABLE:
        course.note(f"the suite cannot be relied on: {excerpt.in_short(desk.suite_before)}")
    if desk.job.kind in ("fix", "other") and not desk.job.subject and desk.suite_before.failures:
        desk.job = context.pointed(desk.job, desk.suite_before, desk.project)
    if (ended := _mechanical(course)) is not None:
        return ended
    if desk.job.kind in ("rename", "move"):
        said = f"found no safe way to {desk.job.kind} {desk.job.subject or desk.job.path}"
        return course.end("gave-up", said)
    chosen = _short(course) if _fit_for_drafts(desk) else None
    if chosen is not None:
        return _offered(course, chosen)
    if desk.settings.road == "short":
        return course.end("gave-up", _why_none(course))
    return _long(course)


def _fit_for_drafts(desk: Desk) -> bool:
    """Whether the short road is switched on and knows what the job is about."""
    job, settings = desk.job, desk.settings
    if settings.road == "long" or settings.drafts == 0:
        return False
    return bool(job.path) and bool(job.subject or job.kind in ("fix", "other"))


def _mechanical(course: Course) -> RunResult | None:
    """A fix that carries the whole job without a model, if there is one and the suite agrees."""
    desk = course.desk
    for name, part in parts.all_of("fixes").items():
        if not hasattr(part, "carry") or name in desk.settings.off:
            continue
        carried = part.carry(desk.job, desk.project)
        if carried is not None and carried.question is not None:
            answer = desk.question(carried.question.text, carried.question.options)
            if answer is None:
                return course.end("asked", carried.question.text)
            carried = part.settle(desk.job, desk.project, answer)
        if carried is None:
            continue
        if not carried.files:
            for note in carried.notes:
                course.note(f"{name}: {note}")
            continue
        for path in carried.files:
            desk.tell(Fixed(name, path, "; ".join(carried.notes) or parts.says(part)))
        if (verdict := _unharmed(course, name, carried.files, carried.notes)) is not None:
            return _made(course, carried.files, verdict, "harness")
    return None


def _unharmed(
    course: Course, name: str, files: Mapping[str, str | None], notes: tuple[str, ...]
) -> Verdict | None:
    """The verdict on a mechanical change that breaks nothing; None, with a note, where it does."""
    desk, before = course.desk, course.desk.suite_before
    parsed = {p: symbols.parses(t) for p, t in files.items() if t and p.endswith(".py")}
    if bad := [p for p, error in parsed.items() if error]:
        course.note(f"{name}: {bad[0]} would not parse")
        return None
    with checks.laid(desk, files):
        report = desk.suite("draft")
    red = newly_red(before, report) if before is not None else ()
    if red:
        course.note(f"{name}: newly red: {', '.join(red[:3])}")
        return None
    unnamed = desk.job.kind == "fix" and not desk.job.error
    failing = before.failing() if before is not None and unnamed else frozenset()
    if failing and not failing - report.failing():
        course.note(f"{name}: what failed still fails")
        return None
    return Verdict(True, report.green, "; ".join(notes) or name, "", report)


def _short(course: Course) -> Judged | None:
    """The short road, with a test of what was added where one was asked for."""
    chosen = _walk(course, alone=True)
    if chosen is not None and course.desk.job.wants_test:
        return _with_test(course, chosen)
    return chosen


def _walk(course: Course, *, alone: bool, label: str = "draft") -> Judged | None:
    """One walk; an engine that gives out is a note if a draft stands without it, else an end."""
    course.roads.add("short")
    road = drafts.Road(course.desk, course.warm, course.deadline, course.spent)
    road.alone, road.label = alone, label
    chosen = drafts.walk(road, context.brief_of(course.desk))
    course.judged += road.found
    for judged in road.found:
        course.recorder.row("draft", _row(judged))
    if road.trouble is not None:
        if chosen is None:
            raise road.trouble
        course.note(f"went on without a model: {road.trouble}")
    return chosen


def _row(judged: Judged) -> dict[str, Any]:
    """What a recording keeps of a draft and its verdict."""
    draft, verdict = judged.draft, judged.verdict
    return {
        "number": draft.number,
        "drafter": draft.drafter,
        "files": dict(draft.files),
        "notes": list(draft.notes),
        "accepted": verdict.accepted,
        "proven": verdict.proven,
        "reason": verdict.reason,
    }


def _with_test(course: Course, chosen: Judged) -> Judged:
    """An added function with a test: the draft's own if it notices mutants, else one drawn apart.

    A test made from what the new code does would agree with it whatever it does: none is made.
    """
    code = chosen.draft.files
    with _testing(course, chosen, code):
        found = _own_test(course, chosen) or _walk(course, alone=False, label="test draft")
    if found is None:
        course.missing = f"no test of {course.desk.job.subject} was accepted"
        course.note(course.missing)
        return chosen
    files = {**code, **found.draft.files}
    notes = (*chosen.draft.notes, *found.draft.notes)
    draft = replace(chosen.draft, files=files, notes=notes)
    return Judged(draft, _both(chosen.verdict, found.verdict))


def _own_test(course: Course, chosen: Judged) -> Judged | None:
    """The first tests that came with a draft and stand up to the chosen code, its own first."""
    for judged in sorted(course.judged, key=lambda j: j.draft.number != chosen.draft.number):
        if judged.tests:
            found = drafts.judge_tests(course.desk, judged.tests, judged.draft.drafter)
            course.desk.tell(Drafted(found.draft, found.verdict))
            if found.verdict.accepted:
                return found
    return None


@contextmanager
def _testing(course: Course, chosen: Judged, code: Mapping[str, str]) -> Iterator[None]:
    """The desk with the new code staged and a test of it as the job; as it was afterwards."""
    desk = course.desk
    job, before, drafted = desk.job, desk.suite_before, course.spent.drafts
    path = checks.holder(code, desk) or job.path
    desk.lay(code)
    task = f"Write a unit test for `{job.subject}`, which was asked for like this: {job.task}"
    desk.job = replace(
        job,
        kind="write-test",
        task=task,
        path=path,
        test_path=desk.project.test_file_for(path),
        wants_test=False,
    )
    desk.suite_before = chosen.verdict.suite if chosen.verdict.suite else before
    course.spent.drafts = 0
    try:
        yield
    finally:
        desk.job, desk.suite_before = job, before
        course.spent.drafts += drafted
        desk.revert({})


def _both(code: Verdict, test: Verdict) -> Verdict:
    """The verdict on a function and its test together."""
    reason = f"{code.reason}; {test.reason}"
    return Verdict(True, code.proven or test.proven, reason, "", test.suite, test.score)


def _offered(course: Course, chosen: Judged) -> RunResult:
    """The offer of a draft that was accepted by the checks."""
    draft = chosen.draft
    for note in draft.notes:
        course.note(note)
    decided: DecidedBy = "model" if draft.by_model else "harness"
    if draft.by_model and draft.notes:
        decided = "mixed"
    return _made(course, draft.files, chosen.verdict, decided)


def _made(
    course: Course, files: Mapping[str, str | None], verdict: Verdict, decided: DecidedBy
) -> RunResult:
    """The end of a run that has a change to offer."""
    made = offer.make(course.desk, files, verdict, course.accept)
    outcome, summary = made.outcome, made.summary
    if outcome == "done" and course.missing:
        outcome, summary = "gave-up", f"{course.missing}; the rest is written: {summary}"
    return course.end(
        outcome,
        summary,
        decided_by=decided,
        changes=made.changes,
        diff=made.diff,
        after=verdict.suite,
        writes=len(made.changes) if made.outcome == "done" else 0,
    )


def _why_none(course: Course) -> str:
    """Why no draft was accepted: the best one's reason."""
    best = max(course.judged, key=lambda j: j.verdict.score, default=None)
    if best is None:
        return "no draft could be made: the task names nothing that this project defines"
    return f"none of {len(course.judged)} drafts was accepted; the nearest: {best.verdict.reason}"


def _long(course: Course) -> RunResult:
    """The Action loop, then the offer of what it staged."""
    desk = course.desk
    course.roads.add("long")
    course.warm()
    ended = loop.walk(desk, course.recorder, course.deadline)
    course.refusals += ended.refusals
    course.spent.turns += ended.steps
    course.spent.input_tokens += ended.usage.input_tokens or 0
    course.spent.output_tokens += ended.usage.output_tokens or 0
    staged = desk.staged()
    if ended.outcome != "done" or not staged:
        if course.judged and ended.outcome in ("gave-up", "out-of-steps"):
            return course.end(ended.outcome, f"{ended.summary}; {_why_none(course)}")
        return course.end(ended.outcome, ended.summary)
    report = desk.suite("after") if desk.stale or desk.suite_now is None else desk.suite_now
    red = newly_red(desk.suite_before, report) if desk.suite_before else ()
    if red:
        return course.end("broke-suite", f"newly red: {', '.join(red[:3])}; nothing was written")
    verdict = Verdict(True, report.green, ended.summary, "", report)
    return _made(course, staged, verdict, ended.decided_by)


def _question(course: Course) -> RunResult:
    """A question: answered from its subject's code, else through the loop without writes."""
    desk, job = course.desk, course.desk.job
    found = symbols.find(desk.project.text(job.path), job.subject) if job.subject else None
    if found is None:
        return _long(course)
    told = answers.answer(desk, found, lambda request: _sent(course, request))
    course.recorder.row("answer", {"text": told.text, "evidence": [str(e) for e in told.evidence]})
    for note in told.notes:
        course.note(note)
    return course.end("answered", str(told), decided_by=told.decided_by)


def _sent(course: Course, request: Request) -> str:
    """One question to the model outside the roads."""
    road = drafts.Road(course.desk, course.warm, course.deadline, course.spent)
    return drafts.send(road, request).text
