"""The running interpreter's own library, which checks of names and fixes must leave alone."""

from __future__ import annotations

import os
import sysconfig
import tokenize
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

WHOLE = os.environ.get("PY_HARNESS_FULL") == "1"
"""Whether every file is looked at; else a sample that stays the same."""
ROOT = Path(sysconfig.get_paths()["stdlib"])
# Folders whose files break the rules on purpose: tests of the interpreter and of tools.
TESTS = {"test", "tests", "idle_test"}


def files(one_in: int) -> list[Path]:
    """Python files of the library without installed packages; one in so many unless all."""
    found = sorted(p for p in ROOT.rglob("*.py") if "site-packages" not in p.parts)
    if WHOLE:
        return found
    return [p for p in found if zlib.crc32(p.name.encode()) % one_in == 0]


def read(path: Path) -> str | None:
    """A file's text; None where it is broken on purpose (no valid encoding)."""
    try:
        with tokenize.open(path) as opened:
            return opened.read()
    except (SyntaxError, UnicodeDecodeError):
        return None


def is_test(path: Path) -> bool:
    """Whether a file belongs to the library's tests."""
    return bool(TESTS & set(path.relative_to(ROOT).parts[:-1]))


def each(work: Callable[[Path], list[str]], paths: Iterable[Path]) -> Iterator[str]:
    """What a check says of every file, two at a time."""
    with ProcessPoolExecutor(2) as pool:
        for said in pool.map(work, paths, chunksize=20):
            yield from said
