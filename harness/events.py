"""Owns the typed events that a session tells as it goes, one line of JSON each with `--json`.

Does not cover how they are shown to a person (`show`).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from harness.types import Change, Draft, Job, Refusal, RunResult, SuiteReport, Usage, Verdict


@dataclass(frozen=True)
class Event:
    """Base of all; `kind` is the word that JSON carries."""

    kind: ClassVar[str] = "event"


@dataclass(frozen=True)
class Started(Event):
    """A run began."""

    kind = "started"
    run_id: str
    job: Job
    model: str
    road: str


@dataclass(frozen=True)
class Note(Event):
    """Something that a person should know, such as a dirty tree."""

    kind = "note"
    text: str


@dataclass(frozen=True)
class Waiting(Event):
    """Something slow began: a model loads, a suite runs; ended by the next event."""

    kind = "waiting"
    what: str


@dataclass(frozen=True)
class Chunk(Event):
    """A piece of a reply as it arrives."""

    kind = "chunk"
    text: str


@dataclass(frozen=True)
class Turned(Event):
    """A reply is complete."""

    kind = "turned"
    turn: int
    purpose: str
    usage: Usage
    duration_s: float
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Acted(Event):
    """One Action was carried out."""

    kind = "acted"
    step: int
    verb: str
    target: str
    ok: bool
    text: str


@dataclass(frozen=True)
class Refused(Event):
    """One step was not allowed."""

    kind = "refused"
    step: int
    refusal: Refusal


@dataclass(frozen=True)
class SuiteRan(Event):
    """The project's suite was run; `when` is before, draft, after or test."""

    kind = "suite"
    when: str
    report: SuiteReport


@dataclass(frozen=True)
class Fixed(Event):
    """A mechanical fix was made, in a draft or in the project."""

    kind = "fixed"
    fix: str
    path: str
    text: str


@dataclass(frozen=True)
class Drafted(Event):
    """A draft was checked."""

    kind = "drafted"
    draft: Draft
    verdict: Verdict


@dataclass(frozen=True)
class Asked(Event):
    """The run has a question for the person."""

    kind = "asked"
    question: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Offered(Event):
    """A change is shown before it is made."""

    kind = "offered"
    changes: tuple[Change, ...]
    diff: str
    verdict: Verdict


@dataclass(frozen=True)
class Finished(Event):
    """The run ended."""

    kind = "finished"
    result: RunResult


Listener = Callable[[Event], None]


def to_json(event: Event) -> str:
    """One line of JSON: the kind first, then the event's fields."""

    def plain(value: Any) -> Any:
        return sorted(value) if isinstance(value, (set, frozenset)) else str(value)

    body = {"event": event.kind, **dataclasses.asdict(event)}
    return json.dumps(body, ensure_ascii=False, default=plain)
