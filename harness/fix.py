"""Owns what a mechanical fix gives back; does not cover the fixes themselves (`fixes/`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


def _settles_nothing(answer: str) -> Carried | None:
    """The answer to a question that no answer settles."""
    return None


@dataclass(frozen=True)
class Question:
    """What only a person can decide."""

    text: str
    """The question, one line."""
    options: tuple[str, ...] = ()
    """Answers that fit, best first; empty where any text will do."""
    by_answer: Callable[[str], Carried | None] = field(
        default=_settles_nothing, compare=False, repr=False
    )
    """Carries the job out as answered; None where the answer does not do."""


@dataclass(frozen=True)
class Mend:
    """A draft's text after one fix; the same text where there was nothing to do."""

    text: str
    """Whole text, lines ended by a line feed."""
    notes: tuple[str, ...] = ()
    """What was done, one line each."""
    question: Question | None = None
    """Set where there was something to do and more than one way."""


@dataclass(frozen=True)
class Carried:
    """A whole job done without a model, or the question that stands in its way."""

    files: Mapping[str, str | None]
    """New text by relative path; None removes the file; empty with a question."""
    notes: tuple[str, ...] = ()
    """What was done, one line each."""
    question: Question | None = None
    """Set where the job cannot be done whole without an answer."""
