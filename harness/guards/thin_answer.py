"""Refuses an answer of hardly a word, or one that only says again what the model was given."""

from __future__ import annotations

import difflib
import re

from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

STAGE = "done"
BY = "thin-answer"
WORDS = 4
"""An answer has at least so many."""
ALIKE = 0.75
"""Likeness from which a line counts as said again."""

_JOB = Job("ask", "what does f return?", subject="f")
_SAID = ("Read a file before you patch it. End with done once a test has shown it.",)


def check(moment: Moment) -> Refusal | None:
    """The answer in words of its own, with the line of code, is the way on."""
    if moment.job.kind != "ask":
        return None
    summary = moment.action.fields.get("Summary", "")
    reason = ""
    if len(re.findall(r"\w+", summary)) < WORDS:
        reason = "the answer is too short to be one"
    elif _echo(summary, moment.said):
        reason = "the answer only repeats what was given"
    if not reason:
        return None
    return Refusal(BY, reason, moment.onward())


def _echo(summary: str, said: tuple[str, ...]) -> bool:
    """Whether a line that the model was given is most of the answer."""
    answer = _plain(summary)
    for text in said:
        for line in text.splitlines():
            given = _plain(line.removeprefix("Summary:").removeprefix("Task:"))
            if len(given) < 20:
                continue
            matcher = difflib.SequenceMatcher(None, answer, given, autojunk=False)
            if matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE:
                return True
    return False


def _plain(text: str) -> str:
    """Words alone, in lower case."""
    return " ".join(re.findall(r"\w+", text.lower()))


ACCEPTED = (
    Moment(
        _JOB, Action("done", {"Summary": "f returns the sum of the prices as a float."}), said=_SAID
    ),
    Moment(Job("fix", "mend f"), Action("done", {"Summary": "mended"})),
)
REFUSED = (
    Moment(_JOB, Action("done", {"Summary": "int"}), reads=frozenset({"a.py"})),
    Moment(
        _JOB,
        Action(
            "done",
            {
                "Summary": "Read a file before you patch it, and end with done "
                "once a test has shown it."
            },
        ),
        said=_SAID,
    ),
    Moment(
        _JOB,
        Action("done", {"Summary": "what does f return in this project?"}),
        said=("Task: what does f return in this project?",),
    ),
)
