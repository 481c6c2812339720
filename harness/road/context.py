"""Owns what a drafter is shown of the project: few files, in order, bounded; and where a red suite
points.

Does not cover the words around it (`prompt`, `drafters`).
"""

from __future__ import annotations

from dataclasses import replace

from harness.normal import bounded
from harness.reading import fenced
from harness.road import checks, prompt
from harness.road.brief import Brief
from harness.road.desk import Desk
from harness.source import symbols
from harness.source.project import Project
from harness.types import Job, SuiteReport, TestFailure

MAX_SIGNATURES = 12
MAX_SHOWN_FILES = 6
CHARS_PER_TOKEN = 3


def brief_of(desk: Desk) -> Brief:
    """The brief of the desk's job as the project stands now."""
    job, project = desk.job, desk.project
    text = project.text(job.path) if job.path in project.files else ""
    found = symbols.find(text, job.subject) if job.subject else None
    source = symbols.source(text, found) if found else ""
    test = job.test_path if job.test_path in project.files else ""
    files = {p: project.text(p) for p in (job.path, test) if p in project.files}
    task = job.task if not job.evidence else f"{job.task}\n\n{fenced.wrapped(job.evidence)}"
    bare = prompt.bare(task, bare_files(desk))
    room = (desk.settings.num_ctx - desk.settings.max_tokens) * CHARS_PER_TOKEN
    fits = sum(len(m.content) for m in bare) <= room
    return Brief(
        job=job,
        files=files,
        symbol_source=source,
        signatures=signatures(source, project, job.path),
        evidence=evidence_of(desk),
        test_file=job.test_path,
        model=desk.settings.model,
        conventions="pytest" if desk.oracle.plan().runner == "pytest" else "unittest",
        project_rules=prompt.rules_of(project),
        bare=bare if fits else (),
        module=project.module_of(job.path) if job.path else "",
    )


def bare_files(desk: Desk) -> dict[str, str]:
    """Files that a person would paste beside the task: named ones, the subject's and its test."""
    job, project = desk.job, desk.project
    wanted = [*job.files, job.path, job.test_path]
    if not any(p in project.files for p in (*job.files, job.path)):
        sources = [p for p in project.python_files() if project.text(p).strip()]
        wanted += sorted(sources, key=lambda p: (project.is_test(p), len(project.text(p))))
    chosen: dict[str, str] = {}
    room = (desk.settings.num_ctx - desk.settings.max_tokens) * CHARS_PER_TOKEN - len(job.task)
    for path in dict.fromkeys(p for p in wanted if p in project.files):
        room -= len(project.text(path)) + len(path) + 20
        if room < 0 or len(chosen) >= MAX_SHOWN_FILES:
            break
        chosen[path] = project.text(path)
    return chosen


def signatures(source: str, project: Project, path: str) -> tuple[str, ...]:
    """Signatures of what a piece of code calls and the project defines, the same file first."""
    found = []
    for name in sorted(symbols.calls(source)) if source else ():
        places = [(p, s) for p, s in project.definitions(name) if not project.is_test(p)]
        places.sort(key=lambda place: (place[0] != path, place[0]))
        found += [f"{s.signature}  # {p}" for p, s in places[:1]]
    return tuple(found[:MAX_SIGNATURES])


def evidence_of(desk: Desk) -> str:
    """What is known of the fault: the piped text, else the failing tests with their source."""
    job, report = desk.job, desk.suite_before
    if job.kind != "fix":
        return ""
    failures = relevant(report, job) if report else ()
    if not failures:
        return job.evidence
    parts = [test_source(f, desk.project) for f in failures[:1]]
    parts += [checks.failure_facts(report, tuple(f.test for f in failures))] if report else []
    return bounded("\n\n".join(p for p in parts if p), 2400)


def relevant(report: SuiteReport, job: Job) -> tuple[TestFailure, ...]:
    """Failures of the tests that the job names, else all."""
    last = {t.replace("::", ".").rsplit(".", 1)[-1] for t in job.failing}
    named = [f for f in report.failures if f.test.replace("::", ".").rsplit(".", 1)[-1] in last]
    return tuple(named or report.failures)


def test_source(failure: TestFailure, project: Project) -> str:
    """Source of a failing test; empty where it is not found."""
    name = failure.test.replace("::", ".").rsplit(".", 1)[-1].split("[", 1)[0]
    for path, symbol in project.definitions(name):
        if project.is_test(path):
            return f"# {path}\n{symbols.source(project.text(path), symbol)}"
    return ""


def pointed(job: Job, report: SuiteReport, project: Project) -> Job:
    """The job with the subject that a red suite points at: innermost frame, else what is called.

    Locating by execution belongs to `locate`; this reads the report only.
    """
    for failure in relevant(report, job):
        if failure.path and failure.line and not project.is_test(failure.path):
            name = project.symbol_at(failure.path, failure.line)
            return _about(job, name, failure.path, project)
        source = test_source(failure, project)
        for name in sorted(symbols.calls(source)) if source else ():
            for path, symbol in project.definitions(name):
                if not project.is_test(path):
                    return _about(job, symbol.qualname, path, project)
    return job


def _about(job: Job, subject: str, path: str, project: Project) -> Job:
    """The job with a subject, its file and its test file."""
    return replace(job, subject=subject, path=path, test_path=project.test_file_for(path))
