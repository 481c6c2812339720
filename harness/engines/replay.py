"""A recording, played back: each request is answered with what was answered then.

Does not cover the making of recordings (`recording`) nor whether a verdict still holds.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import parts
from harness.errors import EngineError, HarnessError
from harness.model import recording
from harness.model.engine import Tell
from harness.model.recording import Failure, Recording, Turn
from harness.model.stream import OnChunk
from harness.settings import Settings
from harness.types import ModelInfo, Reply, Request

DEFAULT_URL = ""


def make(settings: Settings) -> Replay:
    """An engine for the recording whose path stands in `base_url`."""
    if not settings.base_url:
        raise HarnessError("--engine replay needs a recording", "give its path with --base-url")
    return make_from(Path(settings.base_url), settings)


def make_from(path: Path, settings: Settings | None = None) -> Replay:
    """An engine for the recording at a path; HarnessError where it cannot be read."""
    return Replay(recording.read(path), settings or Settings())


class Replay:
    """Answers by the request's hash and how often it was asked; sends nothing anywhere."""

    def __init__(self, played: Recording, settings: Settings) -> None:
        self.played = played
        self._turns = {(t.request_sha256, t.attempt): t for t in played.turns}
        self._failures = {(f.request_sha256, f.attempt): f for f in played.failures}
        first = played.turns[0].request if played.turns else {}
        self.name = str(first.get("engine") or played.model.get("engine") or "replay")
        """Name of the engine that was recorded, so that a recording of a replay is the same."""
        self._digest = str(first.get("model_digest", played.model.get("digest", "")))
        self._settings = settings
        if first:
            pinned = self._form().pinned(first["body"])
            self._settings = dataclasses.replace(settings, **pinned)
        self._asked: Counter[str] = Counter()
        self._used: set[tuple[str, int]] = set()
        self._sent = 0

    def info(self) -> ModelInfo:
        """What the server said of itself when it was recorded."""
        known = {field.name for field in dataclasses.fields(ModelInfo)}
        found = {k: v for k, v in self.played.model.items() if k in known}
        empty = {"engine": self.name, "address": "", "server": "", "model": self._settings.model}
        return ModelInfo(**{**empty, **found})

    def models(self) -> tuple[str, ...]:
        """The model that was recorded."""
        return (self.info().model,)

    def warm(self, tell: Tell) -> ModelInfo:
        """Nothing to load."""
        return self.info()

    def body(self, request: Request) -> dict[str, Any]:
        """As the recorded engine would build it, for the recorded model and context."""
        named = dataclasses.replace(request, model=self._settings.model)
        body: dict[str, Any] = self._form().body_of(named, self._settings)
        return body

    def send(self, request: Request, on_chunk: OnChunk | None = None) -> Reply:
        """The recorded reply, or the recorded failure; EngineError `unmatched` without one."""
        self._sent += 1
        body, mark = self._matched(request)
        self._asked[mark] += 1
        key = (mark, self._asked[mark])
        if key in self._failures:
            self._used.add(key)
            raise _as_it_was(self._failures[key])
        if key not in self._turns:
            raise self._unmatched(request, mark)
        self._used.add(key)
        turn = self._turns[key]
        for chunk in turn.chunks or (turn.reply,):
            if on_chunk and chunk:
                on_chunk(chunk)
        return _reply(turn, body)

    def unused(self) -> list[Turn | Failure]:
        """What was recorded and not asked for, in order."""
        rows: list[Turn | Failure] = [*self.played.turns, *self.played.failures]
        return [row for row in rows if (row.request_sha256, row.attempt) not in self._used]

    def close(self) -> None:
        """Nothing is open."""

    def _form(self) -> Any:
        """The engine that was recorded; it alone knows the form of its bodies."""
        try:
            return parts.load("engines", self.name)
        except KeyError as wrong:
            raise HarnessError(
                f"{self.played.path.name} was recorded with the engine {self.name!r}",
                f"there are: {', '.join(parts.names('engines'))}",
            ) from wrong

    def _matched(self, request: Request) -> tuple[Mapping[str, Any], str]:
        """The body in the spelling that was recorded, and its hash; else as it is built now."""
        known = {mark for mark, _ in (*self._turns, *self._failures)}
        bodies = self._form().variants(self.body(request))
        marks = [self._mark(request, body) for body in bodies]
        for body, mark in zip(bodies, marks, strict=True):
            if mark in known:
                return body, mark
        return bodies[0], marks[0]

    def _mark(self, request: Request, body: Mapping[str, Any]) -> str:
        asked, _ = recording.request_row(self.name, request.kind, body, self._digest)
        return recording.sha256_of(asked)

    def _unmatched(self, request: Request, mark: str) -> EngineError:
        asked = f"request {self._sent}" + (f" ({request.purpose})" if request.purpose else "")
        times = sum(1 for known, _ in self._turns if known == mark)
        if times:
            why = f"it was asked {times} times then, and now once more"
        else:
            left = next((t for t in self.played.turns if t in self.unused()), None)
            named = f"turn {left.turn} ({left.purpose or 'no purpose kept'})" if left else "none"
            why = f"the helper asks otherwise now; next unused in the recording: {named}"
        return EngineError(
            "unmatched",
            f"{asked} is not in the recording {self.played.path.name}: {why}",
            "record anew, or replay with the release that recorded it",
        )


def _as_it_was(failure: Failure) -> EngineError:
    return EngineError(failure.kind, failure.message, failure.hint)


def _reply(turn: Turn, body: Mapping[str, Any]) -> Reply:
    load_s = turn.volatile.get("load_s")
    return Reply(
        text=turn.reply,
        finish=turn.finish_reason,
        usage=turn.usage,
        body=body,
        chunks=turn.chunks,
        thinking=turn.thinking,
        warnings=turn.warnings,
        duration_s=float(turn.volatile.get("duration_s", 0.0)),
        load_s=None if load_s is None else float(load_s),
        started_at=str(turn.volatile.get("started_at", "")),
    )
