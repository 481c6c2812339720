"""Takes note of what you mean to do; changes nothing."""

from __future__ import annotations

from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.road.desk import Desk
from harness.types import Action, Observation

SPEC = ActionSpec(
    "plan",
    (
        FieldSpec(
            "Summary",
            required=False,
            help="what you mean to do",
            aliases=("Plan", "Thought", "Steps", "Text"),
        ),
    ),
    (Alias("think", "plan"), Alias("thought", "plan"), Alias("note", "plan")),
)
WRITES = False
EXAMPLES = ("Action: plan\nSummary: find the place, change it, run the tests",)


def act(action: Action, desk: Desk) -> Observation:
    """Nothing but the first step that explores."""
    job = desk.job
    if job.subject and desk.project.definitions(job.subject):
        step = f"Action: locate\nQuery: {job.subject}"
    elif job.path and desk.text(job.path) is not None:
        step = f"Action: read\nPath: {job.path}"
    else:
        step = "Action: map"
    return Observation(f"Noted. Now the first step, such as:\n\n{step}")
