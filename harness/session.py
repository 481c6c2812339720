"""Owns the library's door: a session on one project; `run` a job, `ask` a question, `follow` up.

Does not cover the course of one run (`course`), nor how it is shown (`show`).
"""

from __future__ import annotations

import platform
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from harness import __version__, parts
from harness.errors import HarnessError
from harness.events import Event, Finished, Listener, Note, Offered, Started, Waiting
from harness.model.engine import Engine
from harness.model.recording import Recorder, sha256_of
from harness.road import course, jobs
from harness.road.desk import Asker, Desk
from harness.settings import Settings
from harness.source.project import Project
from harness.suite.oracle import Oracle
from harness.tree.scratch import Scratch
from harness.tree.workspace import Workspace, new_run_id
from harness.types import Job, Refusal, RunResult

MAX_TASK = 20_000
PRIVATE = ("record", "yes", "dry_run", "commit", "no_record", "base_url", "answer")


def _silent(event: Event) -> None:
    """A listener that hears nothing."""


class Session:
    """One project and its settings; each call is one run with a recording and an undo of its own.

    `on_event` hears what happens; `on_question` answers the run's questions; `on_offer` accepts or
    declines a change. Without `on_offer` and without `settings.yes` nothing is written.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        root: Path | str = ".",
        *,
        on_event: Listener = _silent,
        on_question: Asker | None = None,
        on_offer: Callable[[Offered], bool] | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.workspace = Workspace(Path(root), self.settings.scope)
        self.on_event = on_event
        self.on_question = on_question
        self.on_offer = on_offer
        self._engine = engine

    def run(self, task: str, files: Sequence[str] = (), evidence: str = "") -> RunResult:
        """Do a job; HarnessError for what the person can mend, the model's faults are values."""
        job = self._job(task, files, evidence)
        return self._carried(job)

    def ask(self, question: str, files: Sequence[str] = (), evidence: str = "") -> RunResult:
        """Answer a question; nothing is written."""
        job = self._job(question, files, evidence)
        return self._carried(replace(job, kind="ask", wants_test=False))

    def follow(self, task: str, files: Sequence[str] = (), evidence: str = "") -> RunResult:
        """A job that follows up the last run: its subject and files, if it names none."""
        runs = self.workspace.runs()
        if not runs:
            raise HarnessError("there is no run to continue here", "start one with: py-harness run")
        last = self.workspace.load_run(runs[-1].run_id)
        earlier = f"Earlier: {last['task']}\nIt ended: {last['outcome']}: {last['summary']}"
        given = "\n\n".join(part for part in (evidence, earlier) if part)
        job = self._job(task, files or tuple(last.get("files", ())), given)
        if not job.subject and last.get("subject"):
            again = self._job(f"{task} (`{last['subject']}`)", files, given)
            job = replace(again, task=task, kind=job.kind)
        if job.kind == "other" and last.get("kind") not in ("", "ask", None):
            job = replace(job, kind=last["kind"], why="as the run before it")
        return self._carried(job)

    def _job(self, task: str, files: Sequence[str], evidence: str) -> Job:
        """The job that a task asks for; refuses an empty task and a folder without Python."""
        self.workspace.begin()
        if not task.strip():
            raise HarnessError("the task is empty", 'say what to do, such as: "fix the NameError"')
        if len(task) > MAX_TASK:
            hint = "pipe long text in, and keep the task to a sentence"
            raise HarnessError(f"the task has {len(task)} characters, {MAX_TASK} at most", hint)
        project = self._project()
        if not project.python_files():
            where = ", ".join(self.settings.scope) or str(self.workspace.root)
            raise HarnessError(f"no Python file in {where}", "name the project's folder with -C")
        named = tuple(self._named(f) for f in files)
        return jobs.read(task.strip(), project, named, evidence)

    def _named(self, name: str) -> str:
        """A file named on the command line, as a relative path; HarnessError where it cannot be."""
        found = self.workspace.read(name)
        if isinstance(found, Refusal):
            raise HarnessError(f"{name}: {found.reason}", "name a text file inside the project")
        return found.path

    def _project(self) -> Project:
        """The project as it stands in the person's tree."""

        def text(path: str) -> str | None:
            found = self.workspace.read(path)
            return getattr(found, "text", None)

        return Project(self.workspace.root, self.workspace.files(), text)

    def _carried(self, job: Job) -> RunResult:
        """One run from its first event to its last, saved whatever happens."""
        run_id, began = new_run_id(), time.monotonic()
        settings = self.settings
        recorder = self._recorder(run_id, job)
        self.on_event(Started(run_id, job, settings.model, settings.road))
        if self.workspace.truncated:
            self.on_event(
                Note("the tree is very large: only a part was listed; narrow with --scope")
            )
        ended: RunResult | None = None
        try:
            with Scratch(self.workspace.root) as scratch:
                ended = course.run(
                    self._desk(job, run_id, scratch, recorder),
                    recorder,
                    self._warm(recorder),
                    self.on_offer,
                )
        except KeyboardInterrupt:
            ended = RunResult("interrupted", "interrupted; nothing was written", job)
            raise
        finally:
            if ended is None:
                ended = RunResult("gave-up", "it ended with an error of the helper's own", job)
            ended = self._saved(ended, run_id, recorder, time.monotonic() - began)
        self.on_event(Finished(ended))
        return ended

    def _desk(self, job: Job, run_id: str, scratch: Scratch, recorder: Recorder) -> Desk:
        """What the run may touch."""
        s = self.settings
        oracle = Oracle(
            self.workspace.root,
            python=s.python,
            test_cmd=s.test_cmd,
            timeout_s=s.test_timeout_s,
            memory_mb=s.test_memory_mb,
        )
        return Desk(
            workspace=self.workspace,
            oracle=oracle,
            scratch=scratch,
            job=job,
            settings=s,
            tell=self.on_event,
            ask=self._answerer(recorder),
            run_id=run_id,
        )

    def _answerer(self, recorder: Recorder) -> Asker:
        """Answers with the settings, else the person; both words are kept in the recording."""

        def answer(question: str, options: tuple[str, ...]) -> str | None:
            said: str | None = self.settings.answer or None
            if said is None and self.on_question:
                said = self.on_question(question, options)
            recorder.row("question", {"text": question, "options": options, "answer": said})
            return said

        return answer

    def _recorder(self, run_id: str, job: Job) -> Recorder:
        """The engine with its recording; nothing is sent yet."""
        s = self.settings
        engine = self._engine or parts.load("engines", s.engine).make(s)
        path = self._record_path(run_id, job)
        kept = {k: v for k, v in asdict(s).items() if k not in PRIVATE}
        return Recorder(engine, path, {**_about(job), "run_id": run_id, "settings": kept})

    def _record_path(self, run_id: str, job: Job) -> Path | None:
        """Where the recording goes; none where none is wanted, or a question cannot keep one."""
        if self.settings.no_record:
            return None
        try:
            return self.workspace.run_folder(run_id, make=True) / "recording.jsonl"
        except HarnessError as wrong:
            if job.kind != "ask":
                raise
            self.on_event(Note(f"no recording is kept: {wrong.message}"))
            return None

    def _warm(self, recorder: Recorder) -> Callable[[], Engine]:
        """Gives the engine once its model is loaded; loads it the first time."""
        warmed: list[Engine] = []

        def engine() -> Engine:
            if not warmed:
                self.on_event(Waiting(f"loading {self.settings.model}"))
                recorder.warm(lambda text: self.on_event(Waiting(text)))
                warmed.append(recorder)
            return warmed[0]

        return engine

    def _saved(self, result: RunResult, run_id: str, recorder: Recorder, took: float) -> RunResult:
        """The result with its id and recording, kept in the run's folder."""
        kept = recorder.path
        left = {c.path: c.after for c in result.changes}
        recorder.row("left-behind", {"decided_by": result.decided_by, "files": left})
        recorder.row("end", {"outcome": result.outcome, "summary": result.summary})
        recorder.close()
        if kept and self.settings.record:
            _copied(kept, Path(self.settings.record))
        where = self.settings.record or (str(kept) if kept else "")
        result = replace(result, run_id=run_id, recording=where, duration_s=round(took, 3))
        if kept:
            self.workspace.save_run(run_id, _saved_form(result))
        return result


def _copied(recording: Path, wanted: Path) -> None:
    """The recording at the path that was asked for, as well."""
    try:
        shutil.copyfile(recording, wanted)
    except OSError as wrong:
        said = f"the recording cannot be written to {wanted}: {wrong.strerror}"
        raise HarnessError(said, f"it is kept at {recording}") from wrong


def _about(job: Job) -> dict[str, Any]:
    """What a recording says of its run before anything happens."""
    return {
        "kind": "session",
        "helper": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "job": asdict(job),
        "job_sha256": sha256_of({"task": job.task, "kind": job.kind, "files": list(job.files)}),
    }


def _saved_form(result: RunResult) -> dict[str, Any]:
    """What `last`, `undo` and `run --continue` need of a run, as JSON."""
    job = result.job
    return {
        "task": job.task,
        "kind": job.kind,
        "subject": job.subject,
        "files": list(dict.fromkeys([*job.files, *(c.path for c in result.changes)])),
        "outcome": result.outcome,
        "summary": result.summary,
        "diff": result.diff,
        "steps": result.steps,
        "drafts": result.drafts,
        "refusals": result.refusals,
        "decided_by": result.decided_by,
        "road": result.road,
        "recording": result.recording,
        "duration_s": result.duration_s,
        "notes": list(result.notes),
    }
