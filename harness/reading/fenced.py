"""Owns where a fenced block of a reply begins and ends, also with fences inside it or none at last.

Does not cover what a block is for: a field's body (`labels`) or a file (`blocks`).
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

_OPENING = re.compile(
    r"^(?P<indent>[ \t]*(?:>[ \t]?)*)(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$"
)
_MARKDOWN = frozenset({"markdown", "md", "mdx", "rst"})
_PYTHON = frozenset({"python", "py", "python3", "pycon", ""})
LANGUAGES = frozenset(
    [
        "bash",
        "c",
        "console",
        "cpp",
        "css",
        "csv",
        "diff",
        "dockerfile",
        "go",
        "html",
        "ini",
        "java",
        "javascript",
        "js",
        "json",
        "makefile",
        "markdown",
        "md",
        "output",
        "patch",
        "plain",
        "plaintext",
        "pseudo",
        "py",
        "pycon",
        "python",
        "python3",
        "rst",
        "rust",
        "sh",
        "shell",
        "sql",
        "text",
        "toml",
        "ts",
        "txt",
        "typescript",
        "xml",
        "yaml",
        "yml",
    ]
)
_TRIES = 12
_PROSE = re.compile(r"^(?:[A-Z][a-z']*(?:\s+[\w`'\",.()/-]+){2,}.*|[A-Z][A-Za-z ]{2,20}[:.])\s*$")


@dataclass(frozen=True)
class Opening:
    """A line that opens a fence."""

    indent: str
    """White space and quote marks before it, dropped from the lines of the block too."""
    marks: str
    """Its back-ticks or tildes."""
    info: str
    """What stands after them, stripped."""

    @property
    def lang(self) -> str:
        """The language word of the info string, lower case; empty where there is none."""
        words = re.split(r"[\s:{,]+", self.info.lstrip("{."))
        word = words[0].casefold() if words else ""
        return word if word in LANGUAGES or (word and word.isalpha()) else ""

    def closed_by(self, line: str) -> bool:
        """Whether a line is the bare fence that may end this one."""
        found = opening(line)
        return (
            found is not None
            and not found.info
            and found.marks[0] == self.marks[0]
            and len(found.marks) >= len(self.marks)
        )


@dataclass(frozen=True)
class Fenced:
    """A fence and what it holds."""

    lang: str
    """Language word, lower case."""
    info: str
    """The whole info string."""
    text: str
    """The lines between, without the line end before the closing fence."""
    after: int
    """Index of the first line after the block."""
    closed: bool
    """Whether a closing fence was found."""
    rules: tuple[str, ...] = ()
    """Reading rules that were needed."""


def opening(line: str) -> Opening | None:
    """A line as the opening of a fence; None for any other line."""
    found = _OPENING.match(line)
    if found is None:
        return None
    return Opening(found["indent"], found["marks"], found["info"].strip())


def parses(text: str) -> bool:
    """Whether a text is Python as far as its syntax goes; an empty one is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def definitions(text: str) -> list[str]:
    """Names of the functions and classes at a text's top level; none where it does not parse."""
    if not parses(text):
        return []
    tree = ast.parse(text)
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return [node.name for node in tree.body if isinstance(node, kinds)]


def moved_left(text: str) -> str:
    """A text moved left where only that makes it Python; else the text."""
    moved = textwrap.dedent(text)
    return moved if moved != text and not parses(text) and parses(moved) else text


def code_part(text: str) -> str:
    """A body without prose that follows it, where only that makes it parse; else the body."""
    if parses(textwrap.dedent(text)):
        return text
    lines = text.split("\n")
    for index in range(1, len(lines)):
        head = "\n".join(lines[:index]).rstrip()
        if _PROSE.match(lines[index]) and not parses(lines[index]) and head.strip():
            return head if parses(textwrap.dedent(head)) else text
    return text


def block(lines: Sequence[str], at: int, stop: int | None = None) -> Fenced:
    """The block that opens at line `at`; `stop` is a line that it cannot reach, if one is known.

    ValueError where line `at` opens no fence.
    """
    start = opening(lines[at])
    if start is None:
        raise ValueError("no fence opens here")
    limit = len(lines) if stop is None else stop
    ends = _ends(lines, at, limit, start)
    if not ends:
        text = _inner(lines[at + 1 : limit], start)
        return Fenced(start.lang, start.info, text.rstrip("\n"), limit, False, ("fence-left-open",))
    end, rules = _best_end(lines, at, ends, start)
    if start.indent.strip(" \t"):
        rules = (*rules, "fence-quoted")
    elif start.indent:
        rules = (*rules, "fence-indented")
    if len(start.marks) > 3 or start.marks[0] == "~":
        rules = (*rules, "fence-of-other-marks")
    text = _inner(lines[at + 1 : end], start)
    return Fenced(start.lang, start.info, text, end + 1, True, rules)


def _inner(lines: Sequence[str], start: Opening) -> str:
    """The lines of a block without the indentation of its fence."""
    if not start.indent:
        return "\n".join(lines)
    quoted = start.indent.strip(" \t")
    width = len(start.indent)
    kept = []
    for line in lines:
        if quoted:
            kept.append(re.sub(r"^[ \t]*>[ \t]?", "", line))
        else:
            kept.append(line[min(width, len(line) - len(line.lstrip(" \t"))) :])
    return "\n".join(kept)


def _ends(lines: Sequence[str], at: int, limit: int, start: Opening) -> list[int]:
    """Lines that may close the block, nested fences with an info string skipped."""
    depth = 0
    found: list[int] = []
    for index in range(at + 1, limit):
        line = lines[index]
        other = opening(line)
        if other is None:
            continue
        if other.info and other.marks.startswith(start.marks):
            depth += start.lang in _MARKDOWN or (not found and depth > 0)
            if found:
                break
        elif start.closed_by(line):
            if depth:
                depth -= 1
            elif start.lang in _MARKDOWN and _opens_inside(lines, index, limit):
                depth += 1
            else:
                found.append(index)
    return found


def _opens_inside(lines: Sequence[str], index: int, limit: int) -> bool:
    """Whether a bare fence in a Markdown text looks like the start of an example."""
    before = lines[index - 1].strip()
    after = lines[index + 1].strip() if index + 1 < limit else ""
    return (not before or before.endswith(":")) and bool(after)


def _best_end(
    lines: Sequence[str], at: int, ends: Sequence[int], start: Opening
) -> tuple[int, tuple[str, ...]]:
    """The first closing fence, unless only a later one makes the Python whole."""
    if start.lang in _MARKDOWN:
        inside = any(opening(line) for line in lines[at + 1 : ends[0]])
        return ends[0], ("fence-inside-kept",) if inside else ()
    if start.lang in _PYTHON and len(ends) > 1:
        for end in ends[:_TRIES]:
            if parses(textwrap.dedent(_inner(lines[at + 1 : end], start))):
                return end, () if end == ends[0] else ("fence-inside-kept",)
    return ends[0], ()


def wrapped(text: str, lang: str = "") -> str:
    """A text in a fence that is longer than any run of back-ticks that starts a line of it."""
    longest = max((len(run) for run in re.findall(r"^\s*(`{3,})", text, re.MULTILINE)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}{lang}\n{text.strip(chr(10))}\n{marks}"
