"""Owns every file-system call that writes into a project; walks from its root, follows no link.

On POSIX systems each folder is opened from the one above it without following links, and calls
work on the open folder: a folder that is swapped for a link meanwhile changes nothing. Where the
system has no such calls (Windows), a folder's real path is compared before each call; a swap
within that moment is not seen. Does not cover what is written (`journal`) nor whether it may be
(`fence`).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

Handle = int | str
"""An open folder: a descriptor, or its path where the system has none for folders."""

_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Calls:
    """The system's calls, one method each, so that a test can stop between any two of them."""

    by_handle = hasattr(os, "O_NOFOLLOW") and {
        os.open, os.stat, os.unlink, os.mkdir, os.rmdir, os.rename,
    } <= os.supports_dir_fd  # fmt: skip

    def open_folder(self, folder: Handle | None, name: str) -> Handle:
        """Open a folder in a folder, or the root by its path; OSError where it is a link."""
        if self.by_handle:
            at = folder if isinstance(folder, int) else None
            return os.open(name, os.O_RDONLY | os.O_DIRECTORY | _FLAGS, dir_fd=at)
        path = os.path.join(folder, name) if isinstance(folder, str) else name
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        if os.path.normcase(os.path.realpath(path)) != os.path.normcase(path):
            raise OSError(errno.ELOOP, "is a link", path)
        return path

    def close(self, handle: Handle) -> None:
        """Close a folder or a file."""
        if isinstance(handle, int):
            os.close(handle)

    def open_file(self, folder: Handle, name: str) -> int:
        """Open for reading; never waits for a pipe's other end."""
        path, at = _at(folder, name)
        return os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _FLAGS, dir_fd=at)

    def make_file(self, folder: Handle, name: str) -> int:
        """Open a new file for writing; OSError where the name is taken."""
        path, at = _at(folder, name)
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600, dir_fd=at)

    def read(self, file: int, size: int) -> bytes:
        """At most `size` bytes; none at the end."""
        return os.read(file, size)

    def write(self, file: int, data: memoryview) -> int:
        """Write some of the bytes; how many."""
        return os.write(file, data)

    def sync(self, handle: Handle) -> None:
        """Wait until a file or a folder is on the disk, as far as the system can say."""
        if isinstance(handle, int):
            os.fsync(handle)

    def status(self, folder: Handle, name: str) -> os.stat_result:
        """What stands under a name, links not followed."""
        path, at = _at(folder, name)
        return os.stat(path, dir_fd=at, follow_symlinks=False)

    def status_of(self, file: int) -> os.stat_result:
        """What an open file is."""
        return os.fstat(file)

    def set_mode(self, file: int, mode: int) -> None:
        """Give an open file its mode; where the system has none, nothing."""
        if hasattr(os, "fchmod"):
            os.fchmod(file, mode)

    def set_owner(self, file: int, user: int, group: int) -> None:
        """Give an open file its owner."""
        os.fchown(file, user, group)

    def copy_attributes(self, old: int, new: int) -> None:
        """Copy extended attributes, access lists among them, as far as the file system has any."""
        if not hasattr(os, "listxattr"):
            return
        for name in _attributes(old):
            try:
                os.setxattr(new, name, os.getxattr(old, name))
            except OSError as wrong:
                if wrong.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENODATA, errno.EINVAL):
                    raise

    def link(self, folder: Handle, name: str, new: str) -> None:
        """Give a file a second name in its folder; OSError where the name is taken."""
        path, at = _at(folder, name)
        other, _ = _at(folder, new)
        os.link(path, other, src_dir_fd=at, dst_dir_fd=at)

    def replace(self, folder: Handle, name: str, new: str) -> None:
        """Rename within a folder, over what stands there."""
        path, at = _at(folder, name)
        other, _ = _at(folder, new)
        os.replace(path, other, src_dir_fd=at, dst_dir_fd=at)

    def unlink(self, folder: Handle, name: str) -> None:
        """Remove a file."""
        path, at = _at(folder, name)
        os.unlink(path, dir_fd=at)

    def make_folder(self, folder: Handle, name: str) -> None:
        """Make a folder."""
        path, at = _at(folder, name)
        os.mkdir(path, dir_fd=at)

    def remove_folder(self, folder: Handle, name: str) -> None:
        """Remove an empty folder."""
        path, at = _at(folder, name)
        os.rmdir(path, dir_fd=at)

    def names(self, folder: Handle) -> list[str]:
        """Names in a folder, sorted."""
        return sorted(os.listdir(folder))


def _at(folder: Handle, name: str) -> tuple[str, int | None]:
    """A name in an open folder as the system's calls want it."""
    return (name, folder) if isinstance(folder, int) else (os.path.join(folder, name), None)


def _attributes(file: int) -> list[str]:
    """Names of an open file's extended attributes; none where the file system has none."""
    try:
        return os.listxattr(file)
    except OSError as wrong:
        if wrong.errno in (errno.ENOTSUP, errno.EPERM, errno.ENOSYS):
            return []
        raise


@dataclass(frozen=True)
class Found:
    """A file as it was read."""

    data: bytes
    """Its bytes, at most one more than asked for."""
    status: os.stat_result
    """Of the open file."""

    @property
    def mode(self) -> int:
        """Permission bits."""
        return stat.S_IMODE(self.status.st_mode)


class Disk:
    """Files under one root by relative path; each call walks anew, so nothing stays open."""

    def __init__(self, root: str, calls: Calls | None = None) -> None:
        self.root = root
        self.calls = calls or Calls()

    @contextmanager
    def folder(self, path: str) -> Iterator[Handle]:
        """An open folder by its relative path (root: empty); OSError where a part is a link."""
        handle = self.calls.open_folder(None, self.root)
        try:
            for part in path.split("/") if path else ():
                deeper = self.calls.open_folder(handle, part)
                self.calls.close(handle)
                handle = deeper
            yield handle
        finally:
            self.calls.close(handle)

    def fetch(self, path: str, limit: int) -> Found | None:
        """A regular file's bytes, one more than `limit` at most; None where there is no such file.

        OSError where it is a link, no regular file, or cannot be read.
        """
        parent, name = split(path)
        try:
            with self.folder(parent) as folder:
                file = self.calls.open_file(folder, name)
        except FileNotFoundError:
            return None
        try:
            status = self.calls.status_of(file)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "is no regular file", path)
            return Found(self._read(file, limit + 1), status)
        finally:
            self.calls.close(file)

    def _read(self, file: int, limit: int) -> bytes:
        """An open file's bytes up to a limit."""
        pieces: list[bytes] = []
        while limit > 0 and (piece := self.calls.read(file, min(limit, 1 << 20))):
            pieces.append(piece)
            limit -= len(piece)
        return b"".join(pieces)

    def stage(self, folder: Handle, name: str, data: bytes, mode: int, like: str = "") -> None:
        """Write a new file in full and wait for the disk; takes owner and attributes of `like`."""
        file = self.calls.make_file(folder, name)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self.calls.write(file, rest) :]
            if like:
                self._take_after(folder, like, file)
            self.calls.set_mode(file, mode)
            self.calls.sync(file)
        finally:
            self.calls.close(file)

    def _take_after(self, folder: Handle, name: str, file: int) -> None:
        """Give an open file the owner and the attributes of another."""
        old = self.calls.open_file(folder, name)
        try:
            wanted, given = self.calls.status_of(old), self.calls.status_of(file)
            if (wanted.st_uid, wanted.st_gid) != (given.st_uid, given.st_gid):
                self.calls.set_owner(file, wanted.st_uid, wanted.st_gid)
            self.calls.copy_attributes(old, file)
        finally:
            self.calls.close(old)

    def save(self, path: str, data: bytes) -> None:
        """Write a file of our own atomically, over an older one."""
        parent, name = split(path)
        with self.folder(parent) as folder:
            self.discard(folder, name + ".tmp")
            self.stage(folder, name + ".tmp", data, 0o600)
            self.calls.replace(folder, name + ".tmp", name)
            self.calls.sync(folder)

    def discard(self, folder: Handle, name: str) -> bool:
        """Remove a file or a link in an open folder; whether there was one."""
        try:
            self.calls.unlink(folder, name)
        except FileNotFoundError:
            return False
        return True

    def ensure(self, path: str) -> None:
        """Make a folder and those above it, as far as they are missing; OSError for a link."""
        parts = path.split("/")
        for depth in range(len(parts)):
            with self.folder("/".join(parts[:depth])) as folder:
                try:
                    self.calls.make_folder(folder, parts[depth])
                except FileExistsError:
                    continue
                self.calls.sync(folder)
        with self.folder(path):
            return

    def remove_if_empty(self, path: str) -> None:
        """Remove a folder; one that holds something, or is none, stays."""
        parent, name = split(path)
        try:
            with self.folder(parent) as folder:
                self.calls.remove_folder(folder, name)
                self.calls.sync(folder)
        except OSError as wrong:
            if wrong.errno not in (
                errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.ELOOP,
            ):  # fmt: skip
                raise

    def is_folder(self, path: str) -> bool:
        """Whether a folder stands there; OSError where a part of the path is a link or a file."""
        try:
            with self.folder(path):
                return True
        except FileNotFoundError:
            return False

    def exists(self, path: str) -> bool:
        """Whether anything stands under a name."""
        parent, name = split(path)
        try:
            with self.folder(parent) as folder:
                self.calls.status(folder, name)
        except FileNotFoundError:
            return False
        return True

    def names(self, path: str) -> list[str]:
        """Names in a folder, sorted; none where there is no such folder."""
        try:
            with self.folder(path) as folder:
                return self.calls.names(folder)
        except FileNotFoundError:
            return []


def split(path: str) -> tuple[str, str]:
    """A relative path's folder and name; the root's folder is empty."""
    parent, _, name = path.rpartition("/")
    return parent, name
