"""Owns laying an edit into a file's text: where its content stands, not where its numbers say.

Does not cover reading edits out of a reply (`diffs`), nor writing a file (`workspace`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.reading.diffs import Edit, Hunk
from harness.types import Fault


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


def _place(lines: Sequence[str], hunk: Hunk, shift: int) -> tuple[int, int, list[str]] | Fault:
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
    """What stands there afterwards; added lines are moved as far as the removed ones were off."""
    theirs = there = ""
    out, index = [], at
    for mark, text in hunk.lines:
        if mark == "-" and text.strip() and not theirs and not there:
            theirs, there = _indent(text), _indent(lines[index])
        index += mark != "+"
    index = at
    for mark, text in hunk.lines:
        if mark == "+":
            out.append(_moved(text, theirs, there))
        elif mark == " ":
            out.append(lines[index])
        index += mark != "+"
    return out


def _indent(line: str) -> str:
    """The white space before a line's text."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def _moved(line: str, theirs: str, there: str) -> str:
    """An added line whose indentation is changed as that of the first removed line must be."""
    if not line.strip() or theirs == there:
        return line
    if line.startswith(theirs):
        return there + line[len(theirs) :]
    return line.lstrip(" \t") if not there else line
