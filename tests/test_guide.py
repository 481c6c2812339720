"""The guide's first session and the README's commands, typed as they stand, with no server."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from harness.cli import main

ROOT = Path(__file__).resolve().parents[1]
SESSION = ROOT / "docs" / "guide" / "first-session.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
NOWHERE = ["--base-url", "http://127.0.0.1:9"]
# What needs a model ends with 3, and what only a person can settle with 4.
ENDS = {
    'ask "what does compute_total return?"': 3,
    'run "find the NameError in src/orders_controller.py and fix it"': 4,
    'run "add a function clamp(value, low, high) and a unit test"': 3,
}


def typed(page: Path) -> list[str]:
    """What follows `py-harness` on every line of a page's shell blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    lines = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    found = (re.match(r"(?:\S*/)?py-harness (.+)", line) for line in lines)
    return [match[1] for match in found if match]


def test_the_first_session_goes_as_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command ends as the page says; two undos put every byte back."""
    left_out = shutil.ignore_patterns("__pycache__", ".py-harness", ".pytest_cache")
    orders = Path(shutil.copytree(ROOT / "demo" / "orders", tmp_path / "orders", ignore=left_out))
    before = {p: p.read_bytes() for p in orders.rglob("*") if p.is_file()}
    monkeypatch.chdir(orders)
    lines = typed(SESSION)
    assert len(lines) > 8
    for line in lines:
        words = shlex.split(line)
        more = NOWHERE if words[0] in ("ask", "run") else []
        more = [*more, "--yes"] if words[0] == "run" else more
        assert main([*words, *more]) == ENDS.get(line, 0), (line, capsys.readouterr())
    written = {p for p, data in before.items() if p.read_bytes() != data}
    assert written == {orders / "src" / "orders.py"}
    assert main(["undo"]) == 0
    assert {p: p.read_bytes() for p in before} == before


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_every_command_that_a_page_shows_exists(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first word is a command, and its flags are known to it: its help names them."""
    for line in typed(page):
        words = shlex.split(line)
        if words[0].startswith("-"):
            continue
        assert main([words[0], "--help"]) == 0, line
        told = capsys.readouterr().out
        assert not [w for w in words[1:] if w.startswith("--") and w not in told], line
