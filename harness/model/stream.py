"""Owns how a streamed reply becomes one: its pieces, its end, its time limit, its repetition.

Does not cover any server's own form (`engines/`) nor what an engine must be (`engine`).
"""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from harness.errors import EngineError
from harness.settings import Settings
from harness.types import Reply, Usage

OnChunk = Callable[[str], None]

_TAIL = 3000
"""Characters at the end of a reply in which repetition is sought."""
_REPEATED = 400
"""Characters that must be repetition before a reply is stopped."""


@dataclass(frozen=True)
class Piece:
    """One piece of a streamed reply, whatever the server's form."""

    text: str = ""
    thinking: str = ""
    finish: str = ""
    """Why the reply ended; only on a last piece."""
    usage: Usage | None = None
    load_s: float | None = None


@dataclass(frozen=True)
class Heard:
    """A whole reply put together from its pieces."""

    text: str
    thinking: str
    chunks: tuple[str, ...]
    finish: str
    usage: Usage
    duration_s: float
    load_s: float | None
    started_at: str
    warnings: tuple[str, ...] = ()


def now() -> str:
    """This moment in UTC, RFC 3339 with Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def assemble(
    pieces: Generator[Piece, None, None], settings: Settings, on_chunk: OnChunk | None = None
) -> Heard:
    """The whole reply; EngineError `cut` without an end, `timeout` past the reply's limit."""
    started_at, start, last = now(), time.monotonic(), Piece()
    chunks: list[str] = []
    thoughts: list[str] = []
    checked, length = 0, 0
    with closing(pieces):
        for piece in pieces:
            last = _merged(last, piece)
            if piece.text:
                chunks.append(piece.text)
                length += len(piece.text)
                if on_chunk:
                    on_chunk(piece.text)
            if piece.thinking:
                thoughts.append(piece.thinking)
            if time.monotonic() - start > settings.reply_timeout_s:
                raise EngineError(
                    "timeout",
                    f"the reply was not complete after {settings.reply_timeout_s:g} s",
                    "lower --max-tokens, or raise --reply-timeout-s",
                )
            if length - checked >= 200:
                checked = length
                if repeats("".join(chunks)[-_TAIL:]):
                    last = _merged(last, Piece(finish="repetition"))
                    break
    if not last.finish:
        raise EngineError(
            "cut",
            f"the reply broke off after {length} characters",
            "the server may have been stopped or run out of memory: see its log, then try again",
        )
    return _heard(chunks, thoughts, last, time.monotonic() - start, started_at)


def _merged(last: Piece, piece: Piece) -> Piece:
    return Piece(
        finish=piece.finish or last.finish,
        usage=piece.usage or last.usage,
        load_s=last.load_s if piece.load_s is None else piece.load_s,
    )


def _heard(
    chunks: list[str], thoughts: list[str], last: Piece, seconds: float, started_at: str
) -> Heard:
    warnings = []
    if last.finish == "repetition":
        warnings.append("the model repeated itself without end; its reply was stopped there")
    return Heard(
        text=_whole(chunks),
        thinking=_whole(thoughts),
        chunks=tuple(chunks),
        finish=last.finish,
        usage=last.usage or Usage(),
        duration_s=round(seconds, 3),
        load_s=last.load_s,
        started_at=started_at,
        warnings=tuple(warnings),
    )


def _whole(pieces: list[str]) -> str:
    """Pieces joined; halves of one character, sent apart, become one again."""
    text = "".join(pieces)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def to_reply(heard: Heard, body: Mapping[str, Any], warnings: Sequence[str] = ()) -> Reply:
    """The reply as the helper passes it on."""
    return Reply(
        text=heard.text,
        finish=heard.finish,
        usage=heard.usage,
        body=body,
        chunks=heard.chunks,
        thinking=heard.thinking,
        warnings=(*heard.warnings, *warnings),
        duration_s=heard.duration_s,
        load_s=heard.load_s,
        started_at=heard.started_at,
    )


def repeats(tail: str) -> bool:
    """Whether a text ends in one passage said over and over (5 times, 400 characters in all)."""
    back = tail[::-1]
    border = [0] * len(back)
    for i in range(1, len(back)):
        k = border[i - 1]
        while k and back[i] != back[k]:
            k = border[k - 1]
        border[i] = k + (back[i] == back[k])
        period, span = i + 1 - border[i], i + 1
        if span >= 5 * period and span >= (_REPEATED if period >= 10 else 1000):
            return True
    return False


def events(data: Iterable[bytes]) -> Iterator[str]:
    """The data of each server-sent event; an `error:` line becomes an object with that key.

    Lines end at a line feed alone, since a reply may hold other separators; characters that are
    split between two pieces become one. ValueError for a stream of another form.
    """
    for line in _lines(data):
        field, _, said = line.partition(":")
        if field == "data":
            yield said.strip()
        elif field == "error":
            yield f'{{"error": {said}}}'
        elif field.strip() not in ("", "event", "id", "retry"):
            raise ValueError("no server-sent event")


def _lines(data: Iterable[bytes]) -> Iterator[str]:
    decoder, rest = codecs.getincrementaldecoder("utf-8")("replace"), ""
    for part in data:
        *lines, rest = (rest + decoder.decode(part)).split("\n")
        yield from (line.rstrip("\r") for line in lines)
    if rest:
        yield rest
