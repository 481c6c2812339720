"""A run's writes can be taken back byte for byte, whatever ends the process or stops the disk."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError
from harness.tree.disk import Calls
from harness.tree.workspace import Workspace, new_run_id
from harness.types import Refusal
from tests import killed_writes as killed

ROOT = Path(__file__).resolve().parents[1]
POSIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture
def quick() -> Iterator[Path]:
    """A folder in memory where the system has one: these tests sync thousands of times."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(dir=memory))
    yield folder
    shutil.rmtree(folder)


def _killed(folder: Path, *more: str) -> dict[str, Any]:
    """The report of the script that kills."""
    command = [sys.executable, "-m", "tests.killed_writes", str(folder), *more]
    ran = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=300
    )
    assert ran.stdout, ran.stderr
    report: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return report


@POSIX
def test_a_write_killed_anywhere_is_undone_byte_for_byte(quick: Path) -> None:
    """Killed at each of its calls, of its undo's calls, and at pairs of both: all as before."""
    report = _killed(quick)
    assert report["wrong"] == []
    assert report["writes"] > 200
    assert report["undos"] > 100
    assert report["pairs"] > 50


@POSIX
def test_the_kills_see_a_journal_that_does_not_wait_for_the_disk(quick: Path) -> None:
    """Without syncs a death loses the journal's own bytes, and the script says so."""
    assert any("exit codes" in line for line in _killed(quick, "--unsynced")["wrong"])


class Failing(Calls):
    """Calls of which those from `first` to `last` fail as on a full disk."""

    def __init__(self, first: int, last: int) -> None:
        self.range = range(first, last + 1)
        self.count = 0

    def __getattribute__(self, name: str) -> Any:
        call = super().__getattribute__(name)
        if name not in killed.NAMES or name == "close":
            return call

        def counted(*arguments: Any) -> Any:
            self.count += 1
            if self.count - 1 in self.range:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return call(*arguments)

        return counted


def _calls_of_a_write(root: Path) -> int:
    """How many calls the write makes."""
    killed.make(root)
    calls = Failing(-1, -1)
    Workspace(root, calls=calls).write(killed.CHANGES, killed.RUN)
    return calls.count


def _failed_write(root: Path, first: int, last: int) -> str:
    """What the person is told where a stretch of calls fails; empty where the write went well."""
    killed.make(root)
    try:
        wrote = Workspace(root, calls=Failing(first, last)).write(killed.CHANGES, killed.RUN)
    except HarnessError as wrong:
        return str(wrong)
    return wrote.reason if isinstance(wrote, Refusal) else ""


def test_one_call_that_fails_leaves_everything_as_it_was(quick: Path) -> None:
    """Whichever call says the disk is full, the write is rolled back and told, or is whole."""
    root = quick / "tree"
    calls = _calls_of_a_write(root)
    before, after, told = _before(quick), killed.tree(root), 0
    for point in range(calls):
        said = _failed_write(root, point, point)
        told += bool(said)
        assert killed.tree(root) == (before if said else after), (point, said)
        assert "\n" not in said
    assert told > calls * 0.8


def test_a_disk_that_stays_full_loses_nothing(quick: Path) -> None:
    """Where even the roll-back fails, the person is told which run to undo, and undo restores."""
    root = quick / "tree"
    before, cut = _before(quick), 0
    for point in range(0, _calls_of_a_write(root), 3):
        said = _failed_write(root, point, 10**6)
        cut += f"py-harness undo {killed.RUN}" in said
        if Workspace(root).runs():
            Workspace(root).undo(killed.RUN)
        assert killed.tree(root) == before, (point, said)
    assert cut > 20


def _before(folder: Path) -> killed.Tree:
    """The tree before any write."""
    killed.make(folder / "fresh")
    return killed.tree(folder / "fresh")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounts need root")
def test_a_really_full_disk_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    """On a file system of 128 KiB a write that does not fit changes nothing and says why."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "none", str(tmp_path)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this system does not let root mount")
    try:
        (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
        workspace = Workspace(tmp_path)
        with pytest.raises(HarnessError, match="No space left on device") as caught:
            workspace.write({"a.py": "x = 2\n", "b.txt": "b" * 200_000}, "r1")
        assert "nothing was changed" in caught.value.hint
        assert killed.tree(tmp_path) == {"a.py": (b"x = 1\n", 0o100644)}
        assert [run.has_writes for run in workspace.runs()] in ([], [False])
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


PRESSED = """
import os, sys
from pathlib import Path
from harness.errors import HarnessError
from harness.tree.workspace import Workspace
os.setgid(65534)
os.setuid(65534)
try:
    print(Workspace(Path(sys.argv[1])).write({"sub/a.py": "x = 2\\n", "sub/b.py": "b\\n"}, "r1"))
except HarnessError as wrong:
    print("told:", wrong)
"""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="changes the user")
@pytest.mark.parametrize(
    ("modes", "says"),
    [
        ({".": 0o755, "sub": 0o755, "sub/a.py": 0o644}, "read-only"),
        ({".": 0o755, "sub": 0o777, "sub/a.py": 0o666}, "nothing was changed"),
        ({".": 0o777, "sub": 0o755, "sub/a.py": 0o666}, "nothing was changed"),
        ({".": 0o777, "sub": 0o777, "sub/a.py": 0o666}, "nothing was changed"),
    ],
)
def test_without_permission_nothing_changes(modes: dict[str, int], says: str) -> None:
    """A user who may not write here is told so in one line; the owner is never changed."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "sub").mkdir()
        (root / "sub/a.py").write_text("x = 1\n", encoding="utf-8")
        for path, mode in modes.items():
            (root / path).chmod(mode)
        before = killed.tree(root)
        command = [sys.executable, "-c", PRESSED, name]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert says in ran.stdout, (ran.stdout, ran.stderr)
        assert ran.stdout.count("\n") == 1
        assert killed.tree(root) == before


def _workspace(root: Path, **files: str) -> Workspace:
    """A workspace over Python files by their stems."""
    for stem, text in files.items():
        (root / f"{stem}.py").write_text(text, encoding="utf-8")
    return Workspace(root)


def test_undo_goes_back_run_by_run(tmp_path: Path) -> None:
    """Without an id each undo takes the last run that stands; with none left it says so."""
    workspace = _workspace(tmp_path, a="1\n")
    for number in (2, 3):
        workspace.write({"a.py": f"{number}\n"}, f"r{number}")
    assert workspace.undo().run_id == "r3"
    assert (tmp_path / "a.py").read_text() == "2\n"
    assert workspace.undo().run_id == "r2"
    assert (tmp_path / "a.py").read_text() == "1\n"
    with pytest.raises(HarnessError, match="no run here has writes"):
        workspace.undo()


def test_two_writes_of_one_run_are_one_undo(tmp_path: Path) -> None:
    """What a run wrote in several goes comes back in one, and again does nothing."""
    workspace = _workspace(tmp_path, a="1\n")
    workspace.write({"a.py": "2\n", "new.py": "n\n"}, "r1")
    workspace.write({"a.py": "3\n", "new.py": None}, "r1")
    assert workspace.undo("r1").restored == ("a.py", "new.py")
    assert killed.tree(tmp_path) == {"a.py": (b"1\n", 0o100644)}
    again = workspace.undo("r1")
    assert (again.restored, again.left) == ((), ())


def test_undo_leaves_what_somebody_changed_since(tmp_path: Path) -> None:
    """A file edited after the run stays, with the reason; the run's others are put back."""
    workspace = _workspace(tmp_path, a="1\n", b="1\n", c="1\n")
    workspace.write({"a.py": "2\n", "b.py": "2\n", "c.py": None, "d/e.py": "new\n"}, "r1")
    (tmp_path / "a.py").write_text("mine\n")
    (tmp_path / "d/own.txt").write_text("mine\n")
    report = workspace.undo("r1")
    assert report.left == (("a.py", "it was changed after the run"),)
    assert report.restored == ("b.py", "c.py", "d/e.py")
    assert (tmp_path / "a.py").read_text() == "mine\n"
    assert (tmp_path / "d/own.txt").read_text() == "mine\n"
    (tmp_path / "a.py").write_text("2\n")
    assert workspace.undo("r1").restored == ("a.py",)


def test_undo_names_the_later_run_that_stands_in_the_way(tmp_path: Path) -> None:
    """An earlier run's file that a later run wrote is left, and the later run is named."""
    workspace = _workspace(tmp_path, a="1\n")
    workspace.write({"a.py": "2\n"}, "r1")
    workspace.write({"a.py": "3\n"}, "r2")
    assert "by run r2" in workspace.undo("r1").left[0][1]
    assert (tmp_path / "a.py").read_text() == "3\n"


def test_undo_puts_a_removed_file_back_where_its_folder_is_gone(tmp_path: Path) -> None:
    """A deletion is restored with its mode, though somebody removed the empty folder since."""
    workspace = Workspace(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a.py").write_text("1\n")
    (tmp_path / "d/a.py").chmod(0o750)
    workspace.write({"d/a.py": None}, "r1")
    (tmp_path / "d").rmdir()
    assert workspace.undo().restored == ("d/a.py",)
    assert killed.tree(tmp_path)["d/a.py"] == (b"1\n", 0o100750)


@pytest.mark.parametrize("damage", ["cut", "blob", "path", "folder", "temp"])
def test_a_journal_that_is_damaged_or_a_strangers_is_not_obeyed(
    tmp_path: Path, damage: str
) -> None:
    """A journal may come with a project: names beyond the fence, or wrong bytes, are refused."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.py").write_text("2\n")
    workspace = _workspace(root, a="1\n")
    workspace.write({"a.py": "2\n"}, "r1")
    at = root / ".py-harness/runs/r1/writes/0001"
    row = json.loads((at / "intent.json").read_text())
    row["entries"][0] |= {"path": {"path": "../outside.py"}, "temp": {"temp": "../x.tmp"}}.get(
        damage, {}
    )
    row["folders"] = [".."] if damage == "folder" else []
    (at / "intent.json").write_text(json.dumps(row)[: 40 if damage == "cut" else None])
    if damage == "blob":
        (at / "before-0").write_bytes(b"evil\n")
        assert "missing or damaged" in workspace.undo("r1").left[0][1]
    else:
        with pytest.raises(HarnessError, match="journal cannot be read"):
            workspace.undo("r1")
    assert (root / "a.py").read_text() == "2\n"
    assert (tmp_path / "outside.py").read_text() == "2\n"


def test_the_last_fifty_runs_are_kept(tmp_path: Path) -> None:
    """Older runs go; one whose write was cut off stays, as it can still be needed."""
    workspace = _workspace(tmp_path, a="1\n")
    workspace.write({"a.py": "2\n"}, "r000")
    (tmp_path / ".py-harness/runs/r000/writes/0001/done").unlink()
    for number in range(1, 60):
        workspace.save_run(f"r{number:03}", {"task": "t"})
    kept = [run.run_id for run in workspace.runs()]
    assert kept[0] == "r000"
    assert kept[1:] == [f"r{number:03}" for number in range(10, 60)]
    assert workspace.runs()[0].unfinished


def test_a_runs_words_are_kept_and_read_back(tmp_path: Path) -> None:
    """What was saved of a run comes back as it was; a list shows task, end and time."""
    workspace = Workspace(tmp_path)
    info = {"task": "dö", "outcome": "done", "started_at": "2026-12-01T00:00:00Z", "n": [1, None]}
    run_id = new_run_id()
    workspace.save_run(run_id, info)
    assert workspace.load_run(run_id) == info
    assert (workspace.runs()[0].task, workspace.runs()[0].has_writes) == ("dö", False)
    assert (tmp_path / ".py-harness/.gitignore").read_text() == "*\n"
    (tmp_path / f".py-harness/runs/{run_id}/run.json").write_text("{")
    assert workspace.runs()[0].task == ""
    with pytest.raises(HarnessError, match="nothing readable is kept"):
        workspace.load_run(run_id)


@pytest.mark.parametrize("run_id", ["", "..", "a/b", ".hidden", "a\0b", "x" * 200, "CON:", "a "])
def test_a_run_id_is_no_way_out(tmp_path: Path, run_id: str) -> None:
    """An id that is no plain name is refused wherever one is taken."""
    workspace = Workspace(tmp_path)
    for use in (workspace.load_run, workspace.run_folder):
        with pytest.raises(HarnessError, match="is no run's id"):
            use(run_id)
    with pytest.raises(HarnessError, match="is no run's id"):
        workspace.write({"a.py": "x\n"}, run_id)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="makes links")
@pytest.mark.parametrize("link", [".py-harness", ".py-harness/runs", ".py-harness/runs/r1"])
def test_a_home_that_is_a_link_is_not_followed(tmp_path: Path, link: str) -> None:
    """A project that brings the helper's folder as a link out of it gets nothing written there."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside)
    workspace = Workspace(root)
    with pytest.raises(HarnessError):
        workspace.save_run("r1", {"task": "t"})
    with pytest.raises(HarnessError):
        workspace.run_folder("r1")
    with pytest.raises(HarnessError):
        workspace.write({"a.py": "x\n"}, "r1")
    assert os.listdir(outside) == []
    assert not (root / "a.py").exists()


class ByPath(Calls):
    """Calls as on a system that opens no folders."""

    by_handle = False


@pytest.mark.skipif(os.name != "posix", reason="makes links")
def test_without_open_folders_it_is_the_same_but_for_races(tmp_path: Path) -> None:
    """Where folders have no handles, a write and its undo are the same and links not followed."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    killed.make(root)
    before = killed.tree(root)
    workspace = Workspace(root, calls=ByPath())
    assert isinstance(workspace.write(killed.CHANGES, "r1"), tuple)
    assert killed.tree(root)["new/in/c.py"] == (b"c\n", 0o100644)
    assert workspace.undo().left == ()
    assert killed.tree(root) == before
    (root / ".py-harness").rename(outside / "home")
    (root / ".py-harness").symlink_to(outside / "home")
    with pytest.raises(HarnessError, match="is a link"):
        workspace.save_run("r2", {})
    assert not (outside / "home/runs/r2").exists()
