"""One bounded run: what it may see, write and use up, and that nothing is left of it."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.suite import containment, processes, sandbox
from harness.suite.sandbox import Limits, Ran

HERE = Path(__file__).resolve().parent
# A run has a temporary folder of its own: what stands in the real one cannot be seen inside.
OPEN = Path.home() if HERE.is_relative_to(tempfile.gettempdir()) else HERE
SMALL = Limits(seconds=10, memory_mb=400, processes=32, file_mb=4)
PYTHON = (Path(sys.prefix), Path(sys.base_prefix))
posix = pytest.mark.skipif(os.name != "posix", reason="limits of a process are POSIX's")
shut_in = pytest.mark.skipif(
    not sandbox.contained(), reason="bubblewrap is not here, or does not work here"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that a run may write."""
    made = tmp_path / "own"
    made.mkdir()
    return made


@pytest.fixture
def loose(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system without bubblewrap: its program is on no path."""
    monkeypatch.setenv("PATH", "/nowhere")
    containment.wrapper.cache_clear()
    yield
    containment.wrapper.cache_clear()


def python(folder: Path, code: str, limits: Limits = SMALL, **more: object) -> Ran:
    """Run code in the sandbox with this interpreter."""
    argv = [sys.executable, "-c", code]
    return sandbox.run(
        argv, cwd=folder, limits=limits, writable=folder, readable=PYTHON, **more  # type: ignore[arg-type]
    )  # fmt: skip


def test_a_run_gives_its_streams_and_its_exit_code(folder: Path) -> None:
    """Output, errors, input and exit code pass; the terminal is never its input."""
    ran = python(folder, "import sys; print(input()); print(2, file=sys.stderr); sys.exit(3)",
                 stdin="one\n")  # fmt: skip
    assert (ran.stdout, ran.stderr, ran.exit_code, ran.timed_out) == ("one\n", "2\n", 3, False)
    assert python(folder, "import sys; print(sys.stdin.read() == '')").stdout == "True\n"


def test_a_program_that_is_not_there_is_127(folder: Path) -> None:
    """What a shell would say: exit code 127, and its name in the errors."""
    usual = {"PATH": "/usr/bin:/bin"}
    ran = sandbox.run(["no-such-program"], cwd=folder, limits=SMALL, writable=folder, env=usual)
    assert ran.exit_code == 127
    assert "no-such-program" in ran.stderr


def test_secrets_do_not_reach_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables that hold keys, tokens or passwords are taken out; others are kept."""
    hidden = {
        "SHOP_API_KEY": "k", "GITHUB_TOKEN": "t", "AWS_REGION": "r", "DB_PASSWORD": "p",
        "DATABASE_URL": "postgres://ann:word@host/db", "SSH_AUTH_SOCK": "/s",
    }  # fmt: skip
    for name, value in {**hidden, "SHOP_MODE": "test"}.items():
        monkeypatch.setenv(name, value)
    ran = python(folder, "import os; print(sorted(n for n in os.environ))")
    assert "SHOP_MODE" in ran.stdout
    assert [name for name in hidden if name in ran.stdout] == []


def test_interpreters_hash_alike_and_write_no_byte_code(folder: Path) -> None:
    """Two runs print the same set in the same order, and leave no __pycache__."""
    (folder / "m.py").write_text("x = 1\n", encoding="utf-8")
    code = "import sys; sys.path.insert(0, '.'); import m; print({'a', 'b', 'c', 'd', 'é'})"
    assert python(folder, code).stdout == python(folder, code).stdout
    assert [path.name for path in folder.iterdir()] == ["m.py"]


@shut_in
def test_only_its_own_folder_is_writable(folder: Path, tmp_path: Path) -> None:
    """Writes to the user's project, the home folder, the root's tree fail; /tmp is private."""
    own_tmp = Path("/tmp") / f"py-harness-test-{os.getpid()}"
    folders = (HERE, Path.home(), Path("/"), Path("/etc"), Path(sys.prefix), tmp_path)
    places = [folder / "py-harness-test" for folder in folders]
    code = f"""
import os
for place in {[*map(str, places)]!r}:
    try:
        open(place, 'w').write('gone')
    except OSError:
        pass
open({str(own_tmp)!r}, 'w').write('private')
open(os.path.join(os.environ['HOME'], 'x'), 'w').write('private')
open('kept', 'w').write('kept')
"""
    ran = python(folder, code)
    reached = [place for place in places if place.exists()]
    for place in reached:
        place.unlink()
    assert reached == []
    assert ran.stderr == ""
    assert (folder / "kept").read_text(encoding="utf-8") == "kept"
    assert not own_tmp.exists()
    assert "writes only to its own folder" in ran.limits


@shut_in
def test_its_folder_stands_in_for_the_project(folder: Path, tmp_path: Path) -> None:
    """Mounted over the project's path, the copy is what an absolute path leads to."""
    project = tmp_path / "project"
    (project / ".venv").mkdir(parents=True)
    (project / "a.py").write_text("x = 'theirs'\n", encoding="utf-8")
    (project / ".venv" / "tool").write_text("kept in sight", encoding="utf-8")
    (folder / "a.py").write_text("x = 'copy'\n", encoding="utf-8")
    code = f"""
import os
print(os.getcwd())
print(open({str(project / "a.py")!r}).read(), open('.venv/tool').read())
open({str(project / "a.py")!r}, 'w').write('changed')
open('.venv/tool', 'w')
"""
    ran = python(folder, code, mount_as=project, behind={".venv": project / ".venv"})
    assert ran.stdout == f"{project}\nx = 'copy'\n kept in sight\n"
    assert "Read-only" in ran.stderr
    assert (project / "a.py").read_text(encoding="utf-8") == "x = 'theirs'\n"
    assert (folder / "a.py").read_text(encoding="utf-8") == "changed"


@shut_in
def test_it_cannot_take_the_fence_down(folder: Path) -> None:
    """Without capabilities it cannot mount anything writable, even where it runs as root."""
    code = "import ctypes; print(ctypes.CDLL(None).mount(None, b'/', None, 32 | 4096, None))"
    assert python(folder, code).stdout == "-1\n"


@shut_in
def test_there_is_no_network(folder: Path) -> None:
    """A server of this machine is out of reach, and the limits say so."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
        ran = python(folder, code)
        open_run = python(folder, code, Limits(10, 400, 32, 4, network=True))
    assert "ConnectionRefusedError" in ran.stderr
    assert "network off" in ran.limits
    assert open_run.exit_code == 0


@shut_in
@pytest.mark.skipif(not os.access(OPEN, os.W_OK), reason="makes a home folder in an open place")
def test_keys_in_the_home_folder_are_out_of_sight(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders such as .ssh are empty, files such as .netrc cannot be read; the rest can."""
    with tempfile.TemporaryDirectory(dir=OPEN, prefix=".home-") as name:
        home = Path(name)
        (home / ".ssh").mkdir()
        for path in (".ssh/id", ".netrc", "notes"):
            (home / path).write_text("words", encoding="utf-8")
        monkeypatch.setenv("HOME", name)
        code = f"""
import os
os.chdir({name!r})
print(os.listdir('.ssh'), open('notes').read())
print(open('.netrc').read())
"""
        ran = python(folder, code)
    assert ran.stdout.strip() == "[] words"


@posix
@pytest.mark.parametrize("loosely", [False, True])
def test_a_run_that_does_not_end_is_ended(
    folder: Path, loosely: bool, request: pytest.FixtureRequest
) -> None:
    """A spinning program that ignores the polite signals is gone soon after its time."""
    if loosely:
        request.getfixturevalue("loose")
    code = "import signal\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\nwhile True: pass"
    begun = time.monotonic()
    ran = python(folder, code, Limits(0.6, 400, 32, 4))
    assert (ran.timed_out, ran.exit_code, ran.ended) == (True, None, "time limit")
    assert time.monotonic() - begun < 4


@posix
@pytest.mark.parametrize("loosely", [False, True])
def test_nothing_is_left_of_it(folder: Path, loosely: bool, request: pytest.FixtureRequest) -> None:
    """Children that it leaves behind die with it, also those in a session of their own."""
    if loosely:
        request.getfixturevalue("loose")
    code = """
import os, sys, time
for own in (False, True):
    if os.fork() == 0:
        if own:
            os.setsid()
        for _ in range(200):
            open('beat', 'a').write('x')
            time.sleep(0.02)
        os._exit(0)
time.sleep(0.1)
"""
    begun = time.monotonic()
    ran = python(folder, code)
    beats = (folder / "beat").stat().st_size
    time.sleep(0.15)
    assert ran.exit_code == 0
    assert (folder / "beat").stat().st_size == beats > 0
    assert time.monotonic() - begun < 3


@posix
def test_memory_is_bounded_for_one_process(folder: Path) -> None:
    """More than the limit is a MemoryError in the program, not a dead machine."""
    ran = python(folder, "x = bytearray(600 * 1024 * 1024)")
    assert "MemoryError" in ran.stderr
    assert ran.exit_code == 1


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize("loosely", [False, True])
def test_memory_is_bounded_for_all_processes_together(
    folder: Path, loosely: bool, request: pytest.FixtureRequest
) -> None:
    """Four processes that each keep to the limit but pass it together are ended."""
    if loosely:
        request.getfixturevalue("loose")
    code = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        x = b'1' * 60_000_000
        time.sleep(5)
        os._exit(0)
time.sleep(5)
"""
    ran = python(folder, code, Limits(8, 130, 32, 4))
    assert (ran.exit_code, ran.ended, ran.timed_out) == (None, "memory limit", False)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize("loosely", [False, True])
def test_processes_are_bounded(folder: Path, loosely: bool, request: pytest.FixtureRequest) -> None:
    """A program that forks on and on is stopped: by the kernel, or at once by the watch."""
    if loosely:
        request.getfixturevalue("loose")
    code = """
import os, time
made = 0
for _ in range(60):
    try:
        if os.fork() == 0:
            time.sleep(4)
            os._exit(0)
        made += 1
    except OSError:
        print('refused after', made, flush=True)
        os._exit(9)
time.sleep(4)
"""
    ran = python(folder, code, Limits(8, 400, 16, 4))
    assert ran.ended == "process limit" or "refused after" in ran.stdout
    assert ran.duration_s < 4


@posix
def test_one_file_cannot_fill_the_disk(folder: Path) -> None:
    """A file stops growing at its limit."""
    ran = python(folder, "f = open('big', 'wb')\nfor _ in range(20): f.write(bytes(1_000_000))")
    assert ran.exit_code != 0
    assert (folder / "big").stat().st_size <= SMALL.file_mb * 1024 * 1024


def test_output_without_end_fills_neither_memory_nor_disk(folder: Path) -> None:
    """Of 40 MB printed the first and the last lines are kept, and the rest is counted."""
    code = "print('first')\nfor _ in range(400): print('x' * 100_000)\nprint('last')"
    ran = python(folder, code)
    assert ran.stdout.startswith("first\n")
    assert ran.stdout.endswith("last\n")
    assert "bytes left out" in ran.stdout
    assert len(ran.stdout) < processes.KEPT_BYTES + 200_000


@posix
def test_what_a_system_cannot_give_is_said(folder: Path, loose: None) -> None:
    """Without bubblewrap the run works, and its limits name what was missing."""
    ran = python(folder, "print(1)")
    assert ran.stdout == "1\n"
    assert {"no write fence", "no network isolation"} <= set(ran.limits)
    assert not sandbox.contained()


@posix
def test_an_interrupt_leaves_nothing_running(folder: Path) -> None:
    """Ctrl-C while a run goes on ends the run before it goes up."""
    import _thread
    import threading

    threading.Timer(0.4, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        python(folder, "import time\nwhile True:\n open('beat', 'a').write('x'); time.sleep(0.02)")
    beats = (folder / "beat").stat().st_size
    time.sleep(0.1)
    assert (folder / "beat").stat().st_size == beats
