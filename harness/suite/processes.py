"""Owns a started process until nothing of it is left: bounded capture, watching, and its end.

Does not cover what it may see or write (`containment`), nor which limits to set (`sandbox`).
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO

POSIX = os.name == "posix"
KEPT_BYTES = 1_000_000
TOKEN = "PY_HARNESS_RUN"
_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE") if POSIX else 4096


class Capture:
    """One stream of a process, read to its end in a thread; keeps its head and its tail."""

    def __init__(self, stream: IO[bytes], limit: int = KEPT_BYTES) -> None:
        self._stream = stream
        self._head_limit, self._tail_limit = limit // 4, limit - limit // 4
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = self._dropped = 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while chunk := os.read(self._stream.fileno(), 65536):
            room = self._head_limit - len(self._head)
            self._head += chunk[: max(room, 0)]
            if rest := chunk[max(room, 0) :]:
                self._tail.append(rest)
                self._tail_size += len(rest)
            while self._tail_size - len(self._tail[0]) > self._tail_limit if self._tail else False:
                gone = self._tail.popleft()
                self._tail_size -= len(gone)
                self._dropped += len(gone)

    def ended(self, seconds: float) -> bool:
        """Whether the stream was closed by all who held it, waiting so long for it."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def text(self) -> str:
        """What was read, undecodable bytes replaced; says how much was left out between."""
        middle = f"\n… {self._dropped} bytes left out …\n".encode() if self._dropped else b""
        whole = bytes(self._head) + middle + b"".join(tuple(self._tail))
        return whole.decode("utf-8", "replace").replace("\r\n", "\n")


def feed(process: subprocess.Popen[bytes], text: str) -> None:
    """Write a process's standard input in a thread, and close it; it may not care to read."""

    def write() -> None:
        if process.stdin is None:
            return
        try:
            process.stdin.write(text.encode("utf-8"))
            process.stdin.close()
        except (BrokenPipeError, OSError):
            return

    threading.Thread(target=write, daemon=True).start()


def ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether it ended within that time; it is left to be reaped, so its group keeps its id."""
    if process.returncode is not None:
        return True
    handle = _handle(process.pid)
    if handle is not None:
        try:
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            return bool(poll.poll(max(seconds, 0) * 1000))
        finally:
            os.close(handle)
    if not POSIX:
        try:
            process.wait(max(seconds, 0))
        except subprocess.TimeoutExpired:
            return False
        return True
    until = time.monotonic() + seconds
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() >= until:
            return False
        time.sleep(0.01)
    return True


def _handle(pid: int) -> int | None:
    """A descriptor that tells at once when a process ends, where the system has such."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def end(process: subprocess.Popen[bytes], token: str) -> None:
    """Kill the process, its group, and what left the group where that can be seen; then reap."""
    if POSIX:
        _kill_group(process.pid)
        for pid in escaped(token):
            _kill(pid)
    elif process.poll() is None:
        subprocess.run(
            ["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False
        )
    process.wait()


def _kill_group(group: int) -> None:
    """End every process of a group; one that is gone already is no matter."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _kill(pid: int) -> None:
    """End one process; one that is gone already is no matter."""
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _numbers() -> Iterator[int]:
    """Ids of all processes that this system shows; none where it has no /proc."""
    if _PROC.is_dir():
        yield from (int(name) for name in os.listdir(_PROC) if name.isdigit())


def escaped(token: str) -> list[int]:
    """Processes that carry a run's token in their environment, in whatever session they are."""
    found = []
    mark = f"{TOKEN}={token}".encode()
    for pid in _numbers():
        try:
            if mark in (_PROC / str(pid) / "environ").read_bytes().split(b"\0"):
                found.append(pid)
        except OSError:
            continue
    return found


def of_user() -> int:
    """Threads that run under this user now: what a limit on processes is counted from."""
    count = 0
    for pid in _numbers():
        try:
            if (_PROC / str(pid)).stat().st_uid == os.getuid():
                count += len(os.listdir(_PROC / str(pid) / "task"))
        except OSError:
            continue
    return count


class Watch:
    """Looks at all processes of a run, where the system shows them: how many, how much memory."""

    def __init__(self, pid: int, contained: bool, processes: int, memory_mb: int) -> None:
        self._pid, self._contained = pid, contained
        self._processes, self._memory = processes, memory_mb * 1024 * 1024
        self._space = ""

    def over(self) -> str:
        """Which limit is passed, or an empty text."""
        members = self._members()
        if len(members) > self._processes:
            return "process limit"
        resident = sum(self._size(pid, "statm") for pid in members)
        # Forked processes share pages, so the exact count is taken only where it can matter.
        if resident > self._memory and sum(self._exact(pid) for pid in members) > self._memory:
            return "memory limit"
        return ""

    def _members(self) -> list[int]:
        """The run's processes: those of its process namespace, else those of its session."""
        if self._contained and not self._space:
            self._space = self._inner_space()
            if not self._space:
                return []
        return [pid for pid in _numbers() if self._belongs(pid)]

    def _belongs(self, pid: int) -> bool:
        try:
            if self._contained:
                return os.readlink(_PROC / str(pid) / "ns" / "pid") == self._space
            return os.getsid(pid) == self._pid
        except OSError:
            return False

    def _inner_space(self) -> str:
        """The process namespace that the wrapper made; empty until it is there."""
        try:
            outer = os.readlink(_PROC / "self" / "ns" / "pid")
            task = _PROC / str(self._pid) / "task" / str(self._pid) / "children"
            for child in task.read_text(encoding="ascii").split():
                inner = os.readlink(_PROC / child / "ns" / "pid")
                if inner != outer:
                    return inner
        except OSError:
            return ""
        return ""

    @staticmethod
    def _size(pid: int, name: str) -> int:
        try:
            return int((_PROC / str(pid) / name).read_text(encoding="ascii").split()[1]) * _PAGE
        except (OSError, IndexError, ValueError):
            return 0

    @staticmethod
    def _exact(pid: int) -> int:
        """Bytes of a process, shared pages counted by their share."""
        try:
            for line in (_PROC / str(pid) / "smaps_rollup").read_text(encoding="ascii").split("\n"):
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
        except (OSError, IndexError, ValueError):
            return 0
        return 0
