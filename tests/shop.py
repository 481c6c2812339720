"""Owns a ten-line engine that says what a test gives it, and the small shop it works on.

Does not cover servers (`misbehaving_server`) nor recordings, which the replay engine plays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from harness.errors import EngineError
from harness.types import ModelInfo, Reply, Request, Usage

SHOP = {
    "shop/__init__.py": "",
    "shop/basket.py": '''"""Sums of a basket."""


def total(items):
    """Return the sum of the items."""
    return sum(items)


def share(amount, people):
    """Return what each of the people pays."""
    return amount * people
''',
    "tests/__init__.py": "",
    "tests/test_basket.py": """import unittest

from shop.basket import total


class TotalTest(unittest.TestCase):
    def test_sums(self):
        self.assertEqual(total([1, 2]), 3)


if __name__ == "__main__":
    unittest.main()
""",
}


def shop(folder: Path, **changed: str) -> Path:
    """The shop laid into a folder; `changed` gives other texts by their path's last word."""
    for path, text in SHOP.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(changed.get(target.stem, text), encoding="utf-8")
    return folder


class Scripted:
    """An engine that gives its lines one after the other, and keeps what it was asked."""

    name = "scripted"

    def __init__(self, lines: Iterable[str | EngineError]) -> None:
        self.lines: Iterator[str | EngineError] = iter(lines)
        self.asked: list[Request] = []

    def info(self) -> ModelInfo:
        """What it says of itself."""
        return ModelInfo(self.name, "nowhere", "", "scripted")

    def models(self) -> tuple[str, ...]:
        """Its one model."""
        return ("scripted",)

    def warm(self, tell: Callable[[str], None]) -> ModelInfo:
        """It is always warm."""
        return self.info()

    def body(self, request: Request) -> dict[str, Any]:
        """The request in a form that can be hashed."""
        said = [[m.role, m.content] for m in request.messages]
        return {"messages": said, "prompt": request.prompt, "seed": request.sampling.seed}

    def send(self, request: Request, on_chunk: Callable[[str], None] | None = None) -> Reply:
        """The next line; one that is an error is raised; `down` when there is none left."""
        self.asked.append(request)
        line = next(self.lines, EngineError("down", "no server answers", "start it"))
        if isinstance(line, EngineError):
            raise line
        usage = Usage(10, 5)
        started = "2026-01-01T00:00:00Z"
        return Reply(line, "stop", usage, self.body(request), (line,), started_at=started)

    def close(self) -> None:
        """Nothing to let go of."""
