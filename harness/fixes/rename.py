"""Renames a function, class or method with its callers, or moves a module with its imports.

Does not cover names in strings, which no analysis can vouch for: they are named for a look. The
refactoring is rope's; what it leaves is verified here, and half a job is none.
"""

from __future__ import annotations

import ast
import keyword
import re
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from harness import imports, repoint, scope, symbols, syntax
from harness.fix import Carried, Question
from harness.project import Project
from harness.repoint import Move
from harness.types import Job

STAGE = "project"
EXAMPLES: tuple[tuple[str, str], ...] = ()

_BUILTIN_TYPES = (str, bytes, list, dict, set, tuple, int, float, Path, re.Pattern, re.Match)
Texts = dict[str, str | None]


def carry(job: Job, project: Project) -> Carried | None:
    """The whole job in new texts; no file, with the reason, where it cannot be done whole."""
    if job.kind == "rename" and job.subject and job.path:
        return _renamed(job, project)
    if job.kind == "move" and job.path in project.files and job.path.endswith(".py"):
        return _moved(job, project)
    return None


def settle(job: Job, project: Project, answer: str) -> Carried | None:
    """The job with another name, where the first was taken."""
    if job.kind != "rename":
        return None
    from dataclasses import replace

    return carry(replace(job, target=answer.strip().strip("`")), project)


def _renamed(job: Job, project: Project) -> Carried:
    """A rename of a definition wherever it is used."""
    old, new = job.subject.rsplit(".", 1)[-1], job.target
    if not new.isidentifier() or keyword.iskeyword(new):
        return Carried({}, question=Question(f"{new!r} is no name in Python; which name instead?"))
    owner = job.subject.rpartition(".")[0]
    if symbols.find(project.text(job.path), f"{owner}.{new}".lstrip(".")):
        text = f"{new} already exists in {job.path}; which name instead of {old}?"
        return Carried({}, question=Question(text))
    symbol = symbols.find(project.text(job.path), job.subject)
    if symbol is None:
        return Carried({}, (f"{job.subject} is not defined in {job.path}",))
    with _copy(project) as (rope, folder):
        from rope.base.exceptions import RopeError
        from rope.refactor.rename import Rename

        resource = rope.get_resource(job.path)
        offset = _offset(project.text(job.path), symbol.line, old)
        try:
            change = Rename(rope, resource, offset).get_changes(
                new, docs=False, in_hierarchy=bool(owner), unsure=_decider(job, project)
            )
        except (RopeError, SyntaxError, RecursionError) as wrong:
            return Carried({}, (f"cannot rename {old}: {wrong}",))
        files = _texts(change, folder)
    _export(old, new, files)
    if left := _left(job, files, project):
        return Carried({}, (f"cannot rename {old} whole: {left} would still use it",))
    notes = (f"{old} is {new} now in {len(files)} files", *_in_strings(old, files, project))
    return _verified(files, {}, notes, project, f"{old} ")


def _export(old: str, new: str, files: Texts) -> None:
    """Turn the name in `__all__` too, where a changed file binds the new one and not the old."""
    for path, text in files.items():
        bound = symbols.top_level(text or "") | symbols.imported(text or "")
        if text is None or new not in bound or old in bound:
            continue
        for node in ast.walk(syntax.tree(text) or ast.Module([], [])):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                rows = syntax.lines(text)
                for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                    rows[number] = re.sub(rf"(['\"]){old}\1", rf"\1{new}\1", rows[number])
                files[path] = "".join(rows)


def _decider(job: Job, project: Project) -> Callable[[object], bool] | None:
    """Whether uses on objects of unknown type count: if only one class here has such a name."""
    owner, _, name = job.subject.rpartition(".")
    if not owner or any(hasattr(kind, name) for kind in _BUILTIN_TYPES):
        return None
    holders = {(p, s.qualname) for p, s in project.definitions(name)}
    setting = re.compile(rf"\.{name}\s*(?::[^=\n]+)?=[^=]")
    set_somewhere = any(setting.search(project.text(p)) for p in project.python_files())
    return (lambda occurrence: True) if len(holders) == 1 and not set_somewhere else None


def _left(job: Job, files: Texts, project: Project) -> str:
    """The first file that would still take the old name from its module or class; empty if none."""
    owner, _, name = job.subject.rpartition(".")
    others = {s.qualname for _, s in project.definitions(name)} - {job.subject}
    for path in project.python_files():
        text = files.get(path, project.text(path)) or ""
        if name not in text:
            continue
        for one in imports.of(text):
            module = imports.absolute(one, project.package_of(path))
            if not owner and one.name == name and project.path_of(module) == job.path:
                return f"{path}:{one.line}"
            bound = f"{module}.{one.name}" if one.name else module
            read = re.search(rf"\b{re.escape(one.alias)}\.{name}\b", text)
            if not owner and read and project.path_of(bound) == job.path:
                return path
        if owner and not others and (line := _reads(text, name)):
            return f"{path}:{line}"
    return ""


def _reads(text: str, name: str) -> int:
    """First line on which an attribute of that name is used; 0 where there is none."""
    parsed = syntax.tree(text)
    found = [
        node.lineno
        for node in (ast.walk(parsed) if parsed else ())
        if isinstance(node, ast.Attribute) and node.attr == name
    ]
    return min(found, default=0)


def _moved(job: Job, project: Project) -> Carried:
    """A move or a new name of a module, with every import of it."""
    target = _target(job)
    if target in project.files:
        return Carried({}, (f"{target} already exists",))
    if keyword.iskeyword(stem := PurePosixPath(target).stem) or not stem.isidentifier():
        return Carried({}, (f"{stem} cannot be a module's name",))
    old, new = project.module_of(job.path), project.module_of(target)
    files: Texts = {}
    for path in project.python_files():
        text = _repointed(project, path, job.path, target)
        if text != project.text(path) or path == job.path:
            files[target if path == job.path else path] = text
    files[job.path] = None
    folder = target.rpartition("/")[0]
    package = f"{job.path.rpartition('/')[0]}/__init__.py".lstrip("/")
    if folder and package in project.files and f"{folder}/__init__.py" not in project.files:
        files[f"{folder}/__init__.py"] = ""
    said = f"{old} is {new} now; {len(files) - 2} importing files repaired"
    return _verified(
        files, {job.path: target}, (said, *_in_strings(old, files, project)), project, old
    )


def _target(job: Job) -> str:
    """The new path: a folder keeps the file's name; a bare name stays in its folder."""
    target = job.target.strip("/")
    if not target.endswith(".py"):
        if "/" not in target and "/" not in job.target and job.target.isidentifier():
            folder = job.path.rpartition("/")[0]
            return f"{folder}/{target}.py".lstrip("/")
        return f"{target}/{PurePosixPath(job.path).name}"
    if "/" not in target:
        return f"{job.path.rpartition('/')[0]}/{target}".lstrip("/")
    return target


class _copy:
    """A throw-away folder with the project's Python files, opened by rope."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.folder = tempfile.TemporaryDirectory(prefix="py-harness-rope-")

    def __enter__(self) -> tuple[Any, Path]:
        from rope.base.project import Project as Rope

        root = Path(self.folder.name)
        for path in self.project.python_files():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(self.project.text(path).encode("utf-8", "surrogateescape"))
        roots = [r for r in self.project.source_roots() if r]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self.rope = Rope(
                str(root), ropefolder=None, source_folders=roots, ignore_syntax_errors=True
            )
        return self.rope, root

    def __exit__(self, *_: object) -> None:
        self.rope.close()
        self.folder.cleanup()


def _texts(change: Any, folder: Path) -> Texts:
    """New texts of a set of changes, by relative path."""
    return {
        one.resource.path: one.new_contents
        for one in change.changes
        if getattr(one, "new_contents", None) is not None
    }


def _offset(text: str, line: int, name: str) -> int:
    """Offset in characters of a definition's name in its line."""
    rows = text.splitlines(keepends=True)
    start = sum(len(row) for row in rows[: line - 1])
    found = re.search(
        rf"\b(?:def|class)\s+({re.escape(name)})\b|\b({re.escape(name)})\b", rows[line - 1]
    )
    return start + (
        found.start(1) if found and found.start(1) >= 0 else found.start(2) if found else 0
    )


def _in_strings(old: str, files: Mapping[str, str | None], project: Project) -> tuple[str, ...]:
    """Lines that still hold the old name in a string or a comment, for a person to look at."""
    word = re.compile(rf"(?<![\w.]){re.escape(old)}\b|\.{re.escape(old)}\b")
    found = []
    for path in project.python_files():
        text = files.get(path, project.text(path)) or ""
        for number, row in enumerate(text.splitlines(), 1):
            if word.search(row) and re.search(r"['\"#]", row):
                found.append(f"{path}:{number} still says {old} in a string or a comment")
    return tuple(found[:5])


def _repointed(project: Project, path: str, old_path: str, new_path: str) -> str:
    """A file's text with every import of one module turned to its new place."""
    moved = path == old_path
    package = project.package_of(path)
    new = project.module_of(new_path)
    home = new.rpartition(".")[0] if moved else package
    move = Move(old_path, project.module_of(old_path), new, project.path_of)
    return repoint.repointed(project.text(path), package, home, move)


def _verified(
    files: Texts, moved: Mapping[str, str], notes: tuple[str, ...], project: Project, old: str
) -> Carried:
    """The change if it parses, defines every name it uses and leaves no import behind."""
    if not any(text is not None for text in files.values()):
        return Carried({}, ("there is nothing to change",))
    back = {new: was for was, new in moved.items()}
    for path, text in files.items():
        if text is None or not path.endswith(".py"):
            continue
        before = project.text(back.get(path, path))
        if symbols.parses(text) and not symbols.parses(before):
            return Carried({}, (f"{path} would not parse any more",))
        known = {u.name for u in scope.undefined(before)}
        if lost := {u.name for u in scope.undefined(text)} - known:
            return Carried({}, (f"{path} would use undefined {', '.join(sorted(lost))}",))
    merged = {p: project.text(p) for p in project.files} | {p: t or "" for p, t in files.items()}
    after = Project(project.root, [p for p in merged if files.get(p, "") is not None], merged.get)
    for was in moved:
        dotted = project.module_of(was)
        for path in after.python_files():
            stale = [m for m in _imported(after, path) if m == dotted or m.startswith(f"{dotted}.")]
            if stale:
                return Carried({}, (f"{path} would still import {dotted}",))
    return Carried(files, notes)


def _imported(project: Project, path: str) -> set[str]:
    """Dotted names that a file imports, names inside modules included."""
    package, found = project.package_of(path), set()
    for one in imports.of(project.text(path)):
        module = imports.absolute(one, package)
        found |= {module, f"{module}.{one.name}".strip(".")}
    return found
