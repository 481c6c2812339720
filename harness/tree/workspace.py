"""Owns the person's files: reads texts inside the fence, writes them all or none, takes them back.

Does not cover which names are allowed (`fence`), encodings (`texts`), nor the order of writing
that survives a crash (`journal`).
"""

from __future__ import annotations

import difflib
import os
import secrets
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.tree import filenames, listing, runs
from harness.tree.disk import Calls, Disk
from harness.tree.fence import LOOK, Fence, refusal
from harness.tree.journal import Changed, Journal, Step, sha256
from harness.tree.runs import RunInfo, UndoReport
from harness.tree.texts import MAX_BYTES, Decoded, Unreadable, decoded, encoded
from harness.types import Change, Refusal

__all__ = ["FileText", "RunInfo", "UndoReport", "Workspace", "diff", "new_run_id"]


@dataclass(frozen=True)
class FileText:
    """A file's text, and what it takes to give its bytes back."""

    path: str
    """Canonical, relative, forward slashes."""
    text: str
    """Lines end with a line feed."""
    encoding: str
    """Python's name of the codec."""
    newline: str
    """The end that most of its lines have."""
    bom: bool
    """Whether it begins with a byte order mark."""
    mode: int
    """Permission bits."""
    size: int
    """Bytes."""
    sha256: str
    """Of its bytes, hexadecimal."""


@dataclass(frozen=True)
class _Known:
    """A file as it stands, or None's place: what a change starts from."""

    path: str
    data: bytes | None
    text: Decoded | None
    mode: int | None


class Workspace:
    """One project's files. Every name is judged by the fence first; nothing is kept open."""

    def __init__(
        self,
        root: Path,
        scope: Sequence[str] = (),
        *,
        read_only: bool = False,
        calls: Calls | None = None,
    ) -> None:
        """Raises HarnessError: no such folder, not a folder, not readable, a bad scope."""
        _check_root(Path(root))
        self.fence = Fence(Path(root), tuple(scope), read_only)
        self.root = self.fence.root
        self.truncated = False
        """Whether the last listing stopped at its limit."""
        self._disk = Disk(str(self.root), calls)
        self._journal = Journal(self._disk)
        self._runs = runs.Runs(self._journal, self.fence)
        self._seen: dict[str, str | None] = {}
        self._strict = False

    def begin(self) -> None:
        """Start a run: from now on a file must stay as it was when it was first read."""
        self._seen.clear()
        self._strict = True

    def files(self) -> tuple[str, ...]:
        """Relative paths of the text files in scope, sorted, without what is never read.

        Stops at 20,000 of them and sets `truncated`. Links are left out: what they lead to inside
        is listed under its own name.
        """
        found, self.truncated = listing.text_files(self.fence)
        return found

    def read(self, name: str) -> FileText | Refusal:
        """A file's text; a Refusal outside the fence, for a missing file, and for no text."""
        known = self._known(name, write=False)
        if isinstance(known, Refusal):
            return known
        if known.data is None or known.text is None or known.mode is None:
            return refusal(f"there is no file {filenames.shown(known.path)}", LOOK)
        digest = sha256(known.data)
        if not self._strict or known.path not in self._seen:
            self._seen[known.path] = digest
        text = known.text
        return FileText(
            known.path,
            text.text,
            text.encoding,
            text.newline,
            bool(text.bom),
            known.mode,
            len(known.data),
            digest,
        )

    def preview(self, files: Mapping[str, str | None]) -> tuple[Change, ...] | Refusal:
        """What `write` would change, judged and in the files' own manner; nothing is written.

        None removes a file. A file that would stay as it is has no Change.
        """
        steps = self._steps(files)
        if isinstance(steps, Refusal):
            return steps
        return tuple(_change(step) for step in steps)

    def write(self, files: Mapping[str, str | None], run_id: str) -> tuple[Change, ...] | Refusal:
        """Write all files or none, journalled under the run.

        A Refusal where one may not be written, or is no longer as it was read or previewed;
        HarnessError where the system says no (full, read-only, no permission). Either way
        everything is as it was.
        """
        runs.check_id(run_id)
        steps = self._steps(files)
        if isinstance(steps, Refusal):
            return steps
        if not steps:
            return ()
        try:
            self._journal.write(run_id, steps, _new_mode())
        except Changed as wrong:
            return _was_changed(wrong.path)
        except OSError as wrong:
            raise self._runs.failed(run_id, wrong) from wrong
        for step in steps:
            self._seen[step.path] = None if step.after is None else sha256(step.after)
        self._runs.prune(keep=run_id)
        return tuple(_change(step) for step in steps)

    def run_folder(self, run_id: str, *, make: bool = False) -> Path:
        """Where a run keeps its record; made with the helper's own folder if asked.

        HarnessError where one of the folders is a link, or cannot be made.
        """
        return self._runs.folder(run_id, make=make)

    def save_run(self, run_id: str, info: Mapping[str, Any]) -> None:
        """Keep what a run was about, in JSON, over what was kept before; HarnessError if not."""
        self._runs.save(run_id, info)

    def load_run(self, run_id: str) -> dict[str, Any]:
        """What was kept of a run; HarnessError where nothing readable was."""
        return self._runs.load(run_id)

    def runs(self) -> tuple[RunInfo, ...]:
        """Every run that is kept, newest last; an unfinished one says so."""
        return self._runs.all()

    def undo(self, run_id: str = "") -> UndoReport:
        """Take back what a run wrote, byte for byte; empty: the last run whose writes stand.

        A file that somebody changed since is left, with the reason. Doing it again does nothing.
        HarnessError where there is nothing of that name, or the system says no.
        """
        report = self._runs.undo(run_id)
        self._seen.clear()
        return report

    def _known(self, name: str, *, write: bool) -> _Known | Refusal:
        """A file as it stands now, which need not be there."""
        path = self.fence.judge(name, write=write)
        if isinstance(path, Refusal):
            return path
        try:
            found = self._disk.fetch(path, MAX_BYTES)
        except OSError as wrong:
            return refusal(f"{filenames.shown(path)} cannot be read: {wrong.strerror}")
        if found is None:
            return _Known(path, None, None, None)
        text = decoded(found.data, path)
        if isinstance(text, Unreadable):
            size = f" ({found.status.st_size:,} bytes)" if len(found.data) > MAX_BYTES else ""
            return refusal(f"{filenames.shown(path)} {text.reason}{size}")
        return _Known(path, found.data, text, found.mode)

    def _steps(self, files: Mapping[str, str | None]) -> list[Step] | Refusal:
        """The changes in bytes, in the order given; files that stay as they are left out."""
        steps: dict[str, Step] = {}
        for name, text in files.items():
            known = self._known(name, write=True)
            step = known if isinstance(known, Refusal) else self._step(known, text)
            if isinstance(step, Refusal):
                return step
            if step.path in steps and steps[step.path].after != step.after:
                return refusal(f"{filenames.shown(step.path)} is given twice, with two texts")
            steps[step.path] = step
        for path in steps:
            if above := [other for other in steps if path.startswith(other + "/")]:
                return refusal(f"{filenames.shown(above[0])} cannot be a file and a folder")
        return [step for step in steps.values() if step.before != step.after]

    def _step(self, known: _Known, text: str | None) -> Step | Refusal:
        """One file's change; a Refusal where it was changed since it was read, or is not there."""
        shown = filenames.shown(known.path)
        digest = None if known.data is None else sha256(known.data)
        if self._seen.setdefault(known.path, digest) != digest:
            return _was_changed(known.path)
        if text is None:
            if known.data is None:
                return refusal(f"there is no file {shown} to remove")
            return Step(known.path, known.data, None, known.mode)
        if known.text is not None and text == known.text.text:
            return Step(known.path, known.data, known.data, known.mode)
        data = encoded(text, known.text, known.path)
        if isinstance(data, Unreadable):
            other = f"Action: read\nPath: {known.path}" if known.data is not None else LOOK
            return refusal(f"{shown} {data.reason}", other)
        return Step(known.path, known.data, data, known.mode)


def _check_root(root: Path) -> None:
    """HarnessError where the project's folder cannot be worked in."""
    hint = "give the project's folder with -C FOLDER"
    try:
        mode = root.stat().st_mode
    except FileNotFoundError:
        raise HarnessError(f"there is no folder {root}", hint) from None
    except (OSError, ValueError) as wrong:
        name = filenames.shown(str(root))
        raise HarnessError(f"{name} cannot be opened: {wrong}", hint) from wrong
    if not stat.S_ISDIR(mode):
        raise HarnessError(f"{root} is a file, not a folder", hint)
    try:
        with os.scandir(root) as entries:
            next(entries, None)
    except OSError as wrong:
        raise HarnessError(f"{root} cannot be read: {wrong.strerror}", hint) from wrong


def _new_mode() -> int:
    """Permission bits of a new file as this process would make it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _change(step: Step) -> Change:
    """A change as a person sees it: texts with line feeds."""
    return Change(step.path, _text(step.before, step.path), _text(step.after, step.path))


def _text(data: bytes | None, path: str) -> str | None:
    """The text of bytes that are known to be text."""
    if data is None:
        return None
    found = decoded(data, path)
    if isinstance(found, Unreadable):
        raise AssertionError(f"{path} was judged to be text, and {found.reason}")
    return found.text


def _was_changed(path: str) -> Refusal:
    """The refusal of a change that would go over somebody else's."""
    reason = f"{filenames.shown(path)} was changed by somebody since it was read"
    return refusal(reason, f"Action: read\nPath: {path}")


def diff(changes: Sequence[Change]) -> str:
    """Changes as one unified diff, `a/` and `b/` before the paths; every line ends with a feed."""
    lines: list[str] = []
    for change in changes:
        old = f"a/{change.path}" if change.before is not None else "/dev/null"
        new = f"b/{change.path}" if change.after is not None else "/dev/null"
        before, after = _lines(change.before), _lines(change.after)
        for line in difflib.unified_diff(before, after, old, new):
            whole = line.endswith("\n")
            lines.append(line if whole else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)


def _lines(text: str | None) -> list[str]:
    """Lines with their line feeds; only a line feed ends one."""
    if not text:
        return []
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def new_run_id() -> str:
    """An id that sorts by time, such as 20261201T011422.123456-ab12 (UTC).

    To the microsecond: two runs of one second must not change places, or undo takes the wrong one.
    """
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{secrets.token_hex(2)}"
