"""Owns the listing of a project's text files: bounded, and without a status call for each file.

Does not cover whether one name may be read (`fence`).
"""

from __future__ import annotations

import os
from pathlib import Path

from harness.tree import filenames
from harness.tree.fence import Fence

MAX_FILES = 20_000
"""Text files that are listed at most."""
MAX_ENTRIES = 400_000
"""Things of any kind that are looked at, at most."""


def text_files(fence: Fence) -> tuple[tuple[str, ...], bool]:
    """Relative paths of the text files in scope, sorted, and whether a limit cut them short.

    Folders near the root come first, so what is cut is deep down.
    """
    starts = ["/".join(entry) for entry in fence.scope] or [""]
    found = [path for path in starts if fence.judge(path or ".", write=False) == path]
    found = [path for path in found if os.path.isfile(fence.root / path)]
    waiting = [path for path in starts if os.path.isdir(fence.root / path)]
    looked = 0
    while waiting:
        deeper: list[str] = []
        for folder in waiting:
            files, folders, count = _in_folder(fence.root, folder)
            found += files
            deeper += folders
            looked += count
            if len(found) > MAX_FILES or looked > MAX_ENTRIES:
                return tuple(sorted(set(found[:MAX_FILES]))), True
        waiting = deeper
    return tuple(sorted(set(found))), False


def _in_folder(root: Path, folder: str) -> tuple[list[str], list[str], int]:
    """Text files and folders in a folder, by relative path, and how many things were looked at."""
    files: list[str] = []
    folders: list[str] = []
    before = f"{folder}/" if folder else ""
    try:
        with os.scandir(root / folder) as entries:
            found = list(entries)
    except OSError:
        # A folder that may not be read holds nothing that may be read.
        return [], [], 0
    if folder and any(entry.name == "pyvenv.cfg" for entry in found):
        return [], [], len(found)
    for entry in found:
        name = entry.name
        if filenames.hostile(name) or filenames.unfit((name,)):
            continue
        if entry.is_dir(follow_symlinks=False):
            if not filenames.is_skipped(name) and not _is_junction(entry):
                folders.append(before + name)
        elif _is_listed(name) and entry.is_file(follow_symlinks=False):
            files.append(before + name)
    return sorted(files), sorted(folders), len(found)


def _is_junction(entry: os.DirEntry[str]) -> bool:
    """Whether a folder is one of Windows' links between folders."""
    if os.name != "nt":
        return False
    return bool(getattr(entry.stat(follow_symlinks=False), "st_reparse_tag", 0))


def _is_listed(name: str) -> bool:
    """Whether a file of that base name may be read."""
    return filenames.is_text(name, write=False) and not filenames.is_secret(name)
