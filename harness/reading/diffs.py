"""Owns reading the edits that a model writes as diffs or SEARCH/REPLACE blocks.

Does not cover laying one into a file's text (`laying`), nor which action it becomes (`complete`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from harness.reading import fenced, paths

_OLD = re.compile(r"^(?:---|\*\*\*)\s+(?!Begin|End)(?P<path>\S.*)$")
_NEW = re.compile(r"^\+\+\+\s+(?P<path>\S.*)$")
_HUNK = re.compile(r"^@@(?:\s*-(?P<line>\d+)(?:,\d+)?\s+\+\d+(?:,\d+)?\s*@@)?(?P<context>.*)$")
_GIT = re.compile(
    r"^(?:diff --git |index [0-9a-f]{4,}|(?:new|deleted) file mode|old mode|new mode|similarity "
    r"|rename (?:from|to) )"
)
_PATCH_FILE = re.compile(r"^\*\*\* (?:Update|Add|Delete) File:\s*(?P<path>\S.*)$")
_SEARCH = re.compile(
    r"^\s*<{5,9}\s*(?:SEARCH|ORIGINAL|HEAD|OLD)?\s*>?\s*(?P<path>[\w./\\-]+\.\w+)?\s*$", re.I
)
_MIDDLE = re.compile(r"^\s*={5,9}\s*$")
_REPLACE = re.compile(r"^\s*>{5,9}\s*(?:REPLACE|UPDATED|NEW)?\b.*$", re.I)


@dataclass(frozen=True)
class Hunk:
    """One place of a diff."""

    lines: tuple[tuple[str, str], ...]
    """Mark (space, minus, plus) and text of each line."""
    line: int = 0
    """Line where it says it begins; 0 where it says nothing."""

    @property
    def before(self) -> tuple[str, ...]:
        """Lines that must be there: context and removed ones."""
        return tuple(text for mark, text in self.lines if mark != "+")

    @property
    def after(self) -> tuple[str, ...]:
        """Lines that shall be there."""
        return tuple(text for mark, text in self.lines if mark != "-")

    def near(self, context: int) -> Hunk:
        """The hunk with at most so many unchanged lines on either side of its changes."""
        changed = [at for at, (mark, _) in enumerate(self.lines) if mark != " "]
        if not changed:
            return self
        start = max(0, changed[0] - context)
        return Hunk(self.lines[start : changed[-1] + 1 + context], self.line)


@dataclass(frozen=True)
class Edit:
    """A change to one file, as it stands in a reply."""

    path: str
    """Path that it names, cleaned; empty where it names none."""
    hunks: tuple[Hunk, ...]
    """Its places, in order."""
    text: str
    """The diff or block, verbatim."""
    new_file: bool = False
    """It says that the file is new."""
    kind: str = "diff"
    """`diff`, or `search-replace`."""


def edits(text: str) -> list[Edit]:
    """Every diff and SEARCH/REPLACE block of a reply, in order; one Edit a file and block."""
    lines = text.split("\n")
    return [*_search_replace(lines), *_diffs(lines)]


def heads(text: str) -> int:
    """How many files' heads and numbered hunks of diffs a reply holds, changed lines or not."""
    lines = text.split("\n")
    return sum(_begins(lines, at) for at in range(len(lines)))


# SEARCH/REPLACE


def _search_replace(lines: Sequence[str]) -> Iterator[Edit]:
    """Blocks between conflict marks; a path stands before, in the fence's line, or in the mark."""
    at, path = 0, ""
    while at < len(lines):
        start = _SEARCH.match(lines[at])
        middle = _next(lines, at, _MIDDLE) if start else None
        end = _next(lines, middle, _REPLACE) if middle is not None else None
        if start is None or middle is None or end is None:
            at += 1
            continue
        path = paths.clean(start["path"] or "") or _path_before(lines, at) or path
        old, new = lines[at + 1 : middle], lines[middle + 1 : end]
        marked = [("-", line) for line in old] + [("+", line) for line in new]
        whole = "\n".join(lines[at : end + 1])
        yield Edit(path, (Hunk(tuple(marked)),), whole, not old, "search-replace")
        at = end + 1


def _next(lines: Sequence[str], at: int, wanted: re.Pattern[str]) -> int | None:
    """The next line after `at` that matches; None where none does before another block begins."""
    for index in range(at + 1, len(lines)):
        if wanted.match(lines[index]):
            return index
        if _SEARCH.match(lines[index]) and wanted is _MIDDLE:
            return None
    return None


def _path_before(lines: Sequence[str], at: int) -> str:
    """A path on the line above a block, or above the fence that opens there."""
    seen = 0
    for index in range(at - 1, max(-1, at - 4), -1):
        start = fenced.opening(lines[index])
        if start is not None:
            if found := paths.in_info(start.info):
                return found
            continue
        if not lines[index].strip():
            continue
        seen += 1
        return paths.in_line(lines[index]) if seen == 1 else ""
    return ""


# diffs


def _diffs(lines: Sequence[str]) -> Iterator[Edit]:
    """Unified diffs, whole or without their head, fenced or bare."""
    at = 0
    while at < len(lines):
        start = fenced.opening(lines[at])
        if start is not None:
            found = fenced.block(lines, at)
            inside = found.text.split("\n")
            if start.lang in ("diff", "patch") or _has_head(inside):
                yield from _sections(inside, paths.in_info(start.info) or _path_before(lines, at))
                at = found.after
                continue
        elif _begins(lines, at):
            end = _bare_end(lines, at)
            yield from _sections(lines[at:end], _path_before(lines, at))
            at = end
            continue
        at += 1


def _has_head(lines: Sequence[str]) -> bool:
    """Whether the lines hold a diff's file head or a numbered hunk."""
    return any(_begins(lines, at) for at in range(len(lines)))


def _begins(lines: Sequence[str], at: int) -> bool:
    """Whether a diff begins at a line."""
    line = lines[at]
    if line.startswith(("diff --git ", "*** Begin Patch")) or _PATCH_FILE.match(line):
        return True
    hunk = _HUNK.match(line)
    if hunk and hunk["line"]:
        return True
    following = lines[at + 1] if at + 1 < len(lines) else ""
    return bool(_OLD.match(line) and _NEW.match(following))


def _bare_end(lines: Sequence[str], at: int) -> int:
    """Where a diff without a fence ends: at a blank line with prose after it, or a fence."""
    for index in range(at, len(lines)):
        line = lines[index]
        if fenced.opening(line) is not None:
            return index
        if line.strip():
            continue
        following = next((other for other in lines[index + 1 :] if other.strip()), "")
        if not following or not (
            following[0] in " +-@\t" or _GIT.match(following) or following.startswith("*** ")
        ):
            return index
    return len(lines)


def _sections(lines: Sequence[str], path: str) -> Iterator[Edit]:
    """The diff cut by file."""
    reading = _Sections(path)
    index = 0
    while index < len(lines):
        following = lines[index + 1] if index + 1 < len(lines) else ""
        paired = bool(_OLD.match(lines[index]) and _NEW.match(following))
        if paired or _PATCH_FILE.match(lines[index]) or lines[index].startswith("diff --git "):
            yield from reading.ended()
        reading.take(lines[index], following if paired else "")
        index += 2 if paired else 1
    yield from reading.ended()


@dataclass
class _Sections:
    """What was read of one file's part of a diff so far."""

    path: str
    new_file: bool = False
    hint: int = 0
    open_hunk: list[tuple[str, str]] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def take(self, line: str, second: str) -> None:
        """One line; `second` is the new file's head where the line is the old file's."""
        self.said.extend([line, second] if second else [line])
        patch_file, hunk = _PATCH_FILE.match(line), _HUNK.match(line)
        if second:
            self.path, is_new = _names(line[3:].strip(), second[3:].strip())
            self.new_file = self.new_file or is_new
        elif patch_file:
            self.path = paths.clean(patch_file["path"])
            self.new_file = line.startswith("*** Add")
        elif hunk:
            self.flush()
            self.hint = int(hunk["line"] or 0)
        elif _GIT.match(line):
            self.new_file = self.new_file or line.startswith("new file")
        elif not line.startswith(("*** Begin", "*** End", "\\ No newline")):
            self.open_hunk.append(_marked(line))

    def flush(self) -> None:
        """End the open hunk; one that changes nothing is dropped."""
        while self.open_hunk and self.open_hunk[-1] == (" ", ""):
            self.open_hunk.pop()
        if any(mark != " " for mark, _ in self.open_hunk):
            self.hunks.append(Hunk(tuple(self.open_hunk), self.hint))
        self.open_hunk.clear()

    def ended(self) -> Iterator[Edit]:
        """The file's edit, if it has any change; then a new file may begin."""
        self.flush()
        if self.hunks:
            yield Edit(self.path, tuple(self.hunks), "\n".join(self.said), self.new_file)
            self.hunks, self.said, self.new_file = [], [], False


def _marked(line: str) -> tuple[str, str]:
    """A diff's line as mark and text; a line that lost its leading space is context."""
    if line[:1] in ("+", "-", " "):
        return line[0], line[1:]
    return " ", line


def _names(old: str, new: str) -> tuple[str, bool]:
    """Path and newness of a file head; the new name counts, the old one for a removal."""
    old, new = (name.split("\t")[0].strip().strip("\"'`") for name in (old, new))
    chosen = old if new == "/dev/null" else new
    return paths.clean(re.sub(r"^[ab]/", "", chosen)), old == "/dev/null"
