"""Small suites of real projects, and what the oracle says of a project made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from harness.suite.oracle import Oracle
from harness.tree.scratch import Scratch
from harness.types import SuiteReport

ORDERS = '"""Orders."""\n\n\ndef total(prices):\n    return sum(prices)\n'
CASE = "import unittest\nfrom orders import total\n\n\nclass TestTotal(unittest.TestCase):\n"
GREEN = CASE + "    def test_sum(self):\n        self.assertEqual(total([1, 2]), 3)\n"
RED = f"""{GREEN}
    def test_wrong(self):
        given = [1, 2]
        self.assertEqual(total(given), 4)
"""
PLAIN = "from orders import total\n\n\ndef test_sum():\n    assert total([1, 2]) == 3\n"
OTHERS = {
    program.parent.parent.name: program
    for program in sorted((Path.home() / ".pyenv" / "versions").glob("3.*/bin/python"))
    if tuple(map(int, program.parent.parent.name.split(".")[:2])) >= (3, 8)
}
SKIPPED = CASE + "    @unittest.skip('later')\n    def test_sum(self):\n        pass\n"
Make = Callable[[Mapping[str, str]], Path]


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Write a project of these files."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def ask(
    root: Path, *tests: str, python: str = "", test_cmd: str = "", timeout_s: float = 20.0
) -> SuiteReport:
    """What the oracle says of a project as it stands."""
    oracle = Oracle(root, python=python, test_cmd=test_cmd, timeout_s=timeout_s, memory_mb=1024)
    with Scratch(root) as scratch:
        return oracle.suite(scratch.folder, tests)
