"""Owns the talk with the model: what it is shown of the run so far, and the asking of one turn.

Does not cover how a reply is read (`reply`) nor what is done about it (`loop`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from harness import parts
from harness.errors import EngineError
from harness.events import Chunk, Turned
from harness.model.engine import Engine, least_tokens
from harness.normal import bounded
from harness.reading import reply
from harness.reading.verbs import ActionSpec
from harness.road.desk import Desk
from harness.road.excerpt import RESULT, WHOLE
from harness.types import Action, Fault, Message, Reply, Request, Sampling, Usage

MORE_THAN_LEAST = 4 / 3
"""Tokens that a text has, to the fewest that it can have: what most tokenizers need."""
A_MESSAGE = 8
"""Tokens of a chat template around one message."""
ROOM_AFTER = 0.7
"""Share of the context that is kept when the middle is dropped, so that it is dropped rarely:
each time the server must read again what follows."""
OF_OPENING = 0.6
"""Share of the context that system text and opening may have."""
REPLY = 8_000
"""Characters of a reply that are kept."""
AFTER_STALL = 0.7
"""Temperature of the turn after a stall; 0 otherwise."""
LEAD = " Next, with the text changed as the task needs:"
"""Words before a step that is to be filled in."""
RETRIED = ("empty", "cut")
"""Kinds of an engine's failure that count as a reply without an Action."""


def tokens(message: Message) -> int:
    """About how many tokens a message has."""
    return int(least_tokens(message.content) * MORE_THAN_LEAST) + A_MESSAGE


@dataclass
class Talk:
    """Messages of a run: the opening always, the newest always, of the middle what fits."""

    opening: tuple[Message, ...]
    """System text and first user turn."""
    room: int
    """Tokens that a prompt may have."""
    tail: list[Message] = field(default_factory=list)
    """Replies and results since, in pairs."""
    dropped: int = 0
    """Messages of the tail left out so far."""

    def __post_init__(self) -> None:
        limit = int(self.room * OF_OPENING)
        if sum(map(tokens, self.opening)) > limit:
            *system, last = self.opening
            left = max(limit - sum(map(tokens, system)), 64)
            while tokens(last) > left and len(last.content) > 400:
                last = Message(last.role, bounded(last.content, len(last.content) * 4 // 5))
            self.opening = (*system, last)

    @property
    def number(self) -> int:
        """Number of the next message of the tail, counted from the first."""
        return self.dropped + len(self.tail)

    def kept(self, number: int) -> bool:
        """Whether a message of that number is still shown."""
        return number >= self.dropped

    def add(self, reply: str, result: str) -> None:
        """One reply and what came of it."""
        self.tail.append(Message("assistant", bounded(reply.strip(), REPLY) or "(nothing)"))
        self.tail.append(Message("user", result))

    def fitted(self) -> tuple[Message, ...]:
        """What is sent: drops the middle, pair by pair, when the room is full, and says so."""
        head = sum(map(tokens, self.opening))
        if head + sum(map(tokens, self.tail)) > self.room:
            while len(self.tail) > 2 and head + sum(map(tokens, self.tail)) > self._after():
                del self.tail[:2]
                self.dropped += 2
            self._cut_last(head)
        opening = self.opening
        if self.dropped:
            last = opening[-1]
            note = f"\n\n({self.dropped} earlier messages are left out.)"
            opening = (*opening[:-1], Message(last.role, last.content + note))
        return (*opening, *self.tail)

    def result_limit(self) -> int:
        """Characters that one result may have: a third of the room, three characters a token."""
        return max(RESULT, min(WHOLE + 400, self.room))

    def narrow(self) -> bool:
        """Make the room smaller where a prompt does not fit after all; False at the end."""
        used = sum(map(tokens, (*self.opening, *self.tail)))
        smaller = int(min(self.room, used) * ROOM_AFTER)
        if smaller < 400 or len(self.tail) <= 2:
            return False
        self.room = smaller
        return True

    def _after(self) -> int:
        return int(self.room * ROOM_AFTER)

    def _cut_last(self, head: int) -> None:
        """Shorten what is left where even the newest pair does not fit."""
        for at, message in enumerate(self.tail):
            others = head + sum(tokens(m) for i, m in enumerate(self.tail) if i != at)
            while tokens(message) > max(self.room - others, 100) and len(message.content) > 200:
                shorter = bounded(message.content, len(message.content) * 3 // 4)
                message = Message(message.role, shorter)
            self.tail[at] = message


class Turns:
    """The model as the loop asks it: one reply a step, and what it is told of each."""

    def __init__(
        self, desk: Desk, engine: Engine, specs: Mapping[str, ActionSpec], talk: Talk
    ) -> None:
        self.desk, self.engine, self.specs, self.talk = desk, engine, specs, talk
        self.used = 0
        """Turns so far."""
        self.usage = Usage()
        """Tokens so far."""
        self.stalled = False
        """Whether the next reply is drawn warmer."""
        self.heard = ""
        """The last reply, verbatim."""
        self.expects_done = False
        """Whether the model was just told to end."""

    def tell(self, text: str, next_action: str) -> None:
        """Put the last reply, what came of it and the next step into the talk."""
        lead = LEAD if next_action.startswith(("Action: patch", "Action: write")) else ""
        told = f"{text}{lead}\n\n{next_action}" if next_action else text
        self.expects_done = next_action.startswith("Action: done")
        self.talk.add(self.heard, told)

    def read(self, onward: Callable[[], str]) -> Action | Fault:
        """The next reply as it is read; raises EngineError where the server gives out.

        `onward` gives the step to propose where the reply holds none.
        """
        self.heard = ""
        try:
            got = self._ask()
        except EngineError as wrong:
            if wrong.kind == "truncated" and self.talk.narrow():
                return self.read(onward)
            if wrong.kind in RETRIED:
                return Fault(wrong.message, onward())
            raise
        self.heard = got.text
        read = reply.read(
            got.text, self.specs, expects_done=self.expects_done, prefer=self._preferred()
        )
        # What was cut may lack its end: a look is still the look that was meant, a text is not.
        if got.finish == "length" and not (isinstance(read, Action) and not writes(read)):
            said = f"the reply was cut off after {self.desk.settings.max_tokens} tokens"
            return Fault(said, f"a shorter reply, such as:\n\n{onward()}")
        return read

    def _ask(self) -> Reply:
        """One reply to the talk as it stands."""
        settings = self.desk.settings
        self.used += 1
        sampling = Sampling(
            temperature=AFTER_STALL if self.stalled else 0.0,
            max_tokens=settings.max_tokens,
            num_ctx=settings.num_ctx,
        )
        purpose = f"step {self.used}"
        request = Request("chat", settings.model, sampling, self.talk.fitted(), purpose=purpose)
        got = self.engine.send(request, lambda text: self.desk.tell(Chunk(text)))
        self.usage = Usage(
            (self.usage.input_tokens or 0) + (got.usage.input_tokens or 0),
            (self.usage.output_tokens or 0) + (got.usage.output_tokens or 0),
        )
        self.desk.tell(Turned(self.used, purpose, got.usage, got.duration_s, got.warnings))
        return got

    def _preferred(self) -> tuple[str, ...]:
        """Verbs to keep where a reply holds several Actions: looking comes before the rest."""
        if not self.desk.reads:
            return ("read", "locate", "search", "find", "map")
        return ("done",) if self.desk.job.kind == "ask" else ("patch", "write")


def writes(action: Action) -> bool:
    """Whether an action's verb is one that writes."""
    return bool(parts.load("actions", action.verb).WRITES)


def room_of(num_ctx: int, max_tokens: int) -> int:
    """Tokens that a prompt may have beside its reply; at least a quarter of the context."""
    return max(num_ctx - max_tokens - 32, num_ctx // 4)


def talk_of(messages: Sequence[Message], desk: Desk) -> Talk:
    """A talk that begins with these messages, in the context that the settings give."""
    return Talk(tuple(messages), room_of(desk.settings.num_ctx, desk.settings.max_tokens))
