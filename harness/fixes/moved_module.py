"""Moves a module or gives its file another name, with every import of it turned.

Does not cover folders as a whole, nor the module's name in strings, which it names for a look.
Half a job is none: a change that leaves an import behind or closes a cycle is refused.
"""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import replace
from pathlib import PurePosixPath

from harness.fix import Carried, Question
from harness.source import integrity, mentions, repoint
from harness.source.project import Project
from harness.source.repoint import Move
from harness.types import Job

STAGE = "project"
EXAMPLES: tuple[tuple[str, str], ...] = ()


def carry(job: Job, project: Project) -> Carried | None:
    """The whole job in new texts; no file, with the reason or a question, where it cannot be."""
    if job.kind != "move" or job.path not in project.files or not job.path.endswith(".py"):
        return None
    if PurePosixPath(job.path).name == "__init__.py":
        return Carried({}, (f"{job.path} is a package; only single modules are moved",))
    target = _target(job, project)
    if target in project.files:
        return _another(f"{target} already exists; where to instead?", job, project)
    if wrong := _unfit(target, project):
        return _another(f"{wrong}; where to instead?", job, project)
    return _moved(job.path, target, project)


def settle(job: Job, project: Project, answer: str) -> Carried | None:
    """The move to another place, where the first would not do; None without a question."""
    carried = carry(job, project)
    if carried is None or carried.question is None:
        return None
    return carried.question.by_answer(answer.strip().strip("`"))


def _another(text: str, job: Job, project: Project) -> Carried:
    """The question for another place."""

    def by_answer(answer: str) -> Carried | None:
        return carry(replace(job, target=answer), project) if answer else None

    return Carried({}, question=Question(text, by_answer=by_answer))


def _target(job: Job, project: Project) -> str:
    """The new path: a folder keeps the file's name, a bare file name stays in its folder.

    A word that is no folder yet is one where the task says move, else the module's new name.
    """
    name, home = PurePosixPath(job.path).name, job.path.rpartition("/")[0]
    given = job.target.replace("\\", "/")
    while given.startswith("./"):
        given = given[2:]
    target = given.strip("/")
    if target.endswith(".py"):
        return target if "/" in target else f"{home}/{target}".lstrip("/")
    if not target or given.endswith("/"):
        return f"{target}/{name}".lstrip("/")
    folders = {path.rpartition("/")[0] for path in project.files}
    dotted = target.replace(".", "/")
    for folder in (target, f"{home}/{target}", dotted):
        if any(f == folder or f.startswith(f"{folder}/") for f in folders):
            return f"{folder}/{name}"
    if "." in target:
        return _of_module(target, project)
    if "/" in target or re.search(r"\bmove\b", job.task, re.IGNORECASE):
        return f"{target}/{name}"
    return f"{home}/{target}.py".lstrip("/")


def _of_module(dotted: str, project: Project) -> str:
    """The path of a module by its new dotted name, beside those of its package."""
    package, _, stem = dotted.rpartition(".")
    known = project.path_of(package)
    folder = known.rpartition("/")[0] if known else package.replace(".", "/")
    return f"{folder}/{stem}.py"


def _unfit(target: str, project: Project) -> str:
    """Why a path cannot hold a module, one line; empty where it can."""
    parts = target.removesuffix(".py").split("/")
    for part in parts[-1:]:
        if not part.isidentifier() or keyword.iskeyword(part):
            return f"{part} cannot be a module's name"
    if ".." in parts:
        return f"{target} lies outside of the project"
    dotted = project.module_of(target)
    if dotted in sys.stdlib_module_names:
        return f"{dotted} would hide a module of the standard library"
    if f"{target.removesuffix('.py')}/__init__.py" in project.files:
        return f"{dotted} is a package already"
    return ""


def _moved(path: str, target: str, project: Project) -> Carried:
    """A move with every import of the module, verified."""
    old, new = project.module_of(path), project.module_of(target)
    move = Move(path, old, new, project.path_of, target)
    stem = PurePosixPath(path).stem
    files: dict[str, str | None] = {}
    for one in project.python_files():
        text = project.text(one)
        if one != path and stem not in text:
            continue
        package = project.package_of(one)
        home = new.rpartition(".")[0] if one == path else package
        turned = repoint.repointed(text, package, home, move)
        if one == path:
            files[target] = turned
        elif turned != text:
            files[one] = turned
    importing = len(files) - 1
    files[path] = None
    files |= dict.fromkeys(_packages(path, target, project), "")
    made = integrity.change(project, files, {path: target})
    if wrong := integrity.broken(made, stem):
        return Carried({}, (f"cannot move {path} whole: {wrong}",))
    said = f"{old} is {new} now; {importing} importing file{'' if importing == 1 else 's'} repaired"
    names = (old, path) if old != new else (path,)
    return Carried(files, (said, *_own_place(path, project), *mentions.notes(made.after, *names)))


def _packages(path: str, target: str, project: Project) -> list[str]:
    """The `__init__.py` files that the new place lacks and its neighbours have."""
    missing: list[str] = []
    folders = target.split("/")[:-1]
    inits = [p for p in project.files if p.endswith("__init__.py") and not project.is_test(p)]
    for depth in range(1, len(folders) + 1):
        folder, above = "/".join(folders[:depth]), "/".join(folders[: depth - 1])
        own = f"{folder}/__init__.py"
        if any(p.startswith(f"{folder}/") for p in project.files):
            continue
        inside = f"{above}/__init__.py" in (*project.files, *missing)
        beside = any(p.rsplit("/", 2)[0] == above if above else p.count("/") == 1 for p in inits)
        if inside or (beside and not project.is_test(own)):
            missing.append(own)
    return missing


def _own_place(path: str, project: Project) -> tuple[str, ...]:
    """A note where the module looks for files beside itself."""
    rows = project.text(path).split("\n")
    lines = [str(n) for n, row in enumerate(rows, 1) if "__file__" in row]
    return (f"it uses __file__ on line {', '.join(lines[:3])}: look at the paths",) if lines else ()
