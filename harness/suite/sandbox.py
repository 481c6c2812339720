"""Owns one bounded run of a command that nobody trusts: its limits, its environment, its end.

Does not cover what the command is, nor what its output means (`oracle`, `suite_output`).
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.suite import containment, processes
from harness.suite.containment import Places

_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|CREDENTIAL|APIKEY|PRIVATE|_KEYS?$|_KEY_|_PAT$|_AUTH$|_DSN$|"
    r"^(?:AWS|AZURE|GCP|GOOGLE|GITHUB|GITLAB|SSH|GPG|KUBE|DOCKER|TWINE|PGPASS|NETRC)",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(r"://[^/\s:@]*:[^/\s@]+@")
# Ours, or of the tool that runs us: they would change what the project's own interpreter does.
_OURS = re.compile(
    r"^(?:PYTHON(?:HOME|STARTUP|INSPECT|PLATLIBDIR|EXECUTABLE)|PYTEST_(?!DISABLE)|COV_CORE_|COVERAGE_|"
    r"DBUS_|DISPLAY$|WAYLAND_|XAUTHORITY|__PYVENV|PY_HARNESS_|FORCE_COLOR$|"
    r"CLICOLOR_FORCE$|COLUMNS$|LINES$)"
)
_NEW_GROUP = 0x00000200


@dataclass(frozen=True)
class Limits:
    """Bounds of one run."""

    seconds: float = 300.0
    """Wall time."""
    memory_mb: int = 4096
    """Address space of each process, and resident memory of all together; MiB."""
    processes: int = 256
    """Processes and threads at one time."""
    file_mb: int = 256
    """Size of one file, MiB; private temporary folders hold twice as much."""
    network: bool = False
    """Whether it may reach other machines and the local host."""


@dataclass(frozen=True)
class Ran:
    """What a bounded run left."""

    exit_code: int | None
    """As a shell would see it, negative for a signal; None where we ended it."""
    stdout: str
    """At most about one million bytes, the middle left out."""
    stderr: str
    """As `stdout`."""
    timed_out: bool
    """It was ended since its time was over."""
    limits: tuple[str, ...]
    """Bounds that were in force, and, as `no …`, those this system cannot give."""
    duration_s: float
    """Wall time, seconds."""
    ended: str = ""
    """Why we ended it: time limit, memory limit, process limit; empty where it ended itself."""


def contained() -> bool:
    """Whether a run can be shut in here, so that only its folder is writable."""
    return bool(containment.wrapper())


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's variables without secrets and without our own, then `extra`.

    Interpreters started with it write no byte code, hash alike and speak UTF-8.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not _SECRET_NAME.search(name)
        and not _OURS.search(name)
        and not _SECRET_VALUE.search(value)
    }
    kept |= {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8",
        **_found_from_home(),
    }
    return kept | dict(extra or {})


def _found_from_home() -> dict[str, str]:
    """What an interpreter finds by the home folder, which will be another one."""
    if os.name != "posix":
        return {}
    user = Path.home()
    found = {} if sys.platform == "darwin" else {"PYTHONUSERBASE": str(user / ".local")}
    if (user / ".pyenv").is_dir():
        found["PYENV_ROOT"] = str(user / ".pyenv")
    return {name: os.environ.get(name, place) for name, place in found.items()}


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    limits: Limits,
    writable: Path | None = None,
    mount_as: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    also_writable: Sequence[Path] = (),
    readable: Sequence[Path] = (),
    behind: Mapping[str, Path] | None = None,
) -> Ran:
    """Run a command within its limits and return when nothing of it is left.

    Where the system allows it, the command sees the file system read-only, may write only
    `writable` (seen at `mount_as` as well, in place of what is there) and `also_writable`, has
    temporary folders, processes and a network of its own, and no keys of the user. `env` is
    laid over `environment()`. A program that is not there gives exit code 127.
    """
    places = Places(
        cwd, writable, mount_as, tuple(also_writable), tuple(readable), dict(behind or {})
    )
    token = secrets.token_hex(8)
    home = tempfile.mkdtemp(prefix="py-harness-home-")
    try:
        command, variables = _prepared(argv, places, limits, home)
        variables |= {**dict(env or {}), processes.TOKEN: token}
        return _carried(command, places, limits, environment(variables), stdin, token)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _prepared(
    argv: Sequence[str], places: Places, limits: Limits, home: str
) -> tuple[list[str], dict[str, str]]:
    """The whole command line, and where its home and its temporary folder are."""
    if not processes.POSIX:
        return list(argv), {"USERPROFILE": home, "TEMP": home, "TMP": home, "TMPDIR": home}
    shut = contained()
    command = containment.limited(
        argv,
        seconds=limits.seconds,
        memory_mb=limits.memory_mb,
        processes=limits.processes,
        file_mb=limits.file_mb,
        contained=shut,
    )
    if not shut:
        return command, {"HOME": home, "TMPDIR": home, "TMP": home, "TEMP": home}
    start = containment.wrapped(places, network=limits.network, file_mb=limits.file_mb)
    return start + command, {"HOME": containment.HOME, "TMPDIR": "/tmp", "TMP": "/tmp"}


def _carried(
    command: list[str],
    places: Places,
    limits: Limits,
    env: dict[str, str],
    stdin: str,
    token: str,
) -> Ran:
    """Start it, watch it, end it, and say how it went."""
    begun = time.monotonic()
    try:
        process = subprocess.Popen(
            command,
            cwd=None if contained() else places.cwd,
            env=env,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=processes.POSIX,
            creationflags=0 if processes.POSIX else _NEW_GROUP,
        )
    except OSError as wrong:
        return Ran(127, "", f"{command[0]}: {wrong.strerror}\n", False, (), 0.0)
    if process.stdout is None or process.stderr is None:
        raise AssertionError("a pipe was asked for")
    streams = processes.Capture(process.stdout), processes.Capture(process.stderr)
    if stdin:
        processes.feed(process, stdin)
    try:
        ended = _watched(process, limits, begun)
    finally:
        processes.end(process, token)
    left = [stream for stream in streams if not stream.ended(2.0)]
    said = (*_in_force(limits), *(("no end of a process that left its group",) if left else ()))
    code = None if ended else process.returncode
    took = time.monotonic() - begun
    return Ran(code, streams[0].text(), streams[1].text(), ended == "time limit", said, took, ended)


def _watched(process: subprocess.Popen[bytes], limits: Limits, begun: float) -> str:
    """Wait until it ended; why it must be ended, else an empty text."""
    watch = processes.Watch(process.pid, contained(), limits.processes, limits.memory_mb)
    pause = 0.02
    while True:
        left = limits.seconds - (time.monotonic() - begun)
        if processes.ended(process, min(pause, max(left, 0))):
            return ""
        if left <= 0:
            return "time limit"
        if over := watch.over():
            return over
        pause = min(pause * 1.5, 0.25)


def _in_force(limits: Limits) -> tuple[str, ...]:
    """The bounds of a run in words."""
    said = [f"time {limits.seconds:g} s"]
    if not processes.POSIX:
        return (*said, "no memory limit", "no process limit", "no file size limit",
                "no write fence", "no network isolation")  # fmt: skip
    said.append(f"file {limits.file_mb} MiB")
    # Without /proc nothing can be counted, and macOS does not hold to a limit on memory.
    if os.path.isdir("/proc"):
        said += [f"memory {limits.memory_mb} MiB", f"processes {limits.processes}"]
    else:
        said += ["no memory limit", "no process limit"]
    if not contained():
        return (*said, "no write fence", "no network isolation")
    return (*said, "writes only to its own folder", *(() if limits.network else ("network off",)))
