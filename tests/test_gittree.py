"""A run's commit holds its own paths and nothing of the person's, or there is no commit."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.tree import gittree

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture(autouse=True)
def _own_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of this machine's user or system reach git."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(root: Path, *arguments: str) -> str:
    """What git prints; fails where git does."""
    ran = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, encoding="utf-8", check=True
    )
    return ran.stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A git tree with one commit of three files, in a folder beneath its top."""
    top = tmp_path / "tree"
    (top / "sub/pkg").mkdir(parents=True)
    git(top, "init", "-q", "-b", "main")
    for key, value in (("user.name", "A Person"), ("user.email", "a@example.org")):
        git(top, "config", key, value)
    for name in ("top.py", "sub/a.py", "sub/b.py", "sub/pkg/c.py"):
        (top / name).write_text("1\n")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "first")
    return top / "sub"


def status(root: Path) -> list[str]:
    """Git's short status of the whole tree."""
    return git(root, "status", "--short", "--untracked-files=all", ":/").splitlines()


def committed(root: Path) -> list[str]:
    """What the last commit changed, from the top."""
    shown = git(root, "show", "--name-status", "--format=", "--no-renames", "HEAD")
    return sorted(shown.replace("\t", " ").splitlines())


def test_a_commit_holds_exactly_its_paths(root: Path) -> None:
    """Edited, new and removed files are in it; staged and unstaged work elsewhere stays so."""
    (root / "staged.py").write_text("mine\n")
    (root.parent / "top.py").write_text("mine\n")
    git(root, "add", "staged.py", "../top.py")
    (root / "b.py").write_text("mine, unstaged\n")
    (root / "new").mkdir()
    for name in ("untracked.py", "new/x1.py"):
        (root / name).write_text("mine\n")
    before = status(root)
    (root / "a.py").write_text("2\n")
    (root / "new/[x]*.py").write_text("n\n")
    (root / "pkg/c.py").unlink()
    old = git(root, "rev-parse", "HEAD")
    sha = gittree.commit(root, ["a.py", "new/[x]*.py", "pkg/c.py"], "do it: ü\n\n# why\n")
    assert committed(root) == ["A sub/new/[x]*.py", "D sub/pkg/c.py", "M sub/a.py"]
    assert status(root) == before
    assert git(root, "rev-parse", "HEAD~1") == old
    assert git(root, "rev-parse", "HEAD").strip() == sha
    assert git(root, "log", "-1", "--format=%B").rstrip("\n") == "do it: ü\n\n# why"


def test_dirty_paths_are_relative_to_the_folder(root: Path) -> None:
    """Changed, staged and untracked files beneath it, by plain names; not the helper's own."""
    assert gittree.dirty(root) == ()
    for name in ("a.py", "new/ü x.py", ".py-harness/runs/x.json", "../top.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("2\n")
    git(root, "mv", "b.py", "moved.py")
    assert gittree.dirty(root) == ("a.py", "b.py", "moved.py", "new/ü x.py")
    assert gittree.dirty(root, ["a.py", "pkg/c.py"]) == ("a.py",)


@pytest.mark.parametrize("how", ["staged", "said"])
def test_a_file_with_own_changes_is_not_mixed_in(root: Path, how: str) -> None:
    """A path that was dirty before the run stops the commit, and nothing is committed."""
    (root / "a.py").write_text("mine\n")
    before: tuple[str, ...] = gittree.dirty(root)
    if how == "staged":
        git(root, "add", "a.py")
        before = ()
    (root / "a.py").write_text("mine, and the run's\n")
    state, head = status(root), git(root, "rev-parse", "HEAD")
    with pytest.raises(HarnessError, match=r"a\.py had changes of your own"):
        gittree.commit(root, ["a.py"], "m", dirty_before=before)
    assert (status(root), git(root, "rev-parse", "HEAD")) == (state, head)


def test_a_hook_that_says_no_is_obeyed(root: Path) -> None:
    """The project's hook runs; where it refuses there is no commit and the index is as before."""
    hook = root.parent / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho the hook says no >&2\nexit 1\n")
    hook.chmod(0o755)
    (root / "staged.py").write_text("mine\n")
    git(root, "add", "staged.py")
    (root / "a.py").write_text("2\n")
    (root / "new.py").write_text("n\n")
    state, head = status(root), git(root, "rev-parse", "HEAD")
    with pytest.raises(HarnessError, match="the hook says no"):
        gittree.commit(root, ["a.py", "new.py"], "m")
    assert (status(root), git(root, "rev-parse", "HEAD")) == (state, head)
    hook.unlink()
    assert len(gittree.commit(root, ["a.py", "new.py"], "m")) == 40


@pytest.mark.parametrize("why", ["ignored", "nothing", "no-name", "merge", "message"])
def test_what_git_refuses_is_told(root: Path, why: str) -> None:
    """Ignored files, no change, no author, a merge under way, no message: one line, no commit."""
    (root / "a.py").write_text("2\n" if why != "nothing" else "1\n")
    (root / ".gitignore").write_text("new.py\n" if why == "ignored" else "")
    (root / "new.py").write_text("n\n")
    if why == "no-name":
        git(root, "config", "user.useConfigOnly", "true")
        git(root, "config", "--unset", "user.email")
    if why == "merge":
        head = git(root, "rev-parse", "HEAD")
        (root.parent / ".git/MERGE_HEAD").write_text(head)
    state, head = status(root), git(root, "rev-parse", "HEAD")
    paths = ["a.py"] if why == "nothing" else ["a.py", "new.py"]
    with pytest.raises(HarnessError) as caught:
        gittree.commit(root, paths, " " if why == "message" else "m")
    assert "\n" not in str(caught.value)
    assert (status(root), git(root, "rev-parse", "HEAD")) == (state, head)


def test_the_first_commit_of_a_tree(tmp_path: Path) -> None:
    """In a tree without any commit the run's file is committed, and another staged one is not."""
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "A")
    git(tmp_path, "config", "user.email", "a@example.org")
    for name in ("a.py", "mine.py"):
        (tmp_path / name).write_text("1\n")
    git(tmp_path, "add", "mine.py")
    gittree.commit(tmp_path, ["a.py"], "m")
    assert git(tmp_path, "show", "--name-only", "--format=", "HEAD") == "a.py\n"
    assert git(tmp_path, "diff", "--cached", "--name-only") == "mine.py\n"


def test_no_git_tree_is_no_error_until_a_commit_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outside a tree, or without git, nothing is dirty; a commit says what to leave out."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for path in (os.environ["PATH"], str(tmp_path)):
        monkeypatch.setenv("PATH", path)
        assert not gittree.inside(tmp_path)
        assert gittree.dirty(tmp_path) == ()
        with pytest.raises(HarnessError, match="no git tree"):
            gittree.commit(tmp_path, ["a.py"], "m")


def test_settings_from_outside_do_not_lead_elsewhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a hook git's own variables name another tree: they are not followed."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (root / "a.py").write_text("2\n")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    assert gittree.dirty(root) == ("a.py",)
    sha = gittree.commit(root, ["a.py"], "m")
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert git(root, "rev-parse", "HEAD").strip() == sha
    assert os.listdir(other) == [".git"]


def test_a_project_cannot_start_a_program_by_being_looked_at(root: Path, tmp_path: Path) -> None:
    """A monitor that the project's own git settings name is not run by a status."""
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    spy.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(spy))
    (root / "a.py").write_text("2\n")
    assert gittree.dirty(root) == ("a.py",)
    assert not (tmp_path / "ran").exists()
