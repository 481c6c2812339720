"""A small project on disk with a desk on it, for tests of the actions and of the loop."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.events import Event
from harness.road.desk import Desk
from harness.settings import Settings
from harness.suite.oracle import Oracle
from harness.tree.scratch import Scratch
from harness.tree.workspace import Workspace
from harness.types import Job

ORDERS = '''"""Orders."""

TAX = 0.2


def order_total(prices):
    """Sum of the prices."""
    total = 0
    for price in prices:
        total += price
    return total


class Basket:
    """Prices of one customer."""

    def __init__(self, prices):
        self.prices = list(prices)

    def total(self):
        return order_total(self.prices)


if __name__ == "__main__":
    print(order_total([1, 2]))
'''
TEST = """import unittest

from src.orders import order_total


class OrderTotalTest(unittest.TestCase):
    def test_sums(self):
        self.assertEqual(order_total([1, 2]), 3)


if __name__ == "__main__":
    unittest.main()
"""
FILES = {
    "src/__init__.py": "",
    "src/orders.py": ORDERS,
    "src/views.py": "from src.orders import Basket\n\n\ndef shown(prices):\n"
    "    return str(Basket(prices).total())\n",
    "tests/__init__.py": "",
    "tests/test_orders.py": TEST,
    "README.md": "# Orders\n\nAdds prices.\n",
}


def lay(root: Path, files: Mapping[str, str]) -> Path:
    """Write files under a folder; returns it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return root


def tree(root: Path) -> dict[str, bytes]:
    """Every file's bytes under a folder."""
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


@contextmanager
def desk_on(
    root: Path,
    job: Job | None = None,
    *,
    answers: Sequence[str] = (),
    heard: list[Event] | None = None,
    suite: bool = False,
    scope: tuple[str, ...] = (),
    **knobs: Any,
) -> Iterator[Desk]:
    """A desk on a project; questions get the answers in turn, then none."""
    waiting = list(answers)
    settings = Settings(model="scripted", python=sys.executable, **knobs)
    oracle = Oracle(root, python=sys.executable, timeout_s=60)
    with Scratch(root) as scratch:
        desk = Desk(
            workspace=Workspace(root, scope),
            oracle=oracle,
            scratch=scratch,
            job=job or Job("other", "look around"),
            settings=settings,
            tell=(heard if heard is not None else []).append,
            ask=lambda question, options: waiting.pop(0) if waiting else None,
        )
        if suite:
            desk.suite_before = desk.suite("before")
        yield desk
