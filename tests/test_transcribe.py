"""From a facts folder to data/published: typed, bound, nothing written when a part does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from measure.cli import main
from measure.record.read import RecordError
from measure.record.values import CountValue
from measure.record.whole import load
from measure.transcribe import transcribe

SOURCE = {"ref": "a-page", "title": "A page", "path": None, "commit": None, "section": "Runs"}


def fact(name: str, row: int, **changes: Any) -> dict[str, Any]:
    """A transcribed figure of a table with two rows."""
    return {
        "id": f"try.{name}",
        "kind": "transcribed",
        "label": f"{name} - worked",
        "experiment": "try",
        "table": "t-try",
        "place": None,
        "row_index": row,
        "row": name,
        "column": "worked",
        "value": {
            "type": "count", "successes": 8, "n": 20, "unit": "runs", "as_printed": "8/20",
        },
        "polarity": "good",
        "model": "example:8b",
        "machine": "laptop",
        "date": "2026-09-06",
        "repeats": 5,
        "steps": 10,
        "decided_by": "model",
        "unsafe_before_2026_09_06": False,
        "same_as": None,
        "era": "page",
        "pages": ["try"],
        "replay": {"source_command": "python bench.py", "why_null": None},
        "source": SOURCE,
        "caveat": None,
    } | changes  # fmt: skip


def write(folder: Path, figures: list[dict[str, Any]]) -> Path:
    """A facts folder."""
    rows = [
        [{"text": f["row"], "figure": None}, {"text": "8/20", "figure": f["id"]}] for f in figures
    ]
    table = {
        "id": "t-try",
        "title": "Tries (after the seeds)",
        "section": "BEYOND - Tries",
        "era": "page",
        "pages": ["try"],
        "caption": "Twenty runs each.",
        "columns": ["model", "worked"],
        "rows": rows,
        "replay": ["python bench.py"],
        "caveat": None,
        "source": [SOURCE],
    }
    source = {
        "id": "a-page", "kind": "page", "title": "A page", "repository": None, "path": None,
        "commit": None, "address": "/a/", "licence": None, "local_copy": "somewhere",
    }  # fmt: skip
    for name, value in (
        ("published.json", figures),
        ("tables.json", [table]),
        ("sources.json", {"licence_note": "none stated", "sources": [source]}),
        ("contradictions.json", []),
    ):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    return folder


def test_facts_become_a_record_that_loads(tmp_path: Path) -> None:
    """Ids are kept; intervals stand on model-decided counts only; wording of the facts is gone."""
    figures = [fact("one", 0), fact("two", 1, decided_by="harness")]
    written = transcribe(write(tmp_path / "facts", figures), tmp_path)
    assert [p.name for p in written] == ["try.json", "sources.json", "contradictions.json"]
    record = load(tmp_path)
    one, two = record.figures["try.one"], record.figures["try.two"]
    assert isinstance(one.value, CountValue)
    assert (one.value.successes, one.value.n) == (8, 20)
    assert one.interval is not None
    assert (round(one.interval.lower, 3), round(one.interval.upper, 3)) == (0.219, 0.613)
    assert two.interval is None
    assert one.replay.status == "planned"
    table = record.tables["t-try"]
    assert (table.title, table.section) == ("Tries (after the pages)", "Tries")
    assert "somewhere" not in (tmp_path / "data/published/sources.json").read_text("utf-8")


def test_transcribing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """A file of the record is a function of its facts."""
    facts = write(tmp_path / "facts", [fact("one", 0)])
    first = [p.read_bytes() for p in transcribe(facts, tmp_path)]
    assert [p.read_bytes() for p in transcribe(facts, tmp_path)] == first


def test_nothing_is_written_when_a_fact_does_not_fit(tmp_path: Path) -> None:
    """One mistyped figure stops the whole transcription before the first file."""
    bad = fact("one", 0)
    bad["value"]["successes"] = 21
    with pytest.raises(RecordError, match="exceed n 20"):
        transcribe(write(tmp_path / "facts", [bad]), tmp_path)
    assert not (tmp_path / "data").exists()


def test_the_command_writes_into_the_project(tmp_path: Path) -> None:
    """`py-measure transcribe FACTS` is the command that made data/published."""
    (tmp_path / "data/published").mkdir(parents=True)
    facts = write(tmp_path / "facts", [fact("one", 0)])
    assert main(["--root", str(tmp_path), "transcribe", str(facts)]) == 0
    assert (tmp_path / "data/published/try.json").is_file()
