"""Say what is here: size, files, suite, rules, git; asks no model.

Does not cover whether anything works (`doctor`).
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from harness.person import flags
from harness.person.terminal import one_line

ORDER = 40

RULES = ("AGENTS.md", "CONTRIBUTING.md")
"""Files in which projects write how they want to be worked on; the first is shown."""
FILES = 40
"""Files that are listed by name; above it only folders are counted."""


def options(parser: argparse.ArgumentParser) -> None:
    """The folder, its scope, and what says how the suite runs."""
    flags.add_project(parser)
    flags.add_json(parser)
    flags.add_knobs(parser, ("scope", "python", "test_cmd"))


def run(options: argparse.Namespace) -> int:
    """Print it."""
    found = _found(options)
    if options.json:
        print(json.dumps(found, ensure_ascii=False))
        return 0
    print(f"folder   {found['folder']}")
    print(
        f"files    {found['text_files']} text files, {found['python_files']} of them Python, ",
        end="",
    )
    print(f"{found['tests']} with tests, {found['bytes']:,} bytes")
    for line in found["listed"]:
        print(f"         {one_line(line)}")
    for name in ("suite", "python", "rules", "git"):
        print(f"{name:<8} {one_line(found[name])}")
    return 0


def _found(options: argparse.Namespace) -> dict[str, Any]:
    """The facts by name."""
    from harness.source.project import Project
    from harness.suite.oracle import Oracle
    from harness.tree import gittree
    from harness.tree.workspace import Workspace

    root = flags.folder(options.project)
    settings = flags.settings_of(options, root)
    workspace = Workspace(root, settings.scope, read_only=True)
    files = workspace.files()
    texts = {path: getattr(workspace.read(path), "text", None) for path in files}
    project = Project(workspace.root, files, texts.get)
    plan = Oracle(workspace.root, python=settings.python, test_cmd=settings.test_cmd).plan()
    return {
        "folder": str(workspace.root),
        "text_files": len(files),
        "python_files": len(project.python_files()),
        "tests": len(project.tests()),
        "bytes": sum(len((text or "").encode("utf-8")) for text in texts.values()),
        "listed": _listed(files),
        "suite": f"{plan.runner}: {' '.join(plan.command)} ({plan.why})",
        "python": f"{plan.interpreter.path} ({plan.interpreter.why})",
        "rules": _rules(texts),
        "git": gittree.state(workspace.root).words,
    }


def _listed(files: tuple[str, ...]) -> list[str]:
    """Names of a few files, or counts of the folders of many."""
    if len(files) <= FILES:
        return list(files)
    counts: dict[str, int] = {}
    for path in files:
        top = path.split("/")[0] + "/" if "/" in path else "./"
        counts[top] = counts.get(top, 0) + 1
    return [f"{count:>6} in {top}" for top, count in sorted(counts.items())]


def _rules(texts: dict[str, str | None]) -> str:
    """Which file tells the project's own rules, and its first heading or line."""
    for name in RULES:
        lines = [line.strip("# ") for line in (texts.get(name) or "").splitlines() if line.strip()]
        if lines:
            return f"{name}: {lines[0]}"
    return "none (a model reads AGENTS.md where there is one)"
