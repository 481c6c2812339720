"""Owns what a bounded process may see and write: the wrapper that this system has, and its rules.

Does not cover running it nor ending it (`sandbox`, `processes`).
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from harness.suite.processes import of_user

HOME = "/tmp/py-harness-home"
_PRIVATE = ("/tmp", "/var/tmp", "/run")
# Read by no suite that should run here; what holds a password stays out of sight.
_SECRET_PLACES = (
    ".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".config/gcloud", ".config/gh",
    ".netrc", ".git-credentials", ".pypirc", ".npmrc", ".pgpass", ".password-store",
)  # fmt: skip


@dataclass(frozen=True)
class Places:
    """What of the file system a bounded process gets."""

    cwd: Path
    """Where it starts; beneath `writable` it is moved with it."""
    writable: Path | None = None
    """The one folder that it may write, at its own path."""
    mount_as: Path | None = None
    """Path at which that folder is seen as well, in place of what is there."""
    also_writable: tuple[Path, ...] = ()
    """Further folders that it may write, such as one for its report."""
    readable: tuple[Path, ...] = ()
    """Folders that must stay in sight although they lie in a private place such as /tmp."""
    behind: Mapping[str, Path] = field(default_factory=dict)
    """Folders to show read-only in the writable folder, by path relative to it."""


@cache
def wrapper() -> tuple[str, ...]:
    """Bubblewrap with the isolation that works here, found by trying; empty where none does."""
    program = shutil.which("bwrap")
    if os.name != "posix" or program is None:
        return ()
    start = (
        program, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
        "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
    )  # fmt: skip
    for tried in ((*start, "--disable-userns"), start):
        look = ["--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        try:
            done = subprocess.run(
                [*tried, *look, "--tmpfs", "/tmp", "/bin/sh", "-c", ":"],
                capture_output=True, stdin=subprocess.DEVNULL, timeout=10, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return ()
        if done.returncode == 0:
            return tried
    return ()


def wrapped(places: Places, *, network: bool, file_mb: int) -> list[str]:
    """The wrapper's command line, to be followed by the command that it shall run."""
    argv = [*wrapper(), *(() if network else ("--unshare-net",))]
    argv += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for place in _PRIVATE:
        if os.path.isdir(place) and not os.path.islink(place):
            sized = ("--size", str(max(file_mb, 16) * 2 * 1024 * 1024))
            argv += [*sized, "--tmpfs", place]
    argv += ["--dir", HOME, *_hidden_secrets()]
    for path in ("/run/current-system", *map(str, places.readable)):
        if os.path.exists(path) and _in_private(path):
            argv += ["--ro-bind", path, path]
    for folder in places.also_writable:
        argv += ["--bind", str(folder), str(folder)]
    if places.writable is not None:
        for seen in (places.writable, places.mount_as or places.writable):
            argv += ["--bind", str(places.writable), str(seen)]
            for name, source in places.behind.items():
                argv += ["--ro-bind", str(source), str(seen / name)]
    return [*argv, "--chdir", str(inside(places, places.cwd)), "--"]


def inside(places: Places, path: Path) -> Path:
    """Where a path of the writable folder is seen by the process."""
    if places.writable is None or places.mount_as is None:
        return path
    if path == places.writable or places.writable in path.parents:
        return places.mount_as / path.relative_to(places.writable)
    return path


def _in_private(path: str) -> bool:
    """Whether a path would be out of sight, since its place is replaced by an empty one."""
    return any(path == place or path.startswith(place + "/") for place in _PRIVATE)


def _hidden_secrets() -> list[str]:
    """Empty things in place of the user's keys and passwords."""
    argv: list[str] = []
    for name in _SECRET_PLACES:
        path = Path.home() / name
        if path.is_symlink() or _in_private(str(path)):
            continue
        if path.is_dir():
            argv += ["--tmpfs", str(path)]
        elif path.is_file():
            argv += ["--ro-bind", "/dev/null", str(path)]
    return argv


def limited(argv: Sequence[str], *, seconds: float, memory_mb: int, processes: int, file_mb: int,
            contained: bool) -> list[str]:  # fmt: skip
    """The command behind a shell that lowers its own limits first; the shell becomes it."""
    files = max(file_mb, 1) * 2048
    cpu = math.ceil(seconds) * (os.cpu_count() or 1) + 5
    threads = processes if contained and _counts_apart() else of_user() + processes
    lines = [
        "ulimit -c 0",
        f"ulimit -f {files} 2>/dev/null",
        f"ulimit -v {memory_mb * 1024} 2>/dev/null",
        f"ulimit -t {cpu} 2>/dev/null",
        "ulimit -n 1024 2>/dev/null",
        f"if (ulimit -u {threads}) 2>/dev/null; then ulimit -u {threads}; "
        f"elif (ulimit -p {threads}) 2>/dev/null; then ulimit -p {threads}; fi",
        'exec "$@"',
    ]
    if not os.path.isdir("/proc"):
        # Without a count of what runs already, a limit on processes would hit the user's others.
        del lines[5]
    return ["/bin/sh", "-c", "\n".join(lines), "sh", *argv]


@cache
def _counts_apart() -> bool:
    """Whether the kernel counts the processes of a user namespace by themselves (Linux 5.14)."""
    head = os.uname().release.split("-")[0].split(".")[:2]
    return all(part.isdigit() for part in head) and tuple(map(int, head)) >= (5, 14)
