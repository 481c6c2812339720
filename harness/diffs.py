"""Owns the reading of edits that a model writes as diffs or SEARCH/REPLACE blocks, and applying one.

Does not cover which action an edit becomes (`reply`), nor whose file it is (`blocks`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness import fenced, paths
from harness.types import Fault

_OLD = re.compile(r"^(?:---|\*\*\*)\s+(?!Begin|End)(?P<path>\S.*)$")
_NEW = re.compile(r"^\+\+\+\s+(?P<path>\S.*)$")
_HUNK = re.compile(r"^@@(?:\s*-(?P<line>\d+)(?:,\d+)?\s+\+\d+(?:,\d+)?\s*@@)?(?P<context>.*)$")
_GIT = re.compile(
    r"^(?:diff --git |index [0-9a-f]{4,}|(?:new|deleted) file mode|old mode|new mode|similarity "
    r"|rename (?:from|to) )"
)
_PATCH_FILE = re.compile(r"^\*\*\* (?:Update|Add|Delete) File:\s*(?P<path>\S.*)$")
_SEARCH = re.compile(r"^\s*<{5,9}\s*(?:SEARCH|ORIGINAL|HEAD|OLD)?\s*>?\s*(?P<path>[\w./\\-]+\.\w+)?\s*$", re.I)
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
    hunks: list[Hunk] = []
    open_hunk: list[tuple[str, str]] = []
    hint = start = 0
    new_file = False

    def flush_hunk() -> None:
        while open_hunk and open_hunk[-1] == (" ", ""):
            open_hunk.pop()
        if any(mark != " " for mark, _ in open_hunk):
            hunks.append(Hunk(tuple(open_hunk), hint))
        open_hunk.clear()

    index = 0
    while index < len(lines):
        line = lines[index]
        following = lines[index + 1] if index + 1 < len(lines) else ""
        old, patch_file = _OLD.match(line), _PATCH_FILE.match(line)
        head = bool(old and _NEW.match(following)) or line.startswith("diff --git ")
        if head or patch_file:
            flush_hunk()
            if hunks:
                yield Edit(path, tuple(hunks), "\n".join(lines[start:index]), new_file)
                hunks, new_file, start = [], False, index
        if patch_file:
            path = paths.clean(patch_file["path"])
            new_file = line.startswith("*** Add")
        elif old and _NEW.match(following):
            path, is_new = _names(old["path"], following[3:].strip())
            new_file = new_file or is_new
            index += 1
        elif hunk := _HUNK.match(line):
            flush_hunk()
            hint = int(hunk["line"] or 0)
        elif _GIT.match(line):
            new_file = new_file or line.startswith("new file")
        elif not line.startswith(("*** Begin", "*** End", "\\ No newline")):
            open_hunk.append(_marked(line))
        index += 1
    flush_hunk()
    if hunks:
        yield Edit(path, tuple(hunks), "\n".join(lines[start:]), new_file)


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


# applying


def apply(text: str, edit: Edit) -> str | Fault:
    """A file's text after an edit, each hunk put where its content stands; else why it cannot be.

    Line numbers only choose among equal places. Context keeps the file's own bytes.
    """
    if edit.new_file and not text:
        return "\n".join(line for hunk in edit.hunks for line in hunk.after) + "\n"
    lines = text.split("\n")
    shift = 0
    for number, hunk in enumerate(edit.hunks, 1):
        place = _place(lines, hunk, shift)
        if isinstance(place, Fault):
            many = f"hunk {number} of {len(edit.hunks)}: " if len(edit.hunks) > 1 else ""
            return Fault(many + place.reason, place.next_action)
        begin, used, replacement = place
        lines[begin : begin + used] = replacement
        shift += len(replacement) - used
    return "\n".join(lines)


def _place(
    lines: Sequence[str], hunk: Hunk, shift: int
) -> tuple[int, int, list[str]] | Fault:
    """Where a hunk goes: first line, how many lines it takes, and what stands there afterwards."""
    if not any(text.strip() for text in hunk.before):
        return Fault("the diff has added lines only, so its place is not known",
                     "Give two unchanged lines before the added ones.")  # fmt: skip
    for cut in _trimmed(hunk):
        for same in (str, str.rstrip, str.strip):
            wanted = [same(line) for line in cut.before]
            at = [
                i
                for i in range(len(lines) - len(wanted) + 1)
                if all(same(lines[i + k]) == wanted[k] for k in range(len(wanted)))
            ]
            if len(at) > 1:
                at = _by_hint(at, hunk.line - 1 + shift) if hunk.line else at
            if len(at) == 1:
                return at[0], len(wanted), _laid(lines, at[0], cut)
            if at:
                return Fault(f"the diff's lines stand at {len(at)} places of the file",
                             "Give more unchanged lines around the change.")  # fmt: skip
    return Fault("the diff's lines do not stand in the file",
                 "Read the file, then copy its lines exactly.")  # fmt: skip


def _by_hint(at: list[int], wanted: int) -> list[int]:
    """The place that the hunk's own line number names, if one does exactly."""
    return [wanted] if wanted in at else at


def _trimmed(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk, then with less and less outer context: models make that up; removed lines stay."""
    yield hunk
    lines = list(hunk.lines)
    if not any(mark == "-" for mark, _ in lines):
        return
    while lines and (lines[0][0] == " " or lines[-1][0] == " "):
        lines = lines[1:] if lines[0][0] == " " else lines
        lines = lines[:-1] if lines and lines[-1][0] == " " else lines
        if any(text.strip() for mark, text in lines if mark != "+"):
            yield Hunk(tuple(lines), hunk.line)


def _laid(lines: Sequence[str], at: int, hunk: Hunk) -> list[str]:
    """What stands in the file's place afterwards; added lines moved as the removed ones were off."""
    removed, index = [], at
    for mark, text in hunk.lines:
        if mark != "+":
            if mark == "-" and text.strip():
                removed.append((text, lines[index]))
            index += 1
    offsets = {_indent(there) - _indent(theirs) for theirs, there in removed}
    offset = offsets.pop() if len(offsets) == 1 else 0
    out, index = [], at
    for mark, text in hunk.lines:
        if mark == "+":
            out.append(_moved(text, offset))
        else:
            if mark == " ":
                out.append(lines[index])
            index += 1
    return out


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _moved(line: str, offset: int) -> str:
    """A line with more or less leading space; a blank one stays as it is."""
    if not line.strip() or offset == 0:
        return line
    return " " * offset + line if offset > 0 else line[min(-offset, _indent(line)) :]
