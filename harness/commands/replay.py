"""Tell a recording turn by turn, or check today's helper against it without a model.

Does not cover the engine that plays it (`engines/replay`).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import EngineError, HarnessError
from harness.person import flags

if TYPE_CHECKING:
    from harness.engines.replay import Replay
    from harness.model.recording import Recording
    from harness.model.stream import OnChunk
    from harness.types import Reply, Request, RunResult

ORDER = 80


def options(parser: argparse.ArgumentParser) -> None:
    """The recording, the project, and whether to check."""
    parser.usage = "py-harness replay [options] RECORDING"
    parser.add_argument("recording", metavar="RECORDING", help="its path, or the id of a run")
    parser.add_argument(
        "--check",
        action="store_true",
        help="run the job again on the project, which must stand as it did; writes nothing",
    )
    flags.add_project(parser)


def run(options: argparse.Namespace) -> int:
    """Print it; with --check 1 where today's helper asks or decides otherwise."""
    from harness.model import recording
    from harness.person import retelling

    path = _path(options.recording, flags.folder(options.project))
    played = recording.read(path)
    if options.check:
        return _check(played, flags.folder(options.project))
    for line in retelling.lines(path):
        print(line)
    for row in played.rows:
        if row["row"] == "end":
            print(f"{row['outcome']}: {row['summary']}")
    return 0


def _path(named: str, root: Path) -> Path:
    """The recording's path, from a path or a run's id."""
    from harness.person import retelling
    from harness.tree.workspace import Workspace

    if Path(named).is_file():
        return Path(named)
    workspace = Workspace(root, read_only=True)
    if not any(run.run_id.startswith(named) for run in workspace.runs()):
        raise HarnessError(
            f"no recording {named}", "give its path, or a run of: py-harness last --list"
        )
    known = retelling.run_named(workspace, named)
    _, path = retelling.kept_of(workspace, known)
    if path is None:
        hint = "it was started with --no-record"
        raise HarnessError(f"run {known.run_id} kept no recording", hint)
    return path


class _Watched:
    """The replay engine, and what it could not answer."""

    def __init__(self, engine: Replay) -> None:
        self.engine = engine
        self.asked = 0
        self.stale = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def send(self, request: Request, on_chunk: OnChunk | None = None) -> Reply:
        """As the engine does; the first request without an answer is kept."""
        self.asked += 1
        try:
            return self.engine.send(request, on_chunk)
        except EngineError as wrong:
            if wrong.kind == "unmatched":
                self.stale = self.stale or f"stale since request {self.asked}: {wrong.message}"
            raise


def _check(played: Recording, root: Path) -> int:
    """Run the recorded job on the project with the recorded replies, and compare."""
    from harness.engines.replay import Replay
    from harness.session import Session
    from harness.settings import KNOBS, Settings

    job = played.head.get("job")
    if not job:
        raise HarnessError(f"{played.path.name} holds no job", "it is no recording of ask or run")
    kept = {k: v for k, v in (played.head.get("settings") or {}).items() if k in KNOBS}
    settings = Settings(**{**kept, "dry_run": True, "no_record": True})
    engine = _Watched(Replay(played, settings))
    answers = iter([row["answer"] for row in played.rows if row["row"] == "question"])
    session = Session(
        settings, root, engine=engine, on_question=lambda question, options: next(answers, None)
    )
    call = session.ask if job["kind"] == "ask" else session.run
    result = call(job["task"], job["files"], job["evidence"])
    differs = engine.stale or _differs(played, result)
    if not differs and (left := engine.engine.unused()):
        differs = f"stale: it ends after {engine.asked} requests, {len(left)} were not asked for"
    print(differs or f"equal: {engine.asked} requests, the same end, the same files")
    return 1 if differs else 0


def _differs(played: Recording, result: RunResult) -> str:
    """What today's run decides otherwise; empty where nothing."""
    rows = {row["row"]: row for row in played.rows}
    then, now = rows.get("end", {}).get("outcome", ""), result.outcome
    same = {"done": "dry-run", "declined": "dry-run"}
    if same.get(then, then) != now:
        return f"stale: it ended with {then}, and today with {now}: {result.summary}"
    files = {change.path: change.after for change in result.changes}
    before = rows.get("left-behind", {}).get("files", {})
    if then != "declined" and json.dumps(files, sort_keys=True) != json.dumps(
        before, sort_keys=True
    ):
        return f"stale: the change is another one: {', '.join(sorted({*files, *before}))}"
    return ""
