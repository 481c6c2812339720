"""Owns the short road: draft, check in a copy, keep the best; draft 0 is the bare model's.

Does not cover how a draft is asked for (`drafters`) nor what makes it acceptable (`checks`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType

from harness import parts
from harness.errors import EngineError
from harness.events import Chunk, Drafted, Turned
from harness.model.engine import Engine
from harness.road import checks
from harness.road.brief import Brief
from harness.road.desk import Desk
from harness.source import pruning
from harness.trial import behaviour
from harness.types import Draft, Fault, Reply, Request, Usage, Verdict

REPAIRS = 2
AGREE = 2
_MENDABLE = re.compile(r"\b(NameError|SyntaxError|IndentationError|TypeError|ImportError|"
                       r"ModuleNotFoundError|UnboundLocalError|AttributeError)\b")  # fmt: skip


@dataclass
class Spent:
    """What a road has used so far."""

    turns: int = 0
    drafts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, usage: Usage) -> None:
        """Count one reply."""
        self.turns += 1
        self.input_tokens += usage.input_tokens or 0
        self.output_tokens += usage.output_tokens or 0


@dataclass(frozen=True)
class Judged:
    """A draft with its verdict, and how it behaves where that was observed."""

    draft: Draft
    verdict: Verdict
    behaves: tuple[str, ...] = ()
    tests: Mapping[str, str] = field(default_factory=dict)
    """Tests that came with code, not judged yet."""


@dataclass
class Road:
    """One walk of the short road: what it has, what it found."""

    desk: Desk
    engine: Callable[[], Engine]
    """Gives the warmed engine; raises EngineError. Called once a draft needs a model."""
    deadline: float
    """Clock of `time.monotonic` at which no new draft is begun."""
    spent: Spent = field(default_factory=Spent)
    found: list[Judged] = field(default_factory=list)
    repairs: int = 0
    inputs: tuple[str, ...] | None = None
    label: str = "draft"
    """What a draft of this walk is called."""
    alone: bool = True
    """Whether drafters without a model may help."""
    trouble: EngineError | None = None
    """What the engine said, where it gave out before any draft was accepted."""


def walk(road: Road, brief: Brief) -> Judged | None:
    """The best acceptable draft, or None; at most `settings.drafts` are asked of the model."""
    try:
        for part, number in schedule(road.desk, brief):
            if time.monotonic() > road.deadline or road.spent.drafts >= road.desk.settings.drafts:
                break
            judged = _one(road, part, brief, number)
            while judged and not judged.verdict.accepted and road.repairs < REPAIRS:
                repaired = _repair(road, brief, judged)
                if repaired is None:
                    break
                judged = repaired
            if chosen := _enough(road):
                return _sharpened(road, brief, chosen)
    except EngineError as trouble:
        road.trouble = trouble
    if chosen := choose([j for j in road.found if j.verdict.accepted]):
        return chosen
    return _without_model(road, brief)


def _sharpened(road: Road, brief: Brief, chosen: Judged) -> Judged:
    """Accepted tests after one question for a change that they do not notice."""
    part, desk = _drafters(road.desk).get("test-for"), road.desk
    full = road.spent.drafts >= desk.settings.drafts or time.monotonic() > road.deadline
    if desk.job.kind != "write-test" or part is None or full or not chosen.verdict.facts:
        return chosen
    task = f"{desk.job.task} One test has to fail if the code is changed like this: "
    job = replace(brief.job, task=task + chosen.verdict.facts)
    given = replace(brief, job=job, files={**brief.files, **chosen.draft.files})
    try:
        more = _one(road, part, given, 0)
    except EngineError as trouble:
        road.trouble = trouble
        return chosen
    better = more is not None and more.verdict.accepted
    return more if more and better and more.verdict.score > chosen.verdict.score else chosen


def schedule(desk: Desk, brief: Brief) -> Iterator[tuple[ModuleType, int]]:
    """Drafters of this kind of job in turn: the bare one first, then each one's next draft."""
    own = [
        p for n, p in _drafters(desk).items() if n not in ("whole-file", "repair") and p.BY_MODEL
    ]
    bare = _drafters(desk).get("whole-file")
    numbers = dict.fromkeys([p.__name__ for p in own], 0)
    if bare is not None and brief.bare:
        yield bare, 0
        numbers[bare.__name__] = 1
        own.append(bare)
    own.sort(key=lambda p: (p is bare, p.ORDER))
    for _ in range(desk.settings.drafts):
        for part in own:
            yield part, numbers[part.__name__]
            numbers[part.__name__] += 1


def _drafters(desk: Desk) -> dict[str, ModuleType]:
    """Drafters that fit the job and are not switched off, by name."""
    found = parts.all_of("drafters")
    kind = desk.job.kind
    return {n: p for n, p in found.items() if kind in p.KINDS and n not in desk.settings.off}


def send(road: Road, request: Request) -> Reply:
    """Ask the model, showing what comes as it comes, and count it."""
    desk = road.desk
    reply = road.engine().send(request, lambda text: desk.tell(Chunk(text)))
    road.spent.add(reply.usage)
    desk.tell(
        Turned(road.spent.turns, request.purpose, reply.usage, reply.duration_s, reply.warnings)
    )
    return reply


def _one(road: Road, part: ModuleType, brief: Brief, number: int) -> Judged | None:
    """Ask one drafter for one draft and judge it; None where it has no further one."""
    request = part.request(brief, road.desk.settings, number)
    if request is None:
        return None
    name = parts.name_of(part)
    counted = road.spent.drafts
    road.spent.drafts += 1
    reply = send(road, replace(request, purpose=f"{road.label} {counted} ({name})"))
    return _judge(road, part.read(reply.text, brief), name, counted)


def judge_tests(desk: Desk, tests: Mapping[str, str], drafter: str) -> Judged:
    """Tests that came with code, judged as the desk's job; those that fail are left out."""
    return _checked(Draft(dict(tests), drafter), desk, {})


def _judge(road: Road, draft: Draft | Fault, name: str, number: int) -> Judged:
    """Mend and check a draft that was read; a reply that could not be read is judged as such.

    Code that was asked for with a test is judged apart from the draft's own tests: a wrong
    assertion says nothing against the code. The tests are kept aside for the course.
    """
    desk = road.desk
    aside: dict[str, str] = {}
    if isinstance(draft, Fault):
        judged = Judged(Draft({}, name, number), Verdict(False, False, draft.reason))
    else:
        draft = checks.trimmed(replace(draft, number=number), desk)
        draft = _mended(draft, desk)
        if desk.job.kind == "add-function":
            code, aside = checks.parted(draft.files, desk)
            draft = replace(draft, files=code)
        judged = _checked(draft, desk, aside)
    desk.tell(Drafted(judged.draft, judged.verdict))
    road.found.append(judged)
    return judged


def _checked(draft: Draft, desk: Desk, aside: dict[str, str]) -> Judged:
    """The verdict on a draft; drafted tests that fail on the code are left out once."""
    verdict = checks.check(draft, desk)
    if desk.job.kind == "write-test" and not verdict.accepted and verdict.suite is not None:
        fewer = pruning.pruned(draft, verdict.suite, desk.text)
        if not isinstance(fewer, Fault):
            again = checks.check(fewer, desk)
            if again.score >= verdict.score:
                return Judged(fewer, again)
    return Judged(draft, verdict, tests=aside)


def _mended(draft: Draft, desk: Desk) -> Draft:
    """The draft after the fixes that restore form."""
    files, notes = {}, list(draft.notes)
    for path, text in draft.files.items():
        files[path], said = desk.mend(path, text)
        notes += said
    return replace(draft, files=files, notes=tuple(notes))


def _repair(road: Road, brief: Brief, judged: Judged) -> Judged | None:
    """One repair with executed facts, where the error is of a kind that repair mends."""
    part = _drafters(road.desk).get("repair")
    verdict, draft = judged.verdict, judged.draft
    facts = f"{verdict.reason}\n{verdict.facts}"
    full = road.spent.drafts >= road.desk.settings.drafts
    if part is None or full or not draft.files or not (verdict.facts and _MENDABLE.search(facts)):
        return None
    road.repairs += 1
    given = replace(brief, files={**brief.files, **draft.files}, evidence=facts)
    return _one(road, part, given, road.repairs - 1)


def _enough(road: Road) -> Judged | None:
    """A draft that ends the search: proven, or two that behave alike; None to go on."""
    accepted = [j for j in road.found if j.verdict.accepted]
    if not accepted:
        return None
    if accepted[-1].verdict.proven:
        return accepted[-1]
    last = accepted[-1]
    if not last.behaves:
        observed = replace(last, behaves=_observed(road, last.draft))
        road.found[road.found.index(last)] = observed
        accepted[-1] = observed
    groups = [j for j in accepted if behaviour.alike(j.behaves, accepted[-1].behaves)]
    if len(groups) < AGREE:
        return None
    return _voted(groups[0], len(groups), len(accepted))


def _observed(road: Road, draft: Draft) -> tuple[str, ...]:
    """How the subject of a draft behaves on inputs that the words and the signature suggest."""
    desk, subject = road.desk, road.desk.job.subject
    path = checks.holder(draft.files, desk)
    if not path or not subject:
        return ()
    text = draft.files.get(path) or desk.text(path) or ""
    if road.inputs is None:
        road.inputs = behaviour.inputs(text, subject, desk.job.task)
    if not road.inputs:
        return ()
    with checks.laid(desk, draft.files):
        module = desk.project.module_of(path)
        return behaviour.observe(desk.oracle, desk.scratch.folder, module, subject, road.inputs)


def _voted(judged: Judged, votes: int, of: int) -> Judged:
    """The draft with a verdict that says how the vote went."""
    said = f"{judged.verdict.reason}; {votes} of {of} drafts behave like this"
    return replace(judged, verdict=replace(judged.verdict, reason=said, proven=True))


def choose(accepted: Sequence[Judged]) -> Judged | None:
    """Of accepted drafts: the largest group that behaves alike, its earliest; ties to draft 0."""
    if not accepted:
        return None
    if proven := [j for j in accepted if j.verdict.proven]:
        return max(proven, key=lambda j: j.verdict.score)
    watched = [j for j in accepted if j.behaves]
    if watched:
        order = behaviour.vote([j.behaves for j in watched])
        return watched[order[0]]
    return max(accepted, key=lambda j: (j.verdict.score, -j.draft.number))


def _without_model(road: Road, brief: Brief) -> Judged | None:
    """A draft from a drafter that needs no model, where the others gave nothing."""
    for name, part in _drafters(road.desk).items():
        if part.BY_MODEL or not road.alone:
            continue
        desk = road.desk
        draft = part.write(brief, desk, desk.scratch.folder)
        judged = _judge(road, draft, name, road.spent.drafts)
        if judged.verdict.accepted:
            return judged
    return None
