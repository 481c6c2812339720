"""Owns the reading of a .bib file into its entries as they are written, each with its line.

Does not cover whether an entry is fit (`bibliography_check`) nor what it means (`works`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pybtex.database.input.bibtex import LowLevelParser, month_names
from pybtex.exceptions import PybtexError
from pybtex.utils import CaseInsensitiveDict

_HEADER = re.compile(r"@\s*([^\s@{}(),=#\"]+)\s*\{\s*([^\s,}]*)")
_COMMANDS = frozenset({"comment", "preamble", "string"})


@dataclass(frozen=True)
class Problem:
    """One fault of a .bib file. `line` is where the entry starts; 0 means the whole file."""

    path: Path
    line: int
    key: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.path.as_posix()}:{self.line}" if self.line else self.path.as_posix()
        return f"{place}: {self.key}: {self.reason}" if self.key else f"{place}: {self.reason}"


@dataclass(frozen=True)
class Entry:
    """An entry as written: names of fields in lower case, strings expanded."""

    path: Path
    line: int
    key: str
    type: str
    fields: tuple[tuple[str, str], ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, str]:
        """The fields by name; of one given twice, the last."""
        return dict(self.fields)


def _fault(error: PybtexError, line: int) -> str:
    if getattr(error, "error_type", "") == "undefined string":
        name = error.args[0]
        return f"unknown @string macro {name!r}: define it above or put the value in braces"
    near = line + int(getattr(error, "lineno", 1)) - 1
    return f"BibTeX syntax error near line {near}: {error.args[0]}; look for a comma or brace there"


def _parse(text: str, macros: CaseInsensitiveDict, path: Path, line: int) -> Entry:
    """Parse the text from one entry's @ up to the next entry's, so that no fault hides another."""
    head = _HEADER.match(text)
    if head is None:
        faults = (
            ("an @ outside any entry: write entries as @type{key, ...}",) if "@" in text else ()
        )
        return Entry(path, line, "", "comment", (), faults)
    kind, key = head[1].lower(), head[2]
    if text.count("{") != text.count("}"):
        return Entry(path, line, key, kind, (), ("unbalanced braces: count the { and } in it",))
    errors: list[PybtexError] = []
    found = list(LowLevelParser(text, macros=macros, handle_error=errors.append))
    reasons = [_fault(error, line) for error in errors]
    if len(found) > 1:
        reasons.append("a second @ inside it: write entries as @type{key, ...}")
    if kind in _COMMANDS or not found:
        return Entry(path, line, key, kind, (), tuple(reasons))
    fields = [(name.lower(), " ".join("".join(parts).split())) for name, parts in found[0][1][1]]
    return Entry(path, line, key, kind, tuple(fields), tuple(reasons))


def entries_of(path: Path) -> tuple[list[Entry], list[Problem]]:
    """Return the entries of a file, and the problems that stand outside any entry's fields."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "") or "not UTF-8 text"
        return [], [Problem(path, 0, "", f"cannot be read ({why}): give a UTF-8 .bib file")]
    macros = CaseInsensitiveDict(month_names)
    starts = [0, *(match.start() for match in _HEADER.finditer(text)), len(text)]
    entries: list[Entry] = []
    for start, end in pairwise(starts):
        entry = _parse(text[start:end], macros, path, text.count("\n", 0, start) + 1)
        # A @string counts only for its faults: its value is already in `macros`.
        if entry.type not in _COMMANDS or entry.faults:
            entries.append(entry)
    if not entries:
        return [], [Problem(path, 0, "", "holds no entry: write at least one @type{key, ...}")]
    return entries, []
