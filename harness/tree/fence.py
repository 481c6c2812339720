"""Owns which files of a project may be read and written: names in, canonical paths or refusals out.

Does not cover the reading and writing (`workspace`), nor races: `disk` walks to a judged path
again without following any link, so what is swapped after the judgement is not followed.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from harness.errors import HarnessError
from harness.tree import filenames
from harness.tree.filenames import SKIPPED, TEXT_SUFFIXES, is_protected, shown
from harness.types import Refusal

__all__ = ["SKIPPED", "TEXT_SUFFIXES", "Fence", "is_protected"]

LOOK = "Action: find\nPattern: *"
MAX_TURNS = 40


def refusal(reason: str, next_action: str = LOOK) -> Refusal:
    """A refusal of the fence."""
    return Refusal("fence", reason, next_action)


class Fence:
    """Judges names against one folder; holds no open file and writes nothing."""

    def __init__(self, root: Path, scope: tuple[str, ...] = (), read_only: bool = False) -> None:
        """Raises HarnessError for a scope that is not inside the folder."""
        self.root = Path(os.path.realpath(root))
        self.read_only = read_only
        self._given = Path(os.path.abspath(root))
        self._folds = _ignores_case(self.root)
        self.scope = tuple(self._scope(entry) for entry in scope)

    def judge(self, name: str, *, write: bool) -> str | Refusal:
        """The canonical relative path that a name means, if it may be read, or written.

        The file need not exist. Links that stay inside are resolved; case and composition are
        those on disk where the file system does not tell them apart.
        """
        if write and self.read_only:
            return refusal("this run may not write", "Action: done\nSummary: what was found")
        asked = self._parts(name)
        if isinstance(asked, Refusal):
            return asked
        if not asked:
            return refusal("the path names the project's folder, not a file")
        parts = self._resolved(asked)
        if isinstance(parts, Refusal):
            return parts
        return self._by_name(asked, parts, write) or self._on_disk(parts, write) or "/".join(parts)

    def holds(self, parts: tuple[str, ...]) -> bool:
        """Whether canonical parts are in scope."""
        return not self.scope or any(parts[: len(entry)] == entry for entry in self.scope)

    @staticmethod
    def is_writable_name(path: str) -> bool:
        """Whether a canonical path is one that a write may have, by its name alone."""
        parts = tuple(path.split("/"))
        if filenames.hostile(path) or filenames.unfit(parts) or {"", "."} & set(parts):
            return False
        skipped = any(filenames.is_skipped(part) for part in parts)
        return not (
            skipped
            or filenames.is_secret(parts[-1])
            or not filenames.is_text(parts[-1], write=True)
        )

    def _scope(self, entry: str) -> tuple[str, ...]:
        """A scope's canonical parts; empty parts are the whole folder."""
        parts = self._parts(entry.rstrip("/\\") if entry.strip("/\\") else entry)
        found = self._resolved(parts) if not isinstance(parts, Refusal) else parts
        if isinstance(found, Refusal):
            hint = "give a folder or file inside the project, relative to it"
            raise HarnessError(f"--scope {shown(entry)}: {found.reason}", hint)
        if any(filenames.is_skipped(part) for part in found):
            raise HarnessError(f"--scope {shown(entry)} is never read", "give another folder")
        return found

    def _parts(self, name: str) -> tuple[str, ...] | Refusal:
        """A name's relative parts, as spelled; absolute ones only where they fall inside."""
        if reason := filenames.hostile(name):
            forward = f"write the path with forward slashes: {shown(name.replace(chr(92), '/'))}"
            return refusal(reason, forward if "backslash" in reason else LOOK)
        if os.path.isabs(name):
            inside = self._inside(name)
            if inside is None:
                return refusal(f"{shown(name)} is outside the project")
            name = inside
        spelled = name.replace("\\", "/") if os.name == "nt" else name
        if spelled.startswith("/"):
            return refusal(f"{shown(name)} is outside the project")
        parts = tuple(part for part in spelled.split("/") if part not in ("", "."))
        if reason := filenames.unfit(parts):
            return refusal(reason)
        if parts and spelled.endswith(("/", "/.")):
            folder = "/".join(parts)
            return refusal(f"{shown(folder)} names a folder", f"Action: find\nPattern: {folder}/*")
        return parts

    def _inside(self, name: str) -> str | None:
        """An absolute name as a relative one; None where it does not fall inside."""
        path = Path(name)
        if ".." in path.parts:
            return None
        for base in (self._given, self.root):
            if path.is_relative_to(base):
                return path.relative_to(base).as_posix()
        below = self._below(name)
        return None if below is None else "/".join(below)

    def _below(self, name: str) -> tuple[str, ...] | None:
        """Parts beneath the root of what a path leads to; None where that is elsewhere."""
        try:
            path = Path(os.path.realpath(name))
        except OSError:
            # What it leads to went away between two looks at it.
            return None
        return path.relative_to(self.root).parts if path.is_relative_to(self.root) else None

    def _resolved(self, parts: tuple[str, ...]) -> tuple[str, ...] | Refusal:
        """Canonical parts: through links that stay inside, spelled as on disk."""
        for _ in range(MAX_TURNS):
            below = self._below(os.path.join(self.root, *parts))
            if below is None:
                return refusal(f"{shown('/'.join(parts))} leads out of the project through a link")
            spelled = self._as_on_disk(below)
            if spelled == parts:
                return parts
            parts = spelled
        return refusal(f"{shown('/'.join(parts))} is a link that leads nowhere")

    def _as_on_disk(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Parts in the spelling of the entries that they mean; missing ones as they are."""
        folder = str(self.root)
        for at, part in enumerate(parts):
            if self._folds or not os.path.lexists(os.path.join(folder, part)):
                twins = _twins(folder, part, case=self._folds)
                if not twins:
                    return parts
                parts = (*parts[:at], twins[0], *parts[at + 1 :])
            folder = os.path.join(folder, parts[at])
        return parts

    def _by_name(
        self, asked: tuple[str, ...], parts: tuple[str, ...], write: bool
    ) -> Refusal | None:
        """What the name alone forbids, as asked and as resolved."""
        path = shown("/".join(parts))
        for spelled in (asked, parts):
            if filenames.is_secret(spelled[-1]):
                return refusal(f"{path} may hold secrets and is never read or written")
            for folder in spelled:
                if filenames.is_skipped(folder):
                    return refusal(f"{path}: what is in {shown(folder)} is never read or written")
        if not self.holds(parts):
            scope = ", ".join("/".join(entry) or "." for entry in self.scope)
            return refusal(f"{path} is outside the scope: {scope}")
        for spelled in (asked, parts):
            if not filenames.is_text(spelled[-1], write=write):
                verb = "written" if write else "read"
                kinds = ", ".join(sorted(TEXT_SUFFIXES))
                return refusal(f"{path} is no kind of text file that may be {verb} ({kinds})")
        return None

    def _on_disk(self, parts: tuple[str, ...], write: bool) -> Refusal | None:
        """What the thing on disk forbids."""
        path, full = "/".join(parts), os.path.join(self.root, *parts)
        for depth in range(1, len(parts)):
            if os.path.lexists(os.path.join(self.root, *parts[:depth], "pyvenv.cfg")):
                return refusal(f"{shown(path)} belongs to a virtual environment")
        try:
            status = os.lstat(full)
        except FileNotFoundError:
            return self._new(parts) if write else None
        except NotADirectoryError:
            return refusal(f"{shown(path)}: a file stands where a folder is needed")
        except OSError as wrong:
            return refusal(f"{shown(path)}: {wrong.strerror}")
        if stat.S_ISDIR(status.st_mode):
            return refusal(f"{shown(path)} is a folder", f"Action: find\nPattern: {path}/*")
        if stat.S_ISLNK(status.st_mode):
            return refusal(f"{shown(path)} is a link that leads nowhere")
        if not stat.S_ISREG(status.st_mode):
            return refusal(f"{shown(path)} is a device, a pipe or a socket, not a file")
        return _locked(path, full, status) if write else None

    def _new(self, parts: tuple[str, ...]) -> Refusal | None:
        """What forbids a file that is not there yet."""
        if reason := filenames.unportable(parts):
            return refusal(reason)
        folder = str(self.root)
        for at, part in enumerate(parts):
            if not os.path.lexists(os.path.join(folder, part)):
                if twins := _twins(folder, part, case=True):
                    there = "/".join((*parts[:at], twins[0], *parts[at + 1 :]))
                    reason = f"{shown('/'.join(parts))} differs only in case from {shown(there)}"
                    return refusal(reason, f"use the name that is there: {shown(there)}")
                return None
            folder = os.path.join(folder, part)
        return None


def _locked(path: str, full: str, status: os.stat_result) -> Refusal | None:
    """What forbids to replace a regular file."""
    other = "Action: ask\nQuestion: which other file may I change?"
    if status.st_nlink > 1:
        # A new file under this name would leave the other name with the old text.
        return refusal(f"{shown(path)} has {status.st_nlink} names (hard links)", other)
    if not status.st_mode & 0o222 or not os.access(full, os.W_OK):
        return refusal(f"{shown(path)} is read-only", other)
    return None


def _twins(folder: str, name: str, *, case: bool) -> list[str]:
    """Entries of a folder that mean the same name: itself first, then by composition or case."""
    try:
        entries = sorted(os.listdir(folder))
    except OSError:
        return []
    if name in entries:
        return [name]
    if case:
        return [entry for entry in entries if filenames.fold(entry) == filenames.fold(name)]
    composed = filenames.composed(name)
    return [entry for entry in entries if filenames.composed(entry) == composed]


def _ignores_case(root: Path) -> bool:
    """Whether the root's file system takes `A` and `a` for one name, tried on what is there."""
    for path in (root, *sorted(root.glob("*"))[:20]):
        other = path.with_name(path.name.swapcase()) if path.name else path
        if other != path:
            try:
                return os.path.samestat(os.lstat(path), os.lstat(other))
            except OSError:
                return False
    return False
