"""Owns what a project keeps of its runs: their folders, what each was about, pruning, undo.

Does not cover the writing of one change (`journal`) nor a recording's form (`recording`).
"""

from __future__ import annotations

import errno
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.tree import filenames
from harness.tree.fence import Fence
from harness.tree.journal import HOME, RUNS, Damaged, Intent, Journal

KEPT = 50
"""Runs that are kept; older ones go, except those whose write was cut off."""
MAX_INFO = 50_000_000
"""Bytes of what is kept of one run, at most."""
LISTED = "py-harness last --list shows the runs"
_GONE = ".gone-"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class RunInfo:
    """One run, for a list."""

    run_id: str
    """Sorts by time."""
    task: str
    """The person's words; empty where the run left no word."""
    outcome: str
    """How it ended; empty where it did not, or was cut off."""
    started_at: str
    """UTC, RFC 3339; empty where it is not known."""
    has_writes: bool
    """Whether it changed files and was not taken back."""
    unfinished: bool = False
    """Whether a write was cut off by a crash; undo puts everything back."""


@dataclass(frozen=True)
class UndoReport:
    """What an undo did."""

    run_id: str
    """The run that was taken back."""
    restored: tuple[str, ...]
    """Paths that are now as they were before; empty if they were already."""
    left: tuple[tuple[str, str], ...]
    """(path, why) of files that were left as they are."""


def check_id(run_id: str) -> str:
    """A run's id that is fit for a folder's name; HarnessError where it is not."""
    if not _ID.fullmatch(run_id) or filenames.unfit((run_id,)):
        raise HarnessError(f"{filenames.shown(run_id)!r} is no run's id", LISTED)
    return run_id


class Runs:
    """The runs of one project, through its journal."""

    def __init__(self, journal: Journal, fence: Fence) -> None:
        self.journal = journal
        self.disk = journal.disk
        self.fence = fence

    def folder(self, run_id: str, *, make: bool) -> Path:
        """A run's folder; HarnessError where one of the folders is a link or cannot be made."""
        at = f"{RUNS}/{check_id(run_id)}"
        try:
            if make:
                self.journal.home(at)
            else:
                self.disk.is_folder(at)
        except OSError as wrong:
            raise self._no_record(wrong) from wrong
        return Path(self.disk.root, *at.split("/"))

    def save(self, run_id: str, info: Mapping[str, Any]) -> None:
        """Keep what a run was about, atomically, and prune old runs."""
        at = f"{RUNS}/{check_id(run_id)}"
        data = json.dumps(dict(info), ensure_ascii=False, indent=1).encode("utf-8", "replace")
        try:
            self.journal.home(at)
            self.disk.save(f"{at}/run.json", data)
        except OSError as wrong:
            raise self._no_record(wrong) from wrong
        self.prune(keep=run_id)

    def load(self, run_id: str) -> dict[str, Any]:
        """What was kept of a run; HarnessError where nothing readable was."""
        info = self._info(check_id(run_id))
        if info is None:
            raise HarnessError(f"nothing readable is kept of run {run_id}", LISTED)
        return info

    def _info(self, run_id: str) -> dict[str, Any] | None:
        """The content of `run.json`; None where there is none, or it cannot be read."""
        try:
            found = self.disk.fetch(f"{RUNS}/{run_id}/run.json", MAX_INFO)
            row = json.loads(found.data) if found is not None else None
        except (OSError, ValueError):
            return None
        return row if isinstance(row, dict) else None

    def ids(self) -> list[str]:
        """Ids of the runs that are kept, oldest first."""
        try:
            return self._names()
        except OSError as wrong:
            raise self._no_record(wrong) from wrong

    def _names(self) -> list[str]:
        """Names of the runs' folders, sorted."""
        return [name for name in self.disk.names(RUNS) if _ID.fullmatch(name)]

    def all(self) -> tuple[RunInfo, ...]:
        """Every run, newest last; empty folders are no runs."""
        return tuple(info for run_id in self.ids() if (info := self._about(run_id)) is not None)

    def _about(self, run_id: str) -> RunInfo | None:
        """One run for a list; None for a folder that holds nothing."""
        try:
            if not self.disk.names(f"{RUNS}/{run_id}"):
                return None
            has_writes = bool(self.journal.standing(run_id))
            unfinished = self.journal.is_unfinished(run_id)
        except OSError:
            return None
        info = self._info(run_id) or {}
        task, outcome, began = (str(info.get(k) or "") for k in ("task", "outcome", "started_at"))
        return RunInfo(run_id, task, outcome, began, has_writes, unfinished)

    def undo(self, run_id: str) -> UndoReport:
        """Take a run's writes back, the last one first."""
        run_id = self._named(run_id) if run_id else self._last()
        restored: dict[str, None] = {}
        left: dict[str, str] = {}
        try:
            for at in reversed(self.journal.standing(run_id)):
                self._check(at, self.journal.intent(at))
                back, stays = self.journal.undo(at)
                restored.update((path, None) for path in back)
                left.update((path, self._since(path, run_id, why)) for path, why in stays)
        except Damaged as wrong:
            raise HarnessError(f"the journal cannot be read: {wrong}", "restore by hand") from wrong
        except OSError as wrong:
            hint = "mend that and undo again; the journal still holds everything"
            raise HarnessError(f"undo of run {run_id} stopped: {_says(wrong)}", hint) from wrong
        return UndoReport(run_id, tuple(p for p in restored if p not in left), tuple(left.items()))

    def _check(self, at: str, intent: Intent) -> None:
        """Damaged where a journal names what no run may write; it may be a stranger's."""
        above = {folder for entry in intent.entries for folder in _above(entry.path)}
        names = all(Fence.is_writable_name(entry.path) for entry in intent.entries)
        temps = all(re.fullmatch(r"\.[0-9a-f]{12}\.tmp", entry.temp) for entry in intent.entries)
        if not names or not temps or not above.issuperset(intent.folders):
            raise Damaged(f"{at}/intent.json")

    def _since(self, path: str, run_id: str, why: str) -> str:
        """Why a file is left, with the later run that wrote it, if one did."""
        later = [run for run in self.ids() if run > run_id and self.journal.standing(run)]
        for run in reversed(later):
            for at in self.journal.standing(run):
                if any(entry.path == path for entry in self.journal.intent(at).entries):
                    return f"{why}, by run {run} too: undo that one first"
        return why

    def _named(self, run_id: str) -> str:
        """The run of that id, or of that beginning of an id; HarnessError where none or several."""
        ids = self.ids()
        fits = [run_id] if run_id in ids else [run for run in ids if run.startswith(run_id)]
        if len(fits) != 1:
            hint = f"the last ones: {', '.join(ids[-3:]) or 'none'}"
            count = "no run is" if not fits else f"{len(fits)} runs are"
            raise HarnessError(f"{count} named {filenames.shown(run_id)}", hint)
        return fits[0]

    def _last(self) -> str:
        """The last run whose writes stand."""
        for run_id in reversed(self.ids()):
            if self.journal.standing(run_id):
                return run_id
        raise HarnessError("no run here has writes to undo", LISTED)

    def prune(self, keep: str) -> None:
        """Remove the oldest runs above the limit; one whose write was cut off stays."""
        try:
            for name in self.disk.names(RUNS):
                if name.startswith(_GONE):
                    self._remove(name)
            ids = self._names()
            for run_id in ids[: max(0, len(ids) - KEPT)]:
                if run_id != keep and not self.journal.is_unfinished(run_id):
                    with self.disk.folder(RUNS) as folder:
                        self.disk.calls.replace(folder, run_id, _GONE + run_id)
                    self._remove(_GONE + run_id)
        except OSError:
            # Old runs that stay cost room, nothing else; the next run tries again.
            return

    def _remove(self, name: str) -> None:
        """Remove a run's folder that was set aside."""
        with self.disk.folder(RUNS) as folder:
            if isinstance(folder, int):
                shutil.rmtree(name, dir_fd=folder)
            else:
                shutil.rmtree(Path(folder, name))

    def failed(self, run_id: str, wrong: OSError) -> HarnessError:
        """What to tell where a write was refused by the system."""
        try:
            unfinished = self.journal.is_unfinished(run_id)
        except OSError:
            unfinished = True
        if unfinished:
            hint = f"mend that, then: py-harness undo {run_id}"
            return HarnessError(f"a write was cut off: {_says(wrong)}", hint)
        return HarnessError(f"cannot write: {_says(wrong)}", "nothing was changed; mend that first")

    def _no_record(self, wrong: OSError) -> HarnessError:
        """What to tell where the helper's own folder cannot be used."""
        if wrong.errno in (errno.ELOOP, errno.ENOTDIR):
            return HarnessError(f"{HOME} is a link or a file, not a folder", f"move {HOME} away")
        return HarnessError(f"{HOME} cannot be used: {_says(wrong)}", "make room or give access")


def _above(path: str) -> list[str]:
    """The folders above a relative path, outer ones first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]


def _says(wrong: OSError) -> str:
    """The system's words and the file, in one line."""
    words = wrong.strerror or str(wrong)
    return f"{words} ({wrong.filename})" if wrong.filename else words
