"""Owns the record of what a run writes, so that it can be taken back, also after a crash.

Does not cover whether a file may be written (`fence`), nor texts (`workspace`): only bytes here.

A run's folder holds `writes/0001/`, one folder a write: `before-0` … (the bytes as they were),
`intent.json` (paths, hashes, modes, temporary names), then `done`, then `undone`. Everything up to
`intent.json` is on the disk before the first of the person's files is touched, so from any state in
between each file is as it was, as it was to be, or changed by somebody else: its hash says which.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

from harness.tree.disk import Disk, Handle, split
from harness.tree.texts import MAX_BYTES

HOME = ".py-harness"
RUNS = f"{HOME}/runs"
FORM = 1
"""Form of `intent.json`."""


class Changed(Exception):
    """A file is not as it was when it was read; nothing is written."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Damaged(Exception):
    """A journal that cannot be read; names its file."""


@dataclass(frozen=True)
class Step:
    """One file's change in bytes."""

    path: str
    """Canonical, relative."""
    before: bytes | None
    """None: there is no such file."""
    after: bytes | None
    """None: it is removed."""
    mode: int | None
    """Its permission bits before; None for a new file."""


@dataclass(frozen=True)
class Entry:
    """One file of a write as the journal keeps it."""

    path: str
    before: str | None
    """Hash of the bytes before; None where there was no file."""
    after: str | None
    """Hash of the bytes after; None where it is removed."""
    mode: int
    """Permission bits to give: those before, or a new file's."""
    temp: str
    """Name beside the file under which its bytes are staged."""


@dataclass(frozen=True)
class Intent:
    """One write: its files in order, and the folders that it makes, outer ones first."""

    entries: tuple[Entry, ...]
    folders: tuple[str, ...]


def sha256(data: bytes) -> str:
    """A hash as the journal writes it."""
    return hashlib.sha256(data).hexdigest()


class Journal:
    """Writes and takes back, through one Disk."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk

    def home(self, folder: str) -> None:
        """Make a folder beneath the helper's own, which git ignores by itself."""
        self.disk.ensure(HOME)
        if not self.disk.exists(f"{HOME}/.gitignore"):
            self.disk.save(f"{HOME}/.gitignore", b"*\n")
        self.disk.ensure(folder)

    def write(self, run_id: str, steps: Sequence[Step], new_mode: int) -> None:
        """Write all files or none.

        Raises Changed where a file is not as the step has it, and OSError where the system says
        no; both after everything is as it was. Should even that fail, `undo` can still do it.
        """
        at = f"{RUNS}/{run_id}/writes/{len(self.writes(run_id)) + 1:04d}"
        intent = self._intent(steps, new_mode)
        self._prepare(at, intent, steps)
        try:
            self._lay(intent, steps)
            self.disk.save(f"{at}/done", b"")
        except BaseException:
            self._take_back(at, intent)
            self.disk.save(f"{at}/undone", b"")
            raise

    def _prepare(self, at: str, intent: Intent, steps: Sequence[Step]) -> None:
        """Keep everything that taking the write back needs; leaves nothing where that fails."""
        row = json.dumps({"form": FORM, **asdict(intent)}, indent=1)
        try:
            self.home(at)
            for number, step in enumerate(steps):
                if step.before is not None:
                    self.disk.save(f"{at}/before-{number}", step.before)
            self.disk.save(f"{at}/intent.json", row.encode("utf-8"))
        except OSError:
            with suppress(OSError), self.disk.folder(at) as folder:
                for name in self.disk.calls.names(folder):
                    self.disk.discard(folder, name)
            raise

    def _intent(self, steps: Sequence[Step], new_mode: int) -> Intent:
        """What a write is about to do."""
        folders: dict[str, None] = {}
        for step in steps:
            parts = step.path.split("/")[:-1]
            above = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
            if step.after is not None:
                folders.update((f, None) for f in above if not self.disk.is_folder(f))
        entries = tuple(
            Entry(
                step.path,
                None if step.before is None else sha256(step.before),
                None if step.after is None else sha256(step.after),
                new_mode if step.mode is None else step.mode,
                f".{secrets.token_hex(6)}.tmp",
            )
            for step in steps
        )
        return Intent(entries, tuple(folders))

    def _lay(self, intent: Intent, steps: Sequence[Step]) -> None:
        """Make folders, stage every file beside its place, compare, and only then rename."""
        for folder in intent.folders:
            self.disk.ensure(folder)
        for entry, step in zip(intent.entries, steps, strict=True):
            if step.after is not None:
                parent, name = split(entry.path)
                like = name if step.before is not None else ""
                with self.disk.folder(parent) as handle:
                    self.disk.stage(handle, entry.temp, step.after, entry.mode, like)
        for entry in intent.entries:
            if self._hash(entry.path) != entry.before:
                raise Changed(entry.path)
        for entry in intent.entries:
            self._settle(entry)

    def _settle(self, entry: Entry) -> None:
        """Put one staged file in its place, or remove a file; the folder is synced."""
        parent, name = split(entry.path)
        with self.disk.folder(parent) as folder:
            if entry.after is None:
                self.disk.calls.unlink(folder, name)
            elif entry.before is None:
                self._name_new(folder, entry.temp, name, entry.path)
            else:
                self.disk.calls.replace(folder, entry.temp, name)
            self.disk.calls.sync(folder)

    def _name_new(self, folder: Handle, temp: str, name: str, path: str) -> None:
        """Give a staged file its name, never over a file that came to be meanwhile."""
        try:
            self.disk.calls.link(folder, temp, name)
        except FileExistsError as wrong:
            raise Changed(path) from wrong
        except (OSError, NotImplementedError):
            # A file system without hard links: a rename, which would go over a new file.
            if self.disk.exists(path):
                raise Changed(path) from None
            self.disk.calls.replace(folder, temp, name)
        self.disk.discard(folder, temp)

    def _hash(self, path: str) -> str | None:
        """Hash of a file as it stands; None where there is none."""
        found = self.disk.fetch(path, MAX_BYTES)
        return None if found is None else sha256(found.data)

    def writes(self, run_id: str) -> list[str]:
        """Folders of a run's writes, oldest first."""
        at = f"{RUNS}/{run_id}/writes"
        return [f"{at}/{name}" for name in self.disk.names(at) if name.isdigit()]

    def standing(self, run_id: str) -> list[str]:
        """Of a run's writes, those that reached the person's files and were not taken back."""
        return [
            at
            for at in self.writes(run_id)
            if self.disk.exists(f"{at}/intent.json") and not self.disk.exists(f"{at}/undone")
        ]

    def is_unfinished(self, run_id: str) -> bool:
        """Whether a write of the run was cut off before its end."""
        return any(not self.disk.exists(f"{at}/done") for at in self.standing(run_id))

    def intent(self, at: str) -> Intent:
        """A write as it was meant; Damaged where it cannot be read."""
        found = self.disk.fetch(f"{at}/intent.json", MAX_BYTES)
        try:
            row = json.loads(found.data if found else b"")
            if row["form"] != FORM:
                raise Damaged(f"{at}/intent.json")
            entries = tuple(Entry(**entry) for entry in row["entries"])
            return Intent(entries, tuple(str(folder) for folder in row["folders"]))
        except (ValueError, KeyError, TypeError) as wrong:
            raise Damaged(f"{at}/intent.json") from wrong

    def undo(self, at: str) -> tuple[list[str], list[tuple[str, str]]]:
        """Take one write back: paths restored, and (path, why) of those left as they are."""
        restored, left = self._take_back(at, self.intent(at))
        if not left:
            self.disk.save(f"{at}/undone", b"")
        return restored, left

    def _take_back(self, at: str, intent: Intent) -> tuple[list[str], list[tuple[str, str]]]:
        """Put every file of a write back that is as the write left it; last one first."""
        restored: list[str] = []
        left: list[tuple[str, str]] = []
        for number, entry in reversed(list(enumerate(intent.entries))):
            why = self._put_back(f"{at}/before-{number}", entry)
            if why is None:
                restored.append(entry.path)
            elif why:
                left.append((entry.path, why))
        for folder in reversed(intent.folders):
            self.disk.remove_if_empty(folder)
        return restored[::-1], left[::-1]

    def _put_back(self, blob: str, entry: Entry) -> str | None:
        """None where a file was put back, "" where it is as it was, else why it is left."""
        parent, name = split(entry.path)
        try:
            if self.disk.is_folder(parent):
                with self.disk.folder(parent) as folder:
                    self.disk.discard(folder, entry.temp)
            now = self._hash(entry.path)
        except OSError as wrong:
            return f"cannot be read: {wrong.strerror}"
        if now == entry.before:
            return ""
        if now != entry.after:
            return "it was changed after the run" if now else "it was removed after the run"
        if entry.before is None:
            with self.disk.folder(parent) as folder:
                self.disk.calls.unlink(folder, name)
                self.disk.calls.sync(folder)
            return None
        kept = self.disk.fetch(blob, MAX_BYTES)
        if kept is None or sha256(kept.data) != entry.before:
            return "the journal's copy of it is missing or damaged"
        if parent:
            self.disk.ensure(parent)
        with self.disk.folder(parent) as folder:
            like = "" if now is None else name
            self.disk.stage(folder, entry.temp, kept.data, entry.mode, like)
        self._settle(Entry(entry.path, now, entry.before, entry.mode, entry.temp))
        return None
