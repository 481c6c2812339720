"""Owns how a run that is over is told again, from its recording and from what was kept of it.

Does not cover a run under way (`show`) nor the recording's form (`recording`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.model import recording
from harness.person.show import suite_line
from harness.person.terminal import clean, one_line
from harness.tree.workspace import RunInfo, Workspace
from harness.types import SuiteReport, TestFailure

_QUIET = frozenset({"about", "answer", "end", "left-behind"})
"""Rows that other lines tell."""


def run_named(workspace: Workspace, run_id: str) -> RunInfo:
    """The run of that id or of that beginning of an id; the last one where none is given."""
    runs = workspace.runs()
    if not runs:
        raise HarnessError("no run is kept here", "give the project's folder with -C FOLDER")
    fits = [run for run in runs if run.run_id.startswith(run_id)]
    if not fits or (run_id and len(fits) > 1 and fits[0].run_id != run_id):
        known = ", ".join(run.run_id for run in runs[-3:])
        raise HarnessError(f"{len(fits)} runs are named {run_id}", f"the last ones: {known}")
    return fits[-1] if not run_id else fits[0]


def kept_of(workspace: Workspace, run: RunInfo) -> tuple[dict[str, Any], Path | None]:
    """What was kept of a run and its recording; of one that was killed only the recording."""
    try:
        about = workspace.load_run(run.run_id)
    except HarnessError:
        about = {"summary": "it was killed, or is still under way"}
    path = about.get("recording") or workspace.run_folder(run.run_id) / "recording.jsonl"
    return about, Path(path) if Path(path).is_file() else None


def run_line(run: RunInfo) -> str:
    """One run: id, how it ended, whether it wrote, what was asked."""
    wrote = ", wrote files" if run.has_writes else ""
    return f"{run.run_id}  {run.outcome or 'not ended'}{wrote}: {one_line(run.task)}"


def lines(path: Path) -> Iterator[str]:
    """A recording's steps in order, one a line; HarnessError where it is no recording."""
    purposes = {turn.turn: turn.purpose for turn in recording.read(path).turns}
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            row = json.loads(text)
        except ValueError:  # the last line, cut off by a crash
            yield "the recording breaks off here"
            return
        if row["row"] not in _QUIET:
            yield one_line(_row(row, purposes), 200)


def _row(row: Mapping[str, Any], purposes: Mapping[int, str]) -> str:
    """One row in words; one that is not known is told by its fields."""
    match row["row"]:
        case "head":
            job = row.get("job") or {}
            return f"asked ({job.get('kind', 'no job is kept')}): {job.get('task', '')}"
        case "model":
            return _model(row)
        case "turn":
            purpose = purposes.get(row["turn"]) or row["request"]["kind"]
            tokens = row["usage"].get("output_tokens")
            size = f", {tokens:,} tokens" if tokens is not None else ""
            return f"turn {row['turn']}: {purpose}{size}: {row['reply']}"
        case "failed":
            return f"the engine failed: {row['message']}"
        case "draft":
            end = "accepted: " if row["accepted"] else ""
            return f"draft {row['number']} ({row['drafter']}): {end}{row['reason']}"
        case "action":
            fields = row["fields"]
            target = fields.get("Path") or next(iter(fields.values()), "")
            return f"step {row['step']}: {row['verb']} {one_line(target, 60)}: {row['text']}"
        case "refusal":
            return f"step {row['step']}: {row['verb']} refused by {row['by']}: {row['reason']}"
        case "fault":
            return f"step {row['step']}: no Action: {row['reason']}"
        case "suite":
            return suite_line(row["when"], _report(row["report"])).text
        case other:
            facts = {k: v for k, v in row.items() if k != "row" and v not in ("", [], {}, None)}
            return f"{other}: " + ", ".join(f"{k} {v}" for k, v in facts.items())


def _model(row: Mapping[str, Any]) -> str:
    sizes = f"{row.get('parameter_size', '')} {row.get('quantization_level', '')}".strip()
    words = f"model {row.get('model', '')} {sizes}".rstrip()
    return f"{words} on {row.get('server') or row.get('engine')}"


def _report(kept: Mapping[str, Any]) -> SuiteReport:
    """A suite's report as it was before it was kept."""
    failures = tuple(TestFailure(**failure) for failure in kept["failures"])
    return SuiteReport(**{**kept, "failures": failures})


def ending(about: Mapping[str, Any]) -> Iterator[str]:
    """The change and the end, as they were kept."""
    if about.get("diff"):
        yield from clean(str(about["diff"])).rstrip("\n").split("\n")
    for note in about.get("notes", ()):
        yield f"note: {clean(str(note))}"
    took = about.get("duration_s")
    seconds = f" after {took:.1f} s" if isinstance(took, (int, float)) else ""
    yield f"{about.get('outcome', 'not ended')}{seconds}: {clean(str(about.get('summary', '')))}"
