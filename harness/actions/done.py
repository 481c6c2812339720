"""Ends the run: the answer to a question, or one sentence on what was changed."""

from __future__ import annotations

from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.road.desk import Desk
from harness.types import Action, Observation

SPEC = ActionSpec(
    "done",
    (
        FieldSpec(
            "Summary",
            help="the answer, or what was changed",
            aliases=("Answer", "Text", "Message", "Result", "Response", "Conclusion"),
        ),
    ),
    (
        Alias("finish", "done"),
        Alias("final", "done"),
        Alias("final_answer", "done"),
        Alias("answer", "done"),
        Alias("submit", "done"),
        Alias("stop", "done"),
        Alias("summary", "done"),
        Alias("complete", "done"),
        Alias("end", "done"),
        Alias("exit", "done"),
        Alias("respond", "done"),
    ),
)
WRITES = False
EXAMPLES = ("Action: done\nSummary: order_total adds the prices and returns their sum.",)


def act(action: Action, desk: Desk) -> Observation:
    """The end; the guards of stage done were asked before."""
    summary = action.fields["Summary"].strip()
    if desk.job.kind == "ask":
        return Observation(summary, ends="answered")
    return Observation(summary, ends="done" if desk.staged() else "nothing-to-do")
