"""A loop on the small project with an engine whose replies are given."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.events import Event
from harness.model.recording import Recorder
from harness.road import loop
from harness.road.loop import LoopEnd
from harness.types import Job, ModelInfo, Reply, Request, Usage
from tests.small_desk import ORDERS, desk_on, tree

Script = list[str | Exception] | Callable[[Request], str]
BROKEN = ORDERS.replace("total = 0", "total = 1")
FIX = Job("fix", "order_total is one too high", subject="order_total", path="src/orders.py",
          test_path="tests/test_orders.py")  # fmt: skip
ASK = Job("ask", "what does order_total return?", subject="order_total", path="src/orders.py")
READ = "Action: read\nPath: src/orders.py"
MEND = (
    "Action: patch\nPath: src/orders.py\nFind:\n```\n    total = 1\n```\n"
    "Replace:\n```\n    total = 0\n```"
)
TEST_IT = "Action: test"


class Scripted:
    """An engine whose replies are given; the last one is repeated."""

    name = "scripted"

    def __init__(self, script: Script, finish: str = "stop") -> None:
        self.script, self.finish, self.sent = script, finish, list[Request]()

    def info(self) -> ModelInfo:
        return ModelInfo("scripted", "nowhere", "none", "scripted")

    def models(self) -> tuple[str, ...]:
        return ("scripted",)

    def warm(self, tell: Callable[[str], None]) -> ModelInfo:
        return self.info()

    def body(self, request: Request) -> dict[str, Any]:
        return {"messages": [m.content for m in request.messages]}

    def send(self, request: Request, on_chunk: Callable[[str], None] | None = None) -> Reply:
        self.sent.append(request)
        at = len(self.sent) - 1
        said = self.script(request) if callable(self.script) else self.script[
            min(at, len(self.script) - 1)
        ]  # fmt: skip
        if isinstance(said, Exception):
            raise said
        return Reply(said, self.finish, Usage(10, 5), self.body(request))

    def close(self) -> None:
        pass


def walk(
    root: Path,
    job: Job,
    script: Script,
    *,
    finish: str = "stop",
    answers: tuple[str, ...] = (),
    seconds: float = 100,
    record: Path | None = None,
    **knobs: Any,
) -> tuple[LoopEnd, Scripted, dict[str, str | None], list[Event]]:
    """A whole loop: its end, the engine with what it was sent, what is staged, what was told."""
    heard: list[Event] = []
    engine = Scripted(script, finish)
    before = tree(root)
    with desk_on(root, job, answers=answers, heard=heard, suite=True, **knobs) as desk:
        recorder = Recorder(engine, record, {})
        end = loop.walk(desk, recorder, time.monotonic() + seconds)
        staged = desk.staged()
        recorder.close()
    assert tree(root) == before, "the loop wrote into the person's tree"
    return end, engine, staged, heard


def last_told(engine: Scripted) -> str:
    """What the model was told before its last reply."""
    return engine.sent[-1].messages[-1].content
