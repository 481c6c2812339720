"""Recorded runs with real models, played back: today's helper asks and decides the same.

Recorded with Qwen2.5-Coder 0.5B and 1.5B on Ollama and on llama.cpp's server, on `demo/orders`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness.cli import main
from harness.model import recording

ROOT = Path(__file__).resolve().parents[1]
KEPT = sorted((ROOT / "tests" / "recordings").glob("*.jsonl"))


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """A copy of the demo, as it stood when the runs were recorded."""
    left_out = shutil.ignore_patterns("__pycache__", ".py-harness", ".pytest_cache")
    return Path(shutil.copytree(ROOT / "demo" / "orders", tmp_path / "orders", ignore=left_out))


@pytest.mark.parametrize("path", KEPT, ids=[path.stem for path in KEPT])
def test_a_recorded_run_plays_the_same(
    path: Path, orders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every request is asked in the same words, and the end and the files are the same."""
    assert main(["replay", str(path), "--check", "-C", str(orders)]) == 0, capsys.readouterr().out
    assert "equal: " in capsys.readouterr().out


def test_both_servers_both_models_and_every_job_are_there() -> None:
    """The NameError needs no model; the other three jobs are there on each server and model."""
    servers, models, jobs = ("ollama", "llama-server"), ("0.5b", "1.5b"), ("ask", "test", "add")
    assert {p.stem for p in KEPT} == {f"{s}-{m}-{j}" for s in servers for m in models for j in jobs}
    assert all(recording.read(path).turns for path in KEPT)


def test_another_tree_is_told_apart(orders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On a project that reads otherwise the first request that differs is named, with exit 1."""
    source = orders / "src" / "orders.py"
    source.write_text(source.read_text(encoding="utf-8").replace("prices", "costs"), "utf-8")
    asked = next(path for path in KEPT if path.stem.endswith("-ask"))
    assert main(["replay", str(asked), "--check", "-C", str(orders)]) == 1
    assert "stale" in capsys.readouterr().out
