"""Owns what an engine is, and the rules that every engine keeps before and after it asks.

Does not cover the assembly of a reply (`stream`) nor any server's own form (`engines/`).
"""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from harness.errors import EngineError
from harness.model.stream import Heard, OnChunk
from harness.settings import Settings
from harness.types import ModelInfo, Reply, Request, Usage

Tell = Callable[[str], None]
Result = TypeVar("Result")

READ_S_PER_TOKEN = 0.1
"""Allowance for reading a prompt before the first piece: a laptop reads 10 tokens a second."""
_WAIT = re.compile(r"loading model|server busy|maximum pending|no slots available", re.I)
_LOAD = re.compile(
    r"memory|terminated|unable to load|error loading|failed to load|no such file", re.I
)
_TOO_LONG = re.compile(r"context[ _](?:length|size|window)|maximum context|too long", re.I)
_TOKEN = re.compile(r"(?:[^\r\n\w]|_)?[^\W\d_]+|\d{1,3}|(?:[^\w\s]|_)+")


class Engine(Protocol):
    """A server that holds a model; every method may raise EngineError."""

    name: str
    """Name of its file in `engines/`."""

    def info(self) -> ModelInfo:
        """What the server says of itself and of the model; loads nothing."""

    def models(self) -> tuple[str, ...]:
        """Names of the models that it has."""

    def warm(self, tell: Tell) -> ModelInfo:
        """Load the model within its own long limit and check that it can answer."""

    def body(self, request: Request) -> dict[str, Any]:
        """The request's body as it is sent, but for fields that a client adds empty."""

    def send(self, request: Request, on_chunk: OnChunk | None = None) -> Reply:
        """Ask and wait for the whole reply; an exception of `on_chunk` stops the reply."""

    def close(self) -> None:
        """Let go of connections; the model stays loaded as long as its server says."""


class BadRequest(EngineError):
    """A body that the server does not take, status 400 or 422; perhaps in another spelling."""


class NotYet(EngineError):
    """A server that says it is still loading, or busy: worth waiting for."""

    def __init__(self, message: str, hint: str = "", retry_s: float = 0.0) -> None:
        super().__init__("loading", message, hint)
        self.retry_s = retry_s
        """When the server asks to come back, seconds; 0 where it does not say."""


def patiently(ask: Callable[[], Result], settings: Settings, tell: Tell | None = None) -> Result:
    """Ask until the server is ready, at most the load limit; EngineError `loading` after it."""
    end, pause = time.monotonic() + settings.load_timeout_s, 0.25
    while True:
        try:
            return ask()
        except NotYet as wrong:
            pause = wrong.retry_s or min(pause * 2, 5.0)
            if time.monotonic() + pause > end:
                raise EngineError(
                    "loading",
                    f"{wrong.message}, for more than {settings.load_timeout_s:g} s",
                    wrong.hint or "wait for it, or raise --load-timeout-s",
                ) from wrong
            if tell:
                tell(f"{wrong.message}; waiting")
            time.sleep(pause)


def prompt_text(request: Request) -> str:
    """All the text of a request that the model reads."""
    said = [message.content for message in request.messages]
    return "\n".join([*said, *(part for part in (request.prompt, request.suffix) if part)])


def least_tokens(text: str) -> int:
    """A number of tokens that a text has at least: words, groups of digits, signs.

    Byte-pair tokenizers split there first, so that none needs fewer; most need a third more.
    """
    return sum(1 for _ in _TOKEN.finditer(text))


def answered(who: str, model: str, status: int, said: str, retry_s: float = 0.0) -> EngineError:
    """What a server put in words, as an error; status 200 for one within a stream."""
    said = " ".join(said.split())[:200] or "nothing"
    said = "a web page" if said.startswith("<") else said
    if status in (429, 503) or _WAIT.search(said):
        return NotYet(f"{who} says: {said}", "", retry_s)
    if _TOO_LONG.search(said):
        hint = "give the server a longer context, or name fewer files"
        return EngineError("truncated", f"{who} says: {said}", hint)
    if _LOAD.search(said):
        hint = "take a smaller model, lower --num-ctx, or stop other models (ollama ps)"
        return EngineError("loading", f"{model} could not be loaded: {said}", hint)
    if status == 200:
        return EngineError("error-body", f"{who} broke off with an error: {said}", "see its log")
    kind = BadRequest if status in (400, 422) else EngineError
    return kind("refused", f"{who} answered {status}: {said}", "see its log")


def must_fit(request: Request, context: int) -> None:
    """Refuse a prompt that cannot fit beside its reply; servers would drop its start in silence."""
    need, reply = least_tokens(prompt_text(request)), request.sampling.max_tokens
    if need + reply > context:
        raise EngineError(
            "truncated",
            f"the prompt has at least {need} tokens and its reply up to {reply}, but the context "
            f"holds {context}",
            "raise --num-ctx, lower --max-tokens, or name fewer files",
        )


def must_say_something(request: Request, heard: Heard) -> None:
    """EngineError `empty` for a chat's reply without a word; a gap may well stay empty."""
    if request.kind != "chat" or heard.text.strip():
        return
    if heard.thinking.strip():
        raise EngineError(
            "empty",
            f"{request.model} spent its whole reply on thinking",
            "raise --max-tokens, or take a model that does not think",
        )
    raise EngineError(
        "empty",
        f"{request.model} answered with nothing, twice",
        "try again, or another --model",
    )


def count_warnings(
    request: Request, usage: Usage, context: int, all_counted: bool = True
) -> tuple[str, ...]:
    """What the server's token counts give away about a cut prompt or a full context.

    `all_counted` is false for servers that leave out what their prompt cache held.
    """
    counted, least = usage.input_tokens, least_tokens(prompt_text(request))
    if counted is None:
        return ()
    if counted >= context - 1 or (all_counted and counted < 0.9 * least):
        return (
            f"the server dropped the start of the prompt: it counted {counted} tokens, the prompt "
            f"has at least {least}; raise --num-ctx",
        )
    if counted + (usage.output_tokens or 0) >= context:
        return (
            f"the context of {context} tokens was full before the reply ended; raise --num-ctx",
        )
    return ()


def first_piece_s(request: Request, settings: Settings) -> float:
    """Limit for a reply's first piece, seconds: the silence limit and time to read the prompt."""
    reading = READ_S_PER_TOKEN * least_tokens(prompt_text(request))
    return max(settings.silence_s, min(settings.silence_s + reading, settings.reply_timeout_s))


def near(name: str, known: Sequence[str]) -> str:
    """A sentence that names like ones, or what there is; empty where there is nothing."""
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    base = name.partition(":")[0]
    close = close or [k for k in known if k.partition(":")[0] == base][:3]
    if close:
        return f"near names here: {', '.join(close)}"
    return f"models here: {', '.join(known[:8])}" if known else ""
