"""Commands that only look: what they say of the demo tree, of a server, and of what is missing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from harness.cli import main
from tests.misbehaving_server import MODEL, Script, served

ROOT = Path(__file__).resolve().parents[1]
NO_SERVER = ["--base-url", "http://127.0.0.1:9"]


@pytest.fixture
def orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the demo, in which the command is typed."""
    left_out = shutil.ignore_patterns("__pycache__", ".py-harness", ".pytest_cache")
    folder = Path(shutil.copytree(ROOT / "demo" / "orders", tmp_path / "orders", ignore=left_out))
    monkeypatch.chdir(folder)
    return folder


def test_brief_says_what_is_here(orders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Size, files, suite and git are facts of the tree, for a person and for a program."""
    (orders / "AGENTS.md").write_text("# Keep it small\n\nmore\n", encoding="utf-8")
    assert main(["brief"]) == 0
    said = capsys.readouterr().out
    assert "11 text files, 9 of them Python" in said
    assert "unittest discover" in said
    assert "AGENTS.md: Keep it small" in said
    assert main(["brief", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["python_files"] == 9


def test_layout_names_the_cycle_and_one_move(
    orders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cycle comes first, then what has no test; one move is named."""
    assert main(["layout"]) == 0
    said = capsys.readouterr().out
    assert "- import cycle: src.render, src.report\n" in said
    assert "src/orders_controller.py" in said
    assert said.count("Next move: ") == 1
    (orders / "src/render.py").write_text('"""No import."""\n', encoding="utf-8")
    assert main(["layout", "--json"]) == 0
    assert "cycle" not in capsys.readouterr().out


def test_models_are_listed_and_the_default_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """What the server has is listed; a default that it lacks is said with the way to get it."""
    with served(Script()) as address:
        assert main(["models", "--base-url", address, "--model", MODEL]) == 0
        assert f"* {MODEL}" in capsys.readouterr().out
        assert main(["models", "--base-url", address, "--model", "other:7b"]) == 0
        assert "ollama pull other:7b" in capsys.readouterr().out
    assert main(["models", *NO_SERVER]) == 3


def test_doctor_is_well_where_all_is_there(
    orders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a server, its model and a green suite nothing is bad, and the exit code is 0."""
    with served(Script()) as address:
        assert main(["doctor", "--base-url", address, "--model", MODEL]) == 0
    said = capsys.readouterr().out
    for line in ("ok   server:", "ok   model: tiny:1b", "ok   context:", "ok   infill: it can"):
        assert line in said
    assert "ok   suite run: 2 passed, 0 failed" in said
    assert "ok   record:" in said
    assert "bad" not in said
    assert not (orders / ".py-harness").exists()


@pytest.mark.parametrize(
    ("script", "words", "check"),
    [
        (Script(), ["--model", "other:7b"], "model"),
        (Script(template="{{ .Prompt }}"), ["--model", MODEL], "template"),
        (Script(), ["--model", MODEL, "--python", "nowhere"], "python"),
        (Script(), ["--model", MODEL, "--test-cmd", "no-such-program-at-all"], "suite run"),
    ],
)
def test_doctor_names_what_is_bad(
    script: Script, words: list[str], check: str, orders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each thing that a run needs is bad alone where it lacks, says what to do, and exits 1."""
    with served(script) as address:
        assert main(["doctor", "--json", "--base-url", address, *words]) == 1
    checks = json.loads(capsys.readouterr().out)
    bad = [row for row in checks if row["state"] == "bad"]
    assert [row["name"] for row in bad] == [check]
    assert bad[0]["todo"]


def test_doctor_without_a_server_still_looks_at_the_rest(
    orders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A server that is down is one bad line; interpreter and suite are looked at all the same."""
    assert main(["doctor", "--quick", *NO_SERVER]) == 1
    said = capsys.readouterr().out
    assert "bad  server: " in said
    assert "ok   suite: " in said
    assert "suite run" not in said
