"""Owns what is kept and told of each step of the loop: rows of the recording, events, counts.

Does not cover the exchanges with the model, which the recorder keeps by itself (`recording`).
"""

from __future__ import annotations

from dataclasses import asdict

from harness.events import Acted, Event, Fixed, Listener, Refused, SuiteRan
from harness.model.recording import Recorder
from harness.normal import bounded
from harness.road.desk import Desk
from harness.types import Action, Fault, Observation, Refusal


class Account:
    """The steps of one loop, as they go into its recording and to its listener."""

    def __init__(self, desk: Desk, recorder: Recorder) -> None:
        self.desk, self.recorder = desk, recorder
        self.acted = 0
        """Replies that were an Action."""
        self.refusals = 0
        """Of them refused."""
        self.fixed = False
        """Whether a mechanical fix had a hand in what was written."""

    def hear(self, outer: Listener) -> Listener:
        """A listener in front of another, which keeps suites and notes fixes."""

        def listen(event: Event) -> None:
            if isinstance(event, SuiteRan):
                self.recorder.row("suite", {"when": event.when, "report": asdict(event.report)})
            self.fixed = self.fixed or isinstance(event, Fixed)
            outer(event)

        return listen

    def fault(self, step: int, fault: Fault) -> None:
        """Keep a reply that could not be used."""
        self.recorder.row("fault", {"step": step, **asdict(fault)})

    def refused(self, step: int, action: Action, refusal: Refusal) -> None:
        """Keep and tell a refusal."""
        self.refusals += 1
        self.recorder.row("refusal", {"step": step, "verb": action.verb, **asdict(refusal)})
        self.desk.tell(Refused(step, refusal))

    def carried(self, step: int, action: Action, seen: Observation) -> None:
        """Keep and tell an action that was carried out."""
        row = {
            "step": step,
            "verb": action.verb,
            "fields": dict(action.fields),
            "rules": list(action.rules),
            "ok": seen.ok,
            "text": seen.text,
        }
        self.recorder.row("action", row)
        self.desk.tell(Acted(step, action.verb, target(action), seen.ok, bounded(seen.text)))


def target(action: Action) -> str:
    """What an action is about, in a few words."""
    value = action.fields.get("Path") or next(iter(action.fields.values()), "")
    return value.strip().split("\n", 1)[0][:120]
