"""Owns the check-up of what a run needs: server, model, interpreter, suite, bounds, folder.

Does not cover how it is printed (`commands/doctor`). It leaves no file behind and loads no
model.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from harness import parts
from harness.errors import EngineError, HarnessError
from harness.settings import Settings
from harness.suite import sandbox
from harness.suite.oracle import Oracle
from harness.tree import gittree
from harness.tree.scratch import Scratch
from harness.tree.workspace import Workspace
from harness.types import ModelInfo, SuiteReport

_NOT_STARTED = (126, 127)
"""Exit codes of a program that is not there, or is none."""


class Check(NamedTuple):
    """One thing that was looked at."""

    name: str
    state: Literal["ok", "warn", "bad"]
    """Bad is what a run cannot do without."""
    says: str
    todo: str = ""


def checks(settings: Settings, root: Path, *, suite: bool = True) -> Iterator[Check]:
    """Every check, cheap ones first; the suite is run once in a copy unless told not to."""
    workspace = Workspace(root, settings.scope)
    yield _folder(workspace)
    yield from _server(settings)
    yield from _suite(settings, workspace.root, suite)
    yield _sandbox()
    yield _git(workspace.root)
    yield _record(workspace.root)


def _folder(workspace: Workspace) -> Check:
    files = workspace.files()
    count = sum(path.endswith((".py", ".pyi")) for path in files)
    says = f"{workspace.root}: {len(files)} text files, {count} of them Python"
    if not count:
        return Check("folder", "bad", says, "give the project's folder with -C FOLDER")
    if workspace.truncated:
        return Check("folder", "warn", f"{says}; more were not listed", "narrow it with --scope")
    return Check("folder", "ok", says)


def _server(settings: Settings) -> Iterator[Check]:
    """The server and what it says of the model; the rest is left out where it does not answer."""
    try:
        engine = parts.load("engines", settings.engine).make(settings)
    except HarnessError as wrong:
        yield Check("server", "bad", wrong.message, wrong.hint)
        return
    try:
        names = engine.models()
        yield Check("server", "ok", f"{settings.engine} answers, {len(names)} models")
        yield from _model(engine.info(), settings)
    except EngineError as wrong:
        name = "model" if wrong.kind in ("no-model", "template") else "server"
        yield Check(name, "bad", wrong.message, wrong.hint)
    finally:
        engine.close()


def _model(info: ModelInfo, settings: Settings) -> Iterator[Check]:
    facts = ", ".join(f for f in (info.parameter_size, info.quantization_level, info.server) if f)
    yield Check("model", "ok", f"{info.model} ({facts or info.address})")
    asked, most = settings.num_ctx, info.context_length
    if most and most < asked:
        todo = f"give --num-ctx {most}, or take another model"
        yield Check("context", "warn", f"{asked} tokens asked, {most} is its most", todo)
    elif info.served_context and info.served_context < asked:
        says = f"{asked} tokens asked, the server gives {info.served_context}"
        yield Check("context", "warn", says, "start the server with a longer context")
    else:
        yield Check("context", "ok", f"{asked} tokens of {most or 'a length it does not tell'}")
    if info.has_template:
        yield Check("template", "ok", "it has a chat template")
    else:
        todo = "take an instruct model, or create it with a TEMPLATE"
        yield Check("template", "bad", "without a chat template it goes on with the prompt", todo)
    fills = (
        "it can fill a gap" if info.can_infill else "it cannot fill a gap: asked in words instead"
    )
    yield Check("infill", "ok", fills)


def _suite(settings: Settings, root: Path, run: bool) -> Iterator[Check]:
    """Interpreter, how the suite is found, and what it says."""
    oracle = Oracle(
        root,
        python=settings.python,
        test_cmd=settings.test_cmd,
        timeout_s=settings.test_timeout_s,
        memory_mb=settings.test_memory_mb,
    )
    try:
        plan = oracle.plan()
    except HarnessError as wrong:
        yield Check("python", "bad", wrong.message, wrong.hint)
        return
    version = ".".join(str(part) for part in plan.interpreter.version)
    yield Check("python", "ok", f"{plan.interpreter.path} {version} ({plan.interpreter.why})")
    if plan.runner == "none":
        todo = "write a first test, or give --test-cmd"
        yield Check("suite", "warn", plan.why, todo)
        return
    yield Check("suite", "ok", f"{' '.join(plan.command)} ({plan.why})")
    if run:
        with Scratch(root) as scratch:
            yield _ran(oracle.suite(scratch.folder))


def _ran(report: SuiteReport) -> Check:
    """What the suite said in a copy."""
    took = f"in {report.duration_s:.1f} s"
    counts = f"{report.passed} passed, {report.failed} failed {took}"
    first = report.failures[0].error if report.failures else ""
    if report.runner == "command" and report.exit_code in _NOT_STARTED:
        todo = "give a --test-cmd that can be started there"
        return Check("suite run", "bad", f"{report.command[0]} cannot be started", todo)
    tail = first or (report.output.strip().splitlines() or [""])[-1]
    match report.status:
        case "green":
            return Check("suite run", "ok", counts)
        case "red":
            return Check("suite run", "warn", counts, "a run must not add to these failures")
        case "no-tests" | "no-suite":
            return Check(
                "suite run", "warn", f"no test ran {took}", "a green suite is no proof here"
            )
        case "timeout":
            todo = "give --test-timeout-s, or a --test-cmd that runs a part"
            return Check("suite run", "bad", f"not done {took}", todo)
        case _:
            todo = "give --python with the project's own environment, or --test-cmd"
            return Check("suite run", "bad", f"it does not import or crashes: {tail}", todo)


def _sandbox() -> Check:
    if sandbox.contained():
        return Check("sandbox", "ok", "tests and drafts run shut in: only a copy is writable")
    says = "tests and drafts run under limits of time and size only, not shut in"
    return Check("sandbox", "warn", says, "on Linux install bubblewrap (bwrap)")


def _git(root: Path) -> Check:
    found = gittree.state(root)
    if not found.inside:
        return Check("git", "warn", found.words, "py-harness undo works all the same")
    if found.changed:
        return Check("git", "warn", found.words, "commit first, to tell a run's change from yours")
    return Check("git", "ok", found.words)


def _record(root: Path) -> Check:
    """Whether runs can be kept and files written there: tried, since modes do not tell it all."""
    folder = root / ".py-harness"
    place = folder if folder.is_dir() else root
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as wrong:
        todo = "give yourself the right to write there"
        return Check("record", "bad", f"{place} cannot be written: {wrong.strerror}", todo)
    return Check("record", "ok", f"runs are kept in {folder}")
