"""Owns what git says of the project's tree, in words; reads only.

Does not cover the commit that a run may make (`gittree`).
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

LIMIT_S = 20


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
    command = ["git", "-c", "core.fsmonitor=false", "status", "--porcelain", "--branch", "--", "."]
    # A GIT_DIR from outside would point git at another tree.
    quiet = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    quiet |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        ran = subprocess.run(
            command,
            cwd=root,
            env=quiet,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=LIMIT_S,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        return TreeState("git is not installed", inside=False)
    except subprocess.TimeoutExpired:
        return TreeState(f"git did not answer in {LIMIT_S} s", inside=False)
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
