"""Puts one question to the person, where the task leaves open what is wanted."""

from __future__ import annotations

import re

from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.road.desk import Desk
from harness.types import Action, Observation

SPEC = ActionSpec(
    "ask",
    (
        FieldSpec(
            "Question",
            help="one question",
            aliases=("Query", "Text", "Summary", "Message"),
        ),
        FieldSpec(
            "Options",
            required=False,
            help="up to four answers, with | between them",
            aliases=("Choices", "Answers"),
        ),
    ),
    (Alias("question", "ask"), Alias("ask_user", "ask"), Alias("clarify", "ask")),
)
WRITES = False
EXAMPLES = (
    "Action: ask\nQuestion: Should the total include tax?",
    "Action: ask\nQuestion: Which one is meant?\nOptions: the net total | the gross total",
)
OPTIONS = 4


def act(action: Action, desk: Desk) -> Observation:
    """The person's answer; where nobody answers, the run ends with the question."""
    question = action.fields["Question"].strip()
    options = options_in(action.fields.get("Options", ""))
    answer = desk.question(question, options)
    if answer is None:
        return Observation(question, ok=False, ends="asked")
    return Observation(f"The answer is: {answer}")


def options_in(text: str) -> tuple[str, ...]:
    """At most four options out of a text that parts them by bars, lines or semicolons."""
    for separator in (r"\s*\|\s*", r"\s*\n\s*", r"\s*;\s*", r"\s*,\s*"):
        found = [
            re.sub(r"^(?:[-*•]|\(?\w[.)])\s+", "", p.strip()) for p in re.split(separator, text)
        ]
        if len(found := [p for p in found if p]) > 1:
            return tuple(found[:OPTIONS])
    return (text.strip(),) if text.strip() else ()
