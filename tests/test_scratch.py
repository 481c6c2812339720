"""The throw-away copy: equal to the project byte for byte, put back whatever was done to it."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.tree.scratch import Scratch

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX modes, links or pipes")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with much that a copy can get wrong."""
    root = tmp_path / "shop"
    for name, data in {
        "pkg/__init__.py": b"",
        "pkg/dos.py": b"x = 1\r\ny = 2\r\n",
        "pkg/marked.py": b"\xef\xbb\xbfx = '\xc3\xa9'\n",
        "pkg/latin.py": b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        "data/raw.bin": bytes(range(256)),
        "run.sh": b"#!/bin/sh\n",
        ".git/HEAD": b"ref\n",
        ".venv/pyvenv.cfg": b"home = x\n",
        "odd-env/pyvenv.cfg": b"home = x\n",
        "node_modules/a/index.js": b"1\n",
        "pkg/__pycache__/a.pyc": b"x",
        ".py-harness/runs/1": b"x",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    (root / "empty").mkdir()
    (root / "run.sh").chmod(0o755)
    return root


def picture(folder: Path) -> dict[str, object]:
    """Everything of a tree: bytes and mode of files, targets of links, folders."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_dir():
            found[name] = "folder"
        else:
            found[name] = (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
    return found


def test_the_copy_is_equal_and_without_what_is_no_part_of_it(project: Path) -> None:
    """Bytes and modes are the project's; version control, environments and caches are not there."""
    with Scratch(project) as scratch:
        copied, folder = picture(scratch.folder), scratch.folder
        assert folder.name == "shop"
    left = (".git", ".venv", "odd-env", "node_modules", "pkg/__pycache__", ".py-harness")
    whole = picture(project)
    assert copied == {
        name: what
        for name, what in whole.items()
        if not any(name == skipped or name.startswith(skipped + "/") for skipped in left)
    }
    assert not folder.exists()


@posix
def test_links_stay_links_where_they_stay_inside(project: Path, tmp_path: Path) -> None:
    """A link inside is kept, made relative; one that leaves, also by a detour, is left out."""
    (tmp_path / "secret").write_text("word", encoding="utf-8")
    (project / "near.py").symlink_to("pkg/dos.py")
    (project / "absolute.py").symlink_to(project / "pkg" / "dos.py")
    (project / "folder").symlink_to("pkg")
    (project / "gone.py").symlink_to("pkg/gone.py")
    (project / "leaves").symlink_to(tmp_path / "secret")
    (project / "climbs").symlink_to("../secret")
    (project / "data" / "detour").symlink_to("../leaves")
    (project / "loop").symlink_to("loop")
    with Scratch(project) as scratch:
        texts = {n: what for n, what in picture(scratch.folder).items() if isinstance(what, str)}
        links = {name: text for name, text in texts.items() if text != "folder"}
        notes = " ".join(scratch.notes)
    assert links == {
        "near.py": "pkg/dos.py", "absolute.py": "pkg/dos.py", "folder": "pkg",
        "gone.py": "pkg/gone.py", "loop": "loop",
    }  # fmt: skip
    assert all(name in notes for name in ("leaves", "climbs", "data/detour"))


@posix
def test_what_is_no_file_is_left_out_and_told(project: Path) -> None:
    """A named pipe would hang a copy: it is left out, and a note says so."""
    os.mkfifo(project / "pipe")
    with Scratch(project) as scratch:
        assert not (scratch.folder / "pipe").exists()
        assert scratch.notes == ("left out of the copy: pipe is no file",)


def test_a_text_is_laid_as_the_original_is_written(project: Path) -> None:
    """Line ends, byte order mark and encoding are the original's; bytes are laid as they are."""
    with Scratch(project) as scratch:
        scratch.lay({
            "pkg/dos.py": "x = 3\ny = 4\n",
            "pkg/marked.py": "x = 'è'\n",
            "pkg/latin.py": "# -*- coding: latin-1 -*-\nx = 'è'\n",
            "new/deep/a.py": "x = 1\n",
            "data/raw.bin": b"\x00\r\n",
            "run.sh": "#!/bin/sh\nexit\n",
            "pkg/__init__.py": None,
        })  # fmt: skip
        folder = scratch.folder
        laid = {n: w for n, w in picture(folder).items() if w != "folder"}
    assert laid["pkg/dos.py"] == (b"x = 3\r\ny = 4\r\n", 0o644)
    assert laid["pkg/marked.py"] == (b"\xef\xbb\xbfx = '\xc3\xa8'\n", 0o644)
    assert laid["pkg/latin.py"] == (b"# -*- coding: latin-1 -*-\nx = '\xe8'\n", 0o644)
    assert laid["new/deep/a.py"] == (b"x = 1\n", 0o644)
    assert laid["data/raw.bin"] == (b"\x00\r\n", 0o644)
    assert laid["run.sh"] == (b"#!/bin/sh\nexit\n", 0o755)
    assert "pkg/__init__.py" not in laid


@pytest.mark.parametrize("name", ["../out.py", "/tmp/out.py", "pkg/../../out.py", "", "..\\out.py"])
def test_nothing_is_laid_outside_the_copy(project: Path, name: str) -> None:
    """A path that is not beneath the copy is our own mistake, and is refused."""
    with Scratch(project) as scratch, pytest.raises(ValueError, match="not beneath the copy"):
        scratch.lay({name: "x = 1\n"})


@posix
def test_nothing_is_laid_through_a_link_that_a_test_made(project: Path, tmp_path: Path) -> None:
    """A suite may plant a link to the user's file in the copy: laying does not follow it."""
    mine = tmp_path / "mine.py"
    mine.write_text("mine\n", encoding="utf-8")
    with Scratch(project) as scratch:
        (scratch.folder / "pkg" / "dos.py").unlink()
        (scratch.folder / "pkg" / "dos.py").symlink_to(mine)
        with pytest.raises(ValueError, match="not beneath the copy"):
            scratch.lay({"pkg/dos.py": "x = 1\n"})
    assert mine.read_text(encoding="utf-8") == "mine\n"


def test_reset_undoes_whatever_was_done(project: Path) -> None:
    """Changed, deleted, added, retyped and re-moded things are as in the project again."""
    with Scratch(project) as scratch:
        before, folder = picture(scratch.folder), scratch.folder
        (folder / "pkg" / "dos.py").write_bytes(b"x = 1\r\ny = 3\r\n")
        (folder / "pkg" / "latin.py").unlink()
        (folder / "pkg" / "latin.py").mkdir()
        shutil.rmtree(folder / "data")
        (folder / "data").write_text("a file", encoding="utf-8")
        (folder / "new" / "deep").mkdir(parents=True)
        (folder / "new" / "deep" / "a.py").write_text("x", encoding="utf-8")
        (folder / "pkg" / "__pycache__").mkdir()
        (folder / "run.sh").chmod(0o600)
        (folder / "empty").rmdir()
        scratch.reset()
        assert picture(folder) == before


@posix
def test_reset_sees_a_change_that_hides_its_time(project: Path) -> None:
    """Same size and same time of change, other bytes: the file is put back."""
    with Scratch(project) as scratch:
        path = scratch.folder / "pkg" / "dos.py"
        status = path.stat()
        path.write_bytes(b"x = 9\r\ny = 9\r\n")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        scratch.reset()
        assert path.read_bytes() == b"x = 1\r\ny = 2\r\n"


@posix
def test_reset_and_removal_work_on_a_locked_tree(project: Path) -> None:
    """A suite that takes all rights from folders keeps nobody from putting back or removing."""
    with Scratch(project) as scratch:
        before, folder = picture(scratch.folder), scratch.folder
        (folder / "pkg" / "extra").mkdir()
        (folder / "pkg" / "extra" / "x").write_text("x", encoding="utf-8")
        for path in (folder / "pkg" / "extra", folder / "pkg"):
            path.chmod(0o000)
        scratch.reset()
        assert picture(folder) == before
        (folder / "pkg").chmod(0o000)
    assert not folder.exists()


def test_reset_takes_what_the_project_became(project: Path) -> None:
    """A file that the user's tree gained, changed or lost since is so in the copy after reset."""
    with Scratch(project) as scratch:
        (project / "pkg" / "dos.py").write_bytes(b"x = 5\r\n")
        (project / "pkg" / "new.py").write_bytes(b"x = 6\n")
        (project / "run.sh").unlink()
        scratch.reset()
        assert (scratch.folder / "pkg" / "dos.py").read_bytes() == b"x = 5\r\n"
        assert (scratch.folder / "pkg" / "new.py").read_bytes() == b"x = 6\n"
        assert not (scratch.folder / "run.sh").exists()


def test_reset_leaves_what_nobody_touched(project: Path) -> None:
    """A file that is as it was is not written again."""
    with Scratch(project) as scratch:
        path = scratch.folder / "data" / "raw.bin"
        number = path.stat().st_ino, path.stat().st_ctime_ns
        scratch.reset()
        assert (path.stat().st_ino, path.stat().st_ctime_ns) == number


@pytest.mark.parametrize(("files", "size"), [(4, 10_000), (1000, 100)])
def test_a_project_that_is_too_large_is_told_in_one_line(
    project: Path, files: int, size: int
) -> None:
    """Nothing is left behind, and the error says what to give instead."""
    copy = Scratch(project, limit_files=files, limit_bytes=size)
    with pytest.raises(HarnessError, match="--scope"), copy:
        pass
    with pytest.raises(RuntimeError, match="outside of its with block"):
        copy.folder  # noqa: B018


def test_a_part_of_a_project_can_be_copied(project: Path) -> None:
    """With `only`, other folders are left out; what lies at the top stays."""
    with Scratch(project, only=("pkg",), limit_bytes=200) as scratch:
        assert (scratch.folder / "pkg" / "dos.py").exists()
        assert (scratch.folder / "run.sh").exists()
        assert not (scratch.folder / "data" / "raw.bin").exists()


def test_the_project_itself_is_never_touched(project: Path) -> None:
    """Laying, resetting and removing leave the user's files as they were."""
    before = picture(project)
    with Scratch(project) as scratch:
        scratch.lay({"pkg/dos.py": "x = 3\n", "run.sh": None})
        scratch.reset()
    assert picture(project) == before
