"""Owns the long road: one Action, then the next, under guards, on staged files, until it ends.

Does not cover the talk (`turns`), the memory of steps (`steps`), what is kept of them
(`account`), the tests (`proof`), nor the write into the person's tree (`course`). Every end says
how.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType

from harness import parts
from harness.errors import EngineError
from harness.model.recording import Recorder
from harness.normal import bounded
from harness.reading.verbs import ActionSpec
from harness.road import prompt
from harness.road.account import Account, target
from harness.road.desk import Desk, Gate
from harness.road.excerpt import colour
from harness.road.moment import Moment, Pair
from harness.road.proof import Proof
from harness.road.steps import (
    Memory,
    at_the_end,
    in_order,
    moment_of,
    refusal_of,
    state_of,
    with_changes,
)
from harness.road.turns import Turns, talk_of, writes
from harness.types import (
    Action,
    DecidedBy,
    Fault,
    Message,
    Observation,
    Outcome,
    Refusal,
    Usage,
)

FIRST = ("read", "search", "locate", "patch", "write", "test", "done")
"""Verbs in the order in which a job mostly needs them: small models reach for the first."""
UNTOLD = ("plan", "layout")
"""Verbs that are taken but not offered: a small model that is shown `plan` plans for ever."""
FAULTS = 3
"""Replies without an Action in a row, until the prompt is changed; the next one ends the run."""
REFUSALS_OF_DONE = 2
"""How often one rule may refuse the end, until the run gives up."""
STALLING = ("identical-patch", "repeated-action", "state-stall")
"""Rules after which the next reply is drawn warmer."""
STALLS = 2
"""How often the same step may have come in the same state, until the run gives up."""


@dataclass(frozen=True)
class LoopEnd:
    """How a loop ended; what it staged is on the desk."""

    outcome: Outcome
    """`done` only with something staged."""
    summary: str
    """The answer, or one line on how it ended."""
    steps: int = 0
    """Model turns."""
    refusals: int = 0
    """Steps that guards or the fence refused."""
    decided_by: DecidedBy = "model"
    """`mixed` where fixes had a hand in what is staged."""
    usage: Usage = field(default_factory=Usage)
    """Tokens of all turns."""


def walk(desk: Desk, recorder: Recorder, deadline: float) -> LoopEnd:
    """The loop with all actions and guards and the usual opening; `deadline` by time.monotonic."""
    actions = parts.all_of("actions")
    asks = desk.job.kind == "ask"
    specs = {v: part.SPEC for v, part in actions.items() if not (asks and part.WRITES)}
    helps = {verb: parts.says(actions[verb]) for verb in specs}
    first = Moment(desk.job, Action("plan", {}), files=frozenset(desk.files())).onward()
    opening = prompt.opening(desk.job, desk.project, desk.suite_before, [first])
    told = [verb for verb in (*FIRST, *specs) if verb in specs and verb not in UNTOLD]
    blocks = {
        verb: prompt.retargeted(actions[verb].EXAMPLES[0], desk.job, desk.project)
        for verb in dict.fromkeys(told)
    }
    messages = [Message("system", prompt.system(helps, blocks)), Message("user", opening)]
    return run(desk, recorder, messages, specs, parts.all_of("guards"), deadline)


def run(
    desk: Desk,
    recorder: Recorder,
    messages: Sequence[Message],
    specs: Mapping[str, ActionSpec],
    guards: Mapping[str, ModuleType],
    deadline: float,
) -> LoopEnd:
    """One Action a turn until an end; writes go to the desk's staged files alone.

    `messages`: system text and opening; `specs` by verb; `guards` by name, those in
    `settings.off` left out; `deadline`: clock of time.monotonic. An interrupt passes through.
    """
    desk.begin()
    loop = Loop(desk, recorder, specs, in_order(guards, desk.settings.off), messages, deadline)
    outer, desk.tell = desk.tell, loop.account.hear(desk.tell)
    try:
        while (end := loop.turn()) is None:
            pass
    finally:
        desk.tell = outer
    return end


class Loop:
    """One loop under way."""

    def __init__(
        self,
        desk: Desk,
        recorder: Recorder,
        specs: Mapping[str, ActionSpec],
        guards: Mapping[str, ModuleType],
        messages: Sequence[Message],
        deadline: float,
    ) -> None:
        self.desk, self.guards, self.deadline = desk, guards, deadline
        self.turns = Turns(desk, recorder, specs, talk_of(messages, desk))
        self.memory = Memory([m.content for m in messages])
        self.proof = Proof(desk)
        self.account = Account(desk, recorder)
        self.done_refused: Counter[str] = Counter()
        self.faults = 0
        """Replies without an Action, in a row."""

    def turn(self) -> LoopEnd | None:
        """One reply and what comes of it; None where the run goes on."""
        used, settings = self.turns.used, self.desk.settings
        if used >= settings.steps:
            return self._end("out-of-steps", f"not done after {used} steps; {self._stands()}")
        if time.monotonic() > self.deadline:
            limit = f"the time limit of {settings.budget_s:g} s is over"
            return self._end("out-of-steps", f"{limit} after {used} steps; {self._stands()}")
        try:
            read = self.turns.read(self._onward)
        except EngineError as wrong:
            return self._end("engine-failed", str(wrong))
        if isinstance(read, Fault):
            return self._faulted(read)
        self.faults, self.turns.stalled = 0, False
        self.account.acted += 1
        return self._step(read)

    def _faulted(self, fault: Fault) -> LoopEnd | None:
        """Say what is wrong; after three in a row only the form; after four, end."""
        self.faults += 1
        self.account.fault(self.turns.used, fault)
        if self.faults > FAULTS:
            ever = (
                "never emitted an Action" if not self.account.acted else "no longer emits an Action"
            )
            return self._end("gave-up", f"the model {ever}; {self._stands()}")
        self.turns.stalled = self.faults > 1
        if self.faults == FAULTS:
            self.turns.tell(
                "Reply with this one block and nothing else, filled in:", self._onward()
            )
        else:
            self.turns.tell(f"That cannot be used: {fault.reason}. Write:", fault.next_action)
        return None

    def _step(self, action: Action) -> LoopEnd | None:
        """One Action: judged and kept; the end where it stalls."""
        action = self._placed(action)
        moment = self._moment(action)
        if "state-stall" in self.guards and moment.states >= STALLS:
            step = f"{action.verb} {target(action)[:60]}".strip()
            said = f"the same step ({step}) came a third time with nothing changed"
            return self._end("gave-up", f"{said}; {self._stands()}")
        before = state_of(action, self.desk)
        end = self._judged(action, moment)
        self.memory.states.update({before, state_of(action, self.desk)})
        return end

    def _judged(self, action: Action, moment: Moment) -> LoopEnd | None:
        """One Action: refused, or carried out and told."""
        if (refusal := refusal_of(self.guards, "action", moment)) is not None:
            return self._refused(action, refusal)
        if action.verb == "done":
            return self._done(action)
        self.desk.gate = self._gate(moment)
        result = parts.load("actions", action.verb).act(action, self.desk)
        if isinstance(result, Refusal):
            if writes(action):
                self.memory.wrote(action, result.reason)
            return self._refused(action, result)
        return self._carried(action, result)

    def _placed(self, action: Action) -> Action:
        """The Action with its path as the project spells it, so that rules see the real file."""
        if action.verb not in ("read", "patch", "write") or "Path" not in action.fields:
            return action
        meant = self.desk.meant(action.fields["Path"])
        if isinstance(meant, Refusal) or (
            action.verb == "write" and meant != action.fields["Path"]
        ):
            return action
        return replace(action, fields={**action.fields, "Path": meant})

    def _gate(self, moment: Moment) -> Gate:
        """The guards of stage write, as the desk asks them."""

        def gate(changes: Mapping[str, Pair]) -> Refusal | None:
            return refusal_of(self.guards, "write", with_changes(moment, changes, self.desk))

        return gate

    def _refused(self, action: Action, refusal: Refusal) -> LoopEnd | None:
        """Say why not and what to do instead."""
        self.account.refused(self.turns.used, action, refusal)
        self.turns.stalled = refusal.by in STALLING
        text = f"Not done: {refusal.reason}."
        self.memory.said += [text, refusal.next_action]
        self.turns.tell(text, refusal.next_action)
        return None

    def _carried(self, action: Action, seen: Observation) -> LoopEnd | None:
        """What an action gave: kept, told, and after a write tested."""
        self.account.carried(self.turns.used, action, seen)
        self.desk.reads |= set(seen.read)
        if seen.ends is not None:
            return self._end(seen.ends, self._summary(seen))
        if seen.changed:
            self.memory.wrote(action, seen.text)
            return self._wrote(seen)
        if writes(action):
            self.memory.wrote(action, seen.text)
        text = bounded(seen.text, self.turns.talk.result_limit())
        self.memory.saw(action, self.desk, text, self.turns.talk.number)
        self.turns.tell(text, self._hint(seen))
        return None

    def _hint(self, seen: Observation) -> str:
        """The step that follows, where it is worth a line: few steps are left, or tests ran."""
        left = self.desk.settings.steps - self.turns.used
        ran = self.desk.suite_now is not None and self.desk.staged() and not self.desk.stale
        return self._onward() if left <= 2 or (ran and not seen.read) else ""

    def _wrote(self, seen: Observation) -> LoopEnd | None:
        """After a write: the tests that cover it, then the end or the step that follows."""
        shown = self.proof.after_write(seen.changed)
        if shown.gives_up:
            return self._end("gave-up", shown.gives_up)
        if shown.report is not None and (end := self._closed()) is not None:
            return end
        self.turns.tell(f"{seen.text}\n{shown.text}", self._onward())
        return None

    def _closed(self) -> LoopEnd | None:
        """The end of a fix or a test job that the tests show to be done; the model is not asked."""
        kind, before, now = self.desk.job.kind, self.desk.suite_before, self.desk.suite_now
        was_red = before is not None and before.status != "green"
        if now is None or self.desk.stale or not now.green:
            return None
        if not (kind == "write-test" or (kind == "fix" and was_red)):
            return None
        action = Action("done", {"Summary": self._stands()})
        if refusal_of(self.guards, "done", at_the_end(self._moment(action), self.desk)) is not None:
            return None
        return self._end("done", self._stands())

    def _done(self, action: Action) -> LoopEnd | None:
        """The end, if the rules of stage done agree; the tests are run first if need be."""
        if self.desk.staged():
            self.proof.whole("after")
        moment = at_the_end(self._moment(action), self.desk)
        if (refusal := refusal_of(self.guards, "done", moment)) is not None:
            self.done_refused[refusal.by] += 1
            if self.done_refused[refusal.by] > REFUSALS_OF_DONE:
                return self._end("gave-up", f"said done, but {refusal.reason}")
            return self._refused(action, refusal)
        return self._carried(action, parts.load("actions", "done").act(action, self.desk))

    def _summary(self, seen: Observation) -> str:
        """What is said at the end: the model's words, or where it has none how things stand."""
        return seen.text.strip() or self._stands()

    def _stands(self) -> str:
        """What is staged and what the tests say of it, in one line."""
        staged = self.desk.staged()
        if not staged:
            return "nothing was changed"
        suite = self.desk.suite_now
        tests = "not run since" if self.desk.stale or suite is None else colour(suite)
        return f"changed {', '.join(sorted(staged))}; tests {tests}"

    def _moment(self, action: Action) -> Moment:
        """The step as the guards see it."""
        return moment_of(self.desk, self.memory, action, self.turns.used, self.turns.talk.kept)

    def _onward(self) -> str:
        """The next legal step as the run stands."""
        return self._moment(Action("plan", {})).onward()

    def _end(self, outcome: Outcome, summary: str) -> LoopEnd:
        """The end, with what was used."""
        decided: DecidedBy = "mixed" if self.account.fixed and self.desk.staged() else "model"
        return LoopEnd(
            outcome, summary, self.turns.used, self.account.refusals, decided, self.turns.usage
        )
