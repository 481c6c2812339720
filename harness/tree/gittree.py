"""Owns what git says of the project's tree, and the one commit that a run may make: its own paths.

Does not cover undo, which needs no git (`runs`).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import HarnessError

LIMIT_S = 20
COMMIT_LIMIT_S = 600
"""Seconds; the project's own hooks run within it."""
# A value of these from outside would point git at another tree.
_ELSEWHERE = frozenset((
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
))  # fmt: skip
_SETTINGS = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "--literal-pathspecs")


@dataclass(frozen=True)
class TreeState:
    """How the project's tree stands."""

    words: str
    """One line for a person."""
    inside: bool
    """Whether it is a git tree at all."""
    changed: tuple[str, ...] = ()
    """Paths that differ from the last commit, as git prints them, untracked ones included."""


def state(root: Path) -> TreeState:
    """What `git status` says of the folder; a project's own git settings start no program."""
    ran = _git(root, "status", "--porcelain", "--branch", "--", ".")
    if ran is None:
        return TreeState("git is not installed, or did not answer", inside=False)
    if ran.returncode:
        said = (ran.stderr.strip().splitlines() or ["git failed"])[0]
        words = "no git tree" if "not a git repository" in said else said
        return TreeState(words, inside=False)
    return _read(ran.stdout.splitlines())


def _read(lines: list[str]) -> TreeState:
    """The state as porcelain lines tell it; the first names the branch."""
    branch = lines[0].removeprefix("## ").split("...")[0] if lines else ""
    on = "no commit yet" if branch.startswith("No commits yet") else f"on {branch}"
    changed = tuple(line[3:] for line in lines[1:])
    count = f"{len(changed)} changed file{'s' * (len(changed) != 1)}" if changed else "clean"
    return TreeState(f"{count}, {on}", inside=True, changed=changed)


def inside(root: Path) -> bool:
    """Whether a folder is in a git work tree; False too where git is missing or silent."""
    ran = _git(root, "rev-parse", "--is-inside-work-tree")
    return ran is not None and ran.returncode == 0 and ran.stdout.strip() == "true"


def dirty(root: Path, paths: Sequence[str] = ()) -> tuple[str, ...]:
    """Paths that differ from the last commit, untracked ones included, relative to the folder.

    Limited to `paths` where given, which stays quick in a large tree. Empty outside a git tree,
    where git is missing, and where it does not answer within 20 s.
    """
    prefix = _prefix(root)
    if prefix is None:
        return ()
    ran = _git(
        root, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all",
        "--ignore-submodules=none", "--", *(paths or ["."]),
    )  # fmt: skip
    if ran is None or ran.returncode:
        return ()
    found = [row[3:].removeprefix(prefix) for row in ran.stdout.split("\0") if len(row) > 3]
    return tuple(sorted(p for p in found if not p.startswith(".py-harness/")))


def commit(
    root: Path, paths: Sequence[str], message: str, *, dirty_before: Collection[str] = ()
) -> str:
    """Make one commit of exactly these paths as they stand, and give its hash.

    Staged and unstaged work elsewhere stays as it is; hooks and signing are the project's own.
    `dirty_before` are paths that had changes before the run, as `dirty` gave them. HarnessError,
    with nothing committed, where one of the paths holds the person's own changes, where git
    refuses, and outside a git tree.
    """
    if not inside(root):
        raise HarnessError("this is no git tree", "leave out --commit")
    if not message.strip():
        raise HarnessError("a commit needs a message", "say what the change is")
    _refuse_mixed(root, paths, dirty_before)
    new = _untracked(root, paths)
    known = [p for p in paths if p in new or _is_tracked(root, p)]
    if not known:
        raise HarnessError("there is nothing to commit", "the files are as git has them")
    if new:
        _must(root, "add", "--intent-to-add", "--", *new)
    try:
        _must(root, "commit", "--quiet", "--only", "--file=-", "--", *known, say=message)
    except BaseException:
        if new:
            _git(root, "rm", "--cached", "--quiet", "--force", "--", *new)
        raise
    return _must(root, "rev-parse", "HEAD").strip()


def _refuse_mixed(root: Path, paths: Sequence[str], dirty_before: Collection[str]) -> None:
    """HarnessError where a commit would take in what the person changed."""
    staged = _must(root, "diff", "--cached", "--name-only", "--relative", "-z", "--", *paths)
    own = sorted({p for p in staged.split("\0") if p} | (set(paths) & set(dirty_before)))
    if own:
        hint = "commit or stash them first, or leave out --commit"
        raise HarnessError(f"{', '.join(own)} had changes of your own before the run", hint)


def _untracked(root: Path, paths: Sequence[str]) -> list[str]:
    """Of the paths, files that git does not know."""
    listed = _must(root, "ls-files", "--others", "-z", "--", *paths)
    return [p for p in listed.split("\0") if p]


def _is_tracked(root: Path, path: str) -> bool:
    """Whether git's index has a path."""
    ran = _git(root, "ls-files", "--error-unmatch", "-z", "--", path)
    return ran is not None and ran.returncode == 0


def _prefix(root: Path) -> str | None:
    """The folder's path beneath the tree's top, with a slash at its end; None outside a tree."""
    ran = _git(root, "rev-parse", "--show-prefix")
    return ran.stdout.rstrip("\n") if ran is not None and ran.returncode == 0 else None


def _must(root: Path, *arguments: str, say: str = "") -> str:
    """What a git command prints; HarnessError with its own first words where it fails."""
    ran = _git(root, *arguments, say=say, limit=COMMIT_LIMIT_S)
    if ran is None:
        raise HarnessError(
            f"git {arguments[0]} did not end in {COMMIT_LIMIT_S} s", "run it by hand"
        )
    if ran.returncode:
        lines = [line for line in (ran.stderr + ran.stdout).splitlines() if line.strip()]
        said = " ".join(lines[:2]) if lines else f"exit code {ran.returncode}"
        raise HarnessError(f"git {arguments[0]}: {said}", "the change itself stays")
    return ran.stdout


def _git(
    root: Path, *arguments: str, say: str = "", limit: float = LIMIT_S
) -> subprocess.CompletedProcess[str] | None:
    """Run git in the folder; None where it is missing or was ended at the limit (seconds)."""
    quiet = {k: v for k, v in os.environ.items() if k not in _ELSEWHERE}
    quiet |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8", "LANGUAGE": "C"}
    if arguments[0] != "commit":
        quiet["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        return subprocess.run(
            ["git", *_SETTINGS, *arguments],
            cwd=root,
            env=quiet,
            input=say,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=limit,
        )
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
