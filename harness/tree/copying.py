"""Owns what of a project a throw-away copy holds: folders left out, links, sizes.

Does not cover the copy's life (`scratch`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Made by tools and large, or no part of what a suite tests.
LEFT_OUT = frozenset((
    ".git", ".hg", ".svn", ".bzr", ".py-harness", ".venv", "venv", ".tox", ".nox", "node_modules",
    "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".eggs",
    ".ipynb_checkpoints", "htmlcov", ".idea", ".vscode",
))  # fmt: skip
# Of these, what a suite may read: shown in the copy where the system can do so.
SHOWN = frozenset([".git", ".hg", ".venv", "venv", ".tox", ".nox", "node_modules"])


@dataclass(frozen=True)
class Entry:
    """One thing of a tree."""

    path: str
    """Relative, forward slashes."""
    kind: str
    """file, folder, link (`target` stays inside), or the reason why it is left out."""
    size: int = 0
    """Bytes of a file."""
    stamp: tuple[int, ...] = ()
    """What changes with a file: size, times, number, mode."""
    target: str = ""
    """Of a link: relative text."""


def is_left_out(name: str, path: Path) -> bool:
    """Whether a folder is no part of a copy: by its name, or as a virtual environment."""
    if name in LEFT_OUT:
        return True
    return os.path.isfile(path / "pyvenv.cfg") or os.path.isdir(path / "conda-meta")


def walk(root: Path) -> Iterator[Entry]:
    """Everything of a tree that a copy may hold, folders before what is in them, in name order.

    What is left out for a reason worth telling comes as an entry whose `kind` is the reason.
    """
    waiting = [(root, "")]
    while waiting:
        folder, before = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                found = sorted(listing, key=lambda item: item.name)
        except OSError as wrong:
            yield Entry(before or ".", f"cannot be read: {wrong.strerror}")
            continue
        deeper = []
        for item in found:
            path = f"{before}{item.name}"
            if item.is_symlink():
                yield _link(root, Path(item.path), path)
            elif item.is_dir(follow_symlinks=False):
                if not is_left_out(item.name, Path(item.path)):
                    yield Entry(path, "folder", stamp=(item.stat(follow_symlinks=False).st_mode,))
                    deeper.append((Path(item.path), f"{path}/"))
            elif item.is_file(follow_symlinks=False):
                status = item.stat(follow_symlinks=False)
                yield Entry(path, "file", status.st_size, stamp(status))
            else:
                yield Entry(path, "is no file")
        waiting += reversed(deeper)


def stamp(status: os.stat_result) -> tuple[int, ...]:
    """What changes whenever a file's content or mode does."""
    changed = status.st_ctime_ns if os.name == "posix" else 0
    return (status.st_size, status.st_mtime_ns, changed, status.st_ino, status.st_mode)


def shown(root: Path) -> dict[str, Path]:
    """Folders that a copy lacks but a suite may read, by relative path; at most two levels down."""
    found: dict[str, Path] = {}
    for folder in (root, *_folders(root)):
        for path in _folders(folder, every=True):
            if is_left_out(path.name, path) and (path.name in SHOWN or path.name not in LEFT_OUT):
                found[path.relative_to(root).as_posix()] = path
    return found


def _folders(folder: Path, every: bool = False) -> list[Path]:
    """Real folders in a folder, without those left out unless asked for."""
    try:
        with os.scandir(folder) as listing:
            inner = [Path(item.path) for item in listing if item.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(path for path in inner if every or not is_left_out(path.name, path))


def _link(root: Path, path: Path, name: str) -> Entry:
    """A link as the copy shall hold it: relative, and only where it stays inside."""
    text = os.readlink(path)
    end = os.path.normpath(os.path.join(path.parent, text))
    for base in (str(root), os.path.realpath(root)):
        if end != base and not end.startswith(base + os.sep):
            continue
        # What it leads to in the end must be inside as well, through however many links.
        real = os.path.realpath(path)
        top = os.path.realpath(root)
        if real != top and not real.startswith(top + os.sep):
            break
        relative = os.path.relpath(end, os.path.join(base, os.path.dirname(name)))
        return Entry(name, "link", target=relative.replace(os.sep, "/"))
    return Entry(name, "is a link that leaves the project")
