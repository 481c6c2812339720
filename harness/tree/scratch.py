"""Owns the throw-away copy of a project in which drafts are laid and suites are run.

Does not cover the user's own files (`workspace`) nor what is run in the copy (`oracle`).
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any

from harness.errors import HarnessError
from harness.tree.copying import Entry, is_left_out, stamp, walk

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)


class Scratch:
    """A copy of a project that may be broken and put back; a context manager.

    Left out are version control, virtual environments and caches, links that leave the project
    and what is no file; `notes` tells which of these were met. `only` holds the copy to some
    files and folders, and to the files at the top.
    """

    def __init__(
        self,
        root: Path,
        *,
        limit_files: int = 20_000,
        limit_bytes: int = 1_000_000_000,
        only: Sequence[str] = (),
    ) -> None:
        self.root = root.resolve()
        self.notes: tuple[str, ...] = ()
        self._limits = limit_files, limit_bytes
        self._only = tuple(PurePosixPath(name).as_posix() for name in only)
        self._above: Path | None = None
        self._sources: dict[str, Entry] = {}
        self._copies: dict[str, tuple[int, ...]] = {}

    @property
    def folder(self) -> Path:
        """The copy's folder, named as the project's; only between enter and exit."""
        if self._above is None:
            raise RuntimeError("the copy is not there outside of its with block")
        return self._above / (self.root.name or "project")

    def __enter__(self) -> Scratch:
        """Make the copy; HarnessError where the project is too large for it."""
        self._above = Path(tempfile.mkdtemp(prefix="py-harness-")).resolve()
        try:
            self.folder.mkdir()
            self.reset()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the copy, whatever was done to it."""
        if self._above is not None:
            _remove(self._above)
            self._above = None

    def reset(self) -> None:
        """Make the copy equal to the project as it stands now; only what differs is touched."""
        wanted = self._listed()
        self._clear(wanted)
        for path, entry in wanted.items():
            target = self.folder / path
            if entry.kind == "folder":
                target.mkdir(exist_ok=True)
                os.chmod(target, stat.S_IMODE(entry.stamp[0]) | 0o700)
            elif entry.kind == "link":
                if not target.is_symlink():
                    os.symlink(entry.target, target)
            elif self._differs(path, entry):
                self._copy(path, target)
        self._sources = wanted

    def lay(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write texts, bytes or, for None, no file at all into the copy.

        A text gets the line ends, the encoding and the byte order mark of the project's own file.
        ValueError for a path that is not beneath the copy.
        """
        for name, content in files.items():
            target = self._place(name)
            if content is None:
                target.unlink(missing_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            data = content if isinstance(content, bytes) else _encoded(content, self.root / name)
            # A file of its own: the one that stands there may be read-only.
            mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o644
            target.unlink(missing_ok=True)
            target.write_bytes(data)
            os.chmod(target, mode)

    def _place(self, name: str) -> Path:
        """Where a relative path lies in the copy."""
        path = PurePosixPath(name.replace("\\", "/"))
        target = self.folder / path
        inside = not path.is_absolute() and ".." not in path.parts and path.parts
        if not inside or not target.resolve().is_relative_to(self.folder):
            raise ValueError(f"{name!r} is not beneath the copy")
        return target.resolve()

    def _listed(self) -> dict[str, Entry]:
        """What the copy shall hold, in an order in which it can be made."""
        most_files, most_bytes = self._limits
        found: dict[str, Entry] = {}
        notes: list[str] = []
        size = count = 0
        for entry in walk(self.root):
            if not self._belongs(entry.path):
                continue
            if entry.kind not in ("file", "folder", "link"):
                notes.append(f"left out of the copy: {entry.path} {entry.kind}")
                continue
            found[entry.path] = entry
            count, size = count + 1, size + entry.size
            if count > most_files or size > most_bytes:
                raise HarnessError(
                    f"{self.root} is too large to copy: more than {most_files:,} files or "
                    f"{most_bytes // 1_000_000:,} MB",
                    "start in the folder that matters, or give --scope; a --test-cmd that needs "
                    "little can run there",
                )
        self.notes = tuple(notes)
        return found

    def _belongs(self, path: str) -> bool:
        """Whether `only` lets a path in."""
        if not self._only or "." in self._only or "/" not in path:
            return True
        return any(
            path == name or path.startswith(name + "/") or name.startswith(path + "/")
            for name in self._only
        )

    def _clear(self, wanted: Mapping[str, Entry]) -> None:
        """Take out of the copy what does not belong there or is of another kind."""
        waiting = [(self.folder, "")]
        while waiting:
            folder, before = waiting.pop()
            if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
                os.chmod(folder, 0o700)
            with os.scandir(folder) as listing:
                for item in list(listing):
                    path = f"{before}{item.name}"
                    if _kind(item) != (wanted[path].kind if path in wanted else ""):
                        _remove(Path(item.path))
                    elif item.is_symlink():
                        if os.readlink(item.path) != wanted[path].target:
                            os.unlink(item.path)
                    elif item.is_dir(follow_symlinks=False):
                        waiting.append((Path(item.path), f"{path}/"))

    def _differs(self, path: str, entry: Entry) -> bool:
        """Whether the project's file or its copy is another than when it was copied."""
        known = self._sources.get(path)
        if known is None or known.stamp != entry.stamp or path not in self._copies:
            return True
        try:
            return stamp(os.lstat(self.folder / path)) != self._copies[path]
        except OSError:
            return True

    def _copy(self, path: str, target: Path) -> None:
        """One file, byte for byte, with its mode and times."""
        target.unlink(missing_ok=True)
        try:
            shutil.copyfile(self.root / path, target)
            shutil.copystat(self.root / path, target)
        except OSError as wrong:
            self.notes += (f"left out of the copy: {path} cannot be read: {wrong.strerror}",)
            target.unlink(missing_ok=True)
            return
        self._copies[path] = stamp(os.lstat(target))


def _kind(item: os.DirEntry[str]) -> str:
    """The kind of a thing in the copy, in the words of `Entry.kind`."""
    if item.is_symlink():
        return "link"
    if item.is_dir(follow_symlinks=False):
        return "skipped" if is_left_out(item.name, Path(item.path)) else "folder"
    return "file" if item.is_file(follow_symlinks=False) else "other"


def _encoded(text: str, original: Path) -> bytes:
    """A text as the original file would hold it; UTF-8 with line feeds where there is none."""
    try:
        before = original.read_bytes()
    except OSError:
        return text.encode("utf-8")
    encoding = next((name for mark, name in _BOMS if before.startswith(mark)), "")
    if not encoding:
        declared = _CODING.search(b"\n".join(before.split(b"\n", 2)[:2]))
        encoding = declared[1].decode("ascii") if declared else _guessed(before)
    if before.count(b"\r\n") * 2 > before.count(b"\n"):
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    try:
        return text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return text.encode("utf-8")


def _guessed(data: bytes) -> str:
    """UTF-8 unless the bytes are none."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _remove(path: Path) -> None:
    """Remove a file or a whole folder, also one whose mode forbids it."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return

    def again(act: Callable[..., Any], name: str, _: Any) -> None:
        os.chmod(os.path.dirname(name), 0o700)
        if os.path.lexists(name):
            if not os.path.islink(name):
                os.chmod(name, 0o700)
            if act in (os.unlink, os.rmdir):
                act(name)
            else:
                shutil.rmtree(name, ignore_errors=True)

    shutil.rmtree(path, onerror=again)
