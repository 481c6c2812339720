"""The workspace: reads and previews tell what a write will do, and a write does it or nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import HarnessError
from harness.tree.disk import Calls, Handle
from harness.tree.workspace import FileText, Workspace, diff, new_run_id
from harness.types import Change, Refusal

Bytes = dict[str, bytes]


def tree(root: Path) -> Bytes:
    """Every file but the helper's own."""
    found = (p for p in root.rglob("*") if p.is_file() and ".py-harness" not in p.parts)
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in found}


def make(root: Path, **files: bytes) -> Workspace:
    """A workspace over files by their stems, all `.py`."""
    for stem, data in files.items():
        (root / f"{stem}.py").write_bytes(data)
    return Workspace(root)


def refused(result: object) -> Refusal:
    """A refusal with all that a model needs."""
    assert isinstance(result, Refusal), result
    assert result.next_action
    return result


def test_a_read_tells_the_files_manner(tmp_path: Path) -> None:
    """Text with line feeds, and encoding, end, mark, mode, size and hash of the bytes."""
    workspace = make(tmp_path, a=b"\xef\xbb\xbfx = 1\r\ny\r\n")
    (tmp_path / "a.py").chmod(0o755)
    found = workspace.read("./a.py")
    assert isinstance(found, FileText)
    assert (found.path, found.text, found.encoding) == ("a.py", "x = 1\ny\n", "utf-8")
    assert (found.newline, found.bom, found.size) == ("\r\n", True, 13)
    assert found.mode == (0o755 if os.name == "posix" else found.mode)
    assert len(found.sha256) == 64


def test_a_read_refuses_what_is_not_there_or_no_text(tmp_path: Path) -> None:
    """A missing, a binary and an oversized file are refused in one line each."""
    workspace = make(tmp_path, binary=b"\0", large=b"#" * 5_000_001)
    assert "there is no file" in refused(workspace.read("none.py")).reason
    assert "NUL" in refused(workspace.read("binary.py")).reason
    assert "5,000,000 at most" in refused(workspace.read("large.py")).reason
    assert "NUL" in refused(workspace.write({"binary.py": "x\n"}, "r1")).reason


def test_a_preview_is_what_the_write_does(tmp_path: Path) -> None:
    """The changes shown are those made, in the files' own manner; nothing is written before."""
    workspace = make(tmp_path, a=b"1\r\n2", b=b"same\n", c=b"gone\n")
    files = {"a.py": "0\n2\n", "b.py": "same\n", "c.py": None, "d/e.md": "new\n"}
    before = tree(tmp_path)
    shown = workspace.preview(files)
    assert shown == (
        Change("a.py", "1\n2", "0\n2"),
        Change("c.py", "gone\n", None),
        Change("d/e.md", None, "new\n"),
    )
    assert tree(tmp_path) == before
    assert not (tmp_path / ".py-harness").exists()
    assert workspace.write(files, "r1") == shown
    assert tree(tmp_path) == {"a.py": b"0\r\n2", "b.py": b"same\n", "d/e.md": b"new\n"}


def test_nothing_to_write_leaves_no_trace(tmp_path: Path) -> None:
    """Files given as they are make no change, no journal and no folder."""
    workspace = make(tmp_path, a=b"1\r\n")
    assert workspace.write({"a.py": "1\n"}, "r1") == ()
    assert os.listdir(tmp_path) == ["a.py"]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"a.py": "2\n", "../b.py": "2\n"}, "`..`"),
        ({"a.py": "2\n", ".env": "2\n"}, "secrets"),
        ({"a.py": "2\n", "none.py": None}, "no file none.py to remove"),
        ({"a.py": "2\n", "./a.py": "3\n"}, "given twice"),
        ({"a.py": "2\n", "n.py": "2\n", "n.py/b.py": "3\n"}, "file and a folder"),
        ({"a.py": "2\n", "b.py": "\0"}, "NUL"),
        ({"a.py": "2\n", "b.py": "\ud800"}, "cannot hold"),
        ({"a.py": "2\n", "b.txt": "b" * 5_000_001}, "5,000,000 at most"),
    ],
)
def test_one_refusal_refuses_all(tmp_path: Path, files: dict[str, str | None], why: str) -> None:
    """If one of the files may not be written, none is; preview and write say the same."""
    workspace = make(tmp_path, a=b"1\n")
    assert why in refused(workspace.preview(files)).reason
    assert why in refused(workspace.write(files, "r1")).reason
    assert os.listdir(tmp_path) == ["a.py"]


def test_somebody_elses_change_is_not_written_over(tmp_path: Path) -> None:
    """A file that was edited, made or removed after it was read or previewed is left alone."""
    for before, now in ((b"1\n", b"mine\n"), (None, b"mine\n"), (b"1\n", None)):
        root = Path(tempfile.mkdtemp(dir=tmp_path))
        path = root / "a.py"
        if before is not None:
            path.write_bytes(before)
        workspace = Workspace(root)
        assert isinstance(workspace.preview({"a.py": "2\n", "b.py": "2\n"}), tuple)
        path.write_bytes(now) if now is not None else path.unlink()
        said = refused(workspace.write({"a.py": "2\n", "b.py": "2\n"}, "r1"))
        assert "changed by somebody" in said.reason
        assert tree(root) == ({} if now is None else {"a.py": now})


class Meddling(Calls):
    """Calls of a disk on which somebody saves a file while the run stages or names its own."""

    def __init__(self, path: Path, late: bool) -> None:
        self.path = path
        self.late = late

    def make_file(self, folder: Handle, name: str) -> int:
        """Make a file; beside the person's own, after theirs was saved."""
        if name.startswith(".") and not self.late:
            self.path.write_bytes(b"mine\n")
        return super().make_file(folder, name)

    def link(self, folder: Handle, name: str, new: str) -> None:
        """Give a file its name, just after somebody took that name."""
        if self.late:
            self.path.write_bytes(b"mine\n")
        super().link(folder, name, new)


@pytest.mark.parametrize(
    ("name", "late"), [("a.py", False), ("b.py", False), ("new.py", False), ("new.py", True)]
)
def test_a_change_in_the_middle_of_a_write_stops_it(tmp_path: Path, name: str, late: bool) -> None:
    """A file that is saved or made while the run writes keeps its bytes; no other is changed."""
    make(tmp_path, a=b"1\n", b=b"1\n")
    workspace = Workspace(tmp_path, calls=Meddling(tmp_path / name, late))
    files = {"a.py": "2\n", "b.py": None, "new.py": "2\n"}
    assert name in refused(workspace.write(files, "r1")).reason
    assert tree(tmp_path) == {"a.py": b"1\n", "b.py": b"1\n"} | {name: b"mine\n"}
    assert not workspace.runs()[0].has_writes


def test_a_run_that_began_holds_to_its_first_reading(tmp_path: Path) -> None:
    """After `begin` a second look does not hide an edit; a new beginning takes what is there."""
    workspace = make(tmp_path, a=b"1\n")
    workspace.begin()
    workspace.read("a.py")
    (tmp_path / "a.py").write_bytes(b"mine\n")
    workspace.read("a.py")
    refused(workspace.preview({"a.py": "2\n"}))
    workspace.begin()
    assert isinstance(workspace.write({"a.py": "2\n"}, "r1"), tuple)
    assert isinstance(workspace.write({"a.py": "3\n"}, "r1"), tuple)


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_modes_are_kept_and_new_files_get_the_usual_one(tmp_path: Path) -> None:
    """An executable stays one, also over undo; a new file has what the umask gives."""
    workspace = make(tmp_path, run=b"1\n", private=b"1\n")
    (tmp_path / "run.py").chmod(0o755)
    (tmp_path / "private.py").chmod(0o600)
    mask = os.umask(0o027)
    try:
        workspace.write({"run.py": "2\n", "private.py": "2\n", "new.py": "n\n"}, "r1")
    finally:
        os.umask(mask)
    modes = {p.name: p.stat().st_mode & 0o777 for p in tmp_path.glob("*.py")}
    assert modes == {"run.py": 0o755, "private.py": 0o600, "new.py": 0o640}
    workspace.undo()
    modes = {p.name: p.stat().st_mode & 0o777 for p in tmp_path.glob("*.py")}
    assert modes == {"run.py": 0o755, "private.py": 0o600}
    kept = tmp_path / ".py-harness/runs/r1/writes/0001/before-1"
    assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="changes an owner")
def test_owner_and_attributes_are_kept(tmp_path: Path) -> None:
    """A file that root edits stays its owner's, with its extended attributes."""
    workspace = make(tmp_path, a=b"1\n")
    os.chown(tmp_path / "a.py", 65534, 65534)
    try:
        os.setxattr(tmp_path / "a.py", "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no attributes")
    workspace.write({"a.py": "2\n"}, "r1")
    status = (tmp_path / "a.py").stat()
    assert (status.st_uid, status.st_gid) == (65534, 65534)
    assert os.getxattr(tmp_path / "a.py", "user.note") == b"kept"


@settings(max_examples=60, deadline=None)
@given(
    befores=st.lists(st.none() | st.binary(max_size=60), min_size=2, max_size=4),
    afters=st.lists(st.none() | st.text("ab\r\né→", max_size=12), min_size=4, max_size=4),
)
def test_undo_gives_back_any_bytes(befores: list[bytes | None], afters: list[str | None]) -> None:
    """Whatever was there and whatever was written, all of it or nothing, undo gives the bytes."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for number, data in enumerate(befores):
            if data is not None:
                (root / f"{number}.py").write_bytes(data)
        before = tree(root)
        workspace = Workspace(root)
        files = {f"{n}.py": text for n, text in enumerate(afters[: len(befores)])}
        files["new/x.md"] = "x"
        wrote = workspace.write(files, "r1")
        if isinstance(wrote, Refusal):
            assert tree(root) == before
            return
        assert len(tree(root)) == sum(text is not None for text in files.values())
        assert workspace.undo().left == ()
        assert tree(root) == before
        assert not (root / "new").exists()


def test_a_listing_holds_what_may_be_read(tmp_path: Path) -> None:
    """Text files in scope, sorted; made, secret, binary, linked and other people's are left out."""
    names = (
        "b.py", "a/c.md", "a/d.bin", ".env", "secrets.json", ".git/x.txt", "node_modules/y.json",
        "Makefile", ".github/ci.yml", "a/__pycache__/z.py", "env/pyvenv.cfg", "env/lib/q.py",
    )  # fmt: skip
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    if os.name == "posix":
        (tmp_path / "link.py").symlink_to("b.py")
        (tmp_path / "up").symlink_to("..")
        os.mkfifo(tmp_path / "pipe.py")
    workspace = Workspace(tmp_path)
    assert workspace.files() == (".github/ci.yml", "Makefile", "a/c.md", "b.py")
    assert not workspace.truncated
    assert Workspace(tmp_path, ("a", "b.py", "none")).files() == ("a/c.md", "b.py")
    assert all(isinstance(workspace.read(name), FileText) for name in workspace.files())


def test_a_listing_of_a_huge_tree_is_bounded(tmp_path: Path) -> None:
    """Above 20,000 text files it stops within seconds, keeps those near the root, and says so."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tmp_path
    root = Path(tempfile.mkdtemp(dir=memory))
    try:
        (root / "near.py").write_bytes(b"")
        for number in range(30):
            folder = root / f"f{number}" / "deep"
            folder.mkdir(parents=True)
            for at in range(1000):
                os.close(os.open(folder / f"{at}.py", os.O_CREAT | os.O_WRONLY))
        workspace, began = Workspace(root), time.monotonic()
        found = workspace.files()
        assert time.monotonic() - began < 5
        assert (len(found), workspace.truncated) == (20_000, True)
        assert "near.py" in found
        assert len(Workspace(root, ("f7",)).files()) == 1000
    finally:
        shutil.rmtree(root)


@pytest.mark.parametrize("kind", ["missing", "file", "name"])
def test_a_folder_that_cannot_be_worked_in_is_told(tmp_path: Path, kind: str) -> None:
    """A root that is missing, a file, or no path at all is the person's mistake, in one line."""
    path = {"missing": tmp_path / "none", "file": tmp_path / "f", "name": Path("a\0b")}[kind]
    (tmp_path / "f").write_bytes(b"")
    with pytest.raises(HarnessError, match=r"no folder|is a file|cannot be opened") as caught:
        Workspace(path)
    assert "-C FOLDER" in caught.value.hint


def test_a_read_only_workspace_writes_nothing(tmp_path: Path) -> None:
    """Of a question nothing is written, and reading makes no folder."""
    workspace = make(tmp_path, a=b"1\n")
    workspace = Workspace(tmp_path, read_only=True)
    refused(workspace.write({"a.py": "2\n"}, "r1"))
    workspace.read("a.py")
    assert workspace.runs() == ()
    assert workspace.run_folder("r1") == workspace.root / ".py-harness" / "runs" / "r1"
    assert os.listdir(tmp_path) == ["a.py"]
    assert workspace.run_folder("r1", make=True).is_dir()


def test_a_diff_can_be_applied(tmp_path: Path) -> None:
    """The unified diff turns the tree before into the tree after, as git reads it."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    stood = {"a": b"1\n2\n3\n4\n5\n6\n7\n8", "b": b"gone\n", "c": b"x\x0cy\n\n"}
    last = "1\n2\n3\n4\n5\n6\n7\n9\n"
    files = {"a.py": last, "b.py": None, "d.py": "new\x1c", "c.py": "x\x0cz\n"}
    changes = make(tmp_path, **stood).preview(files)
    assert isinstance(changes, tuple)
    patch = diff(changes)
    assert patch.startswith("--- a/a.py\n+++ b/a.py\n")
    apply = ["git", "apply", "--unsafe-paths", "-"]
    subprocess.run(apply, input=patch.encode(), cwd=tmp_path, check=True)
    applied = tree(tmp_path)
    (tmp_path / "d.py").unlink()
    assert isinstance(make(tmp_path, **stood).write(files, "r1"), tuple)
    assert tree(tmp_path) == applied
    assert diff(()) == ""


def test_ids_of_runs_sort_by_time() -> None:
    """An id is a UTC time to the microsecond with four hexadecimal digits behind."""
    ids = [new_run_id() for _ in range(3)]
    assert [run_id[:22] for run_id in ids] == sorted(run_id[:22] for run_id in ids)
    assert all(len(run_id) == 27 and run_id[8] == "T" and run_id[22] == "-" for run_id in ids)
    assert len(set(ids)) == 3


def test_the_workspace_is_light_to_import() -> None:
    """No library of others is loaded for reading and writing files."""
    code = (
        "import sys; before = set(sys.modules); "
        "import harness.tree.workspace, harness.tree.gittree;"
        "names = {n.split('.')[0] for n in set(sys.modules) - before};"
        "print(sorted(names - sys.stdlib_module_names - {'harness'}))"
    )
    root = Path(__file__).resolve().parents[1]
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
