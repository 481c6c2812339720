"""Owns the bibliography: all works, loaded from .bib files that are fit, each found by its key.

Does not cover what makes a file unfit (`bibliography_check`) nor how it is shown (`references`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from docs.macros.bib.bib_files import Entry, Problem, entries_of
from docs.macros.bib.bibliography_check import problems
from docs.macros.bib.works import Work, work_from


class BibliographyError(ValueError):
    """The files cannot be used; `problems` says why, a line each in the message."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, problems)))


class UnknownCitation(KeyError):
    """No work has this key; `nearest` is the existing key most like it, empty if there is none."""

    def __init__(self, key: str, nearest: str) -> None:
        self.key, self.nearest = key, nearest
        super().__init__(key)

    def __str__(self) -> str:
        advice = f"did you mean {self.nearest!r}?" if self.nearest else "the bibliography is empty"
        return f"no work has the key {self.key!r}: {advice}"


@dataclass(frozen=True)
class Bibliography:
    """The works in the order of their files."""

    works: tuple[Work, ...]

    def __iter__(self) -> Iterator[Work]:
        return iter(self.works)

    def __len__(self) -> int:
        return len(self.works)

    def keys(self) -> tuple[str, ...]:
        """Return every key, in order."""
        return tuple(work.key for work in self.works)

    def get(self, key: str) -> Work:
        """Return the work of a key, or raise UnknownCitation with the nearest key."""
        for work in self.works:
            if work.key == key:
                return work
        raise UnknownCitation(key, "".join(get_close_matches(key, self.keys(), 1, 0.0)))


def load(paths: Iterable[Path]) -> Bibliography:
    """Read .bib files into one bibliography; raise BibliographyError unless all are fit."""
    entries: list[Entry] = []
    found: list[Problem] = []
    for path in paths:
        read, unread = entries_of(path)
        entries += read
        found += unread
    found += problems(entries)
    if found:
        raise BibliographyError(found)
    return Bibliography(tuple(work_from(e.key, e.type, e.values, e.line, e.path) for e in entries))
