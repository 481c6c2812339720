"""Puts the indentation of a draft right that does not parse, if that makes it parse.

Changes nothing but white space at the start of lines, and leaves what could be meant in two ways.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from harness.fix import Mend
from harness.source import symbols, syntax
from harness.source.project import Project

STAGE = "draft"
EXAMPLES = (
    ("    def f():\n        return 1\n", "def f():\n    return 1\n"),
    ("def f():\n\treturn 1\n\ndef g():\n        x = 1\n\treturn x\n",
     "def f():\n        return 1\n\ndef g():\n        x = 1\n        return x\n"),
    ("import os\n    def f():\n        return os\n", "import os\ndef f():\n    return os\n"),
    ("class C:\n    def m(self):\n        x = 1\n         y = 2\n        return x + y\n",
     "class C:\n    def m(self):\n        x = 1\n        y = 2\n        return x + y\n"),
    ("def f():\nx = 1\nreturn x\n", "def f():\n    x = 1\n    return x\n"),
    ("for a in b:\n    f(a)\n  g(a)\n", "for a in b:\n    f(a)\n  g(a)\n"),
)  # fmt: skip

ROUNDS = 12
_METHOD = re.compile(r"(?:async )?def \w+\(\s*(?:self|cls)\b|@|#")


def mend(path: str, text: str, project: Project) -> Mend:
    """The draft indented so that it parses; unchanged where it does, or no way leads there."""
    if not symbols.parses(text) or not text.strip():
        return Mend(text)
    for way in _WAYS:
        changed = way(text)
        if changed != text and not symbols.parses(changed) and _same_but_for_indent(text, changed):
            return Mend(changed, (f"{path}: put the indentation right",))
    return Mend(text)


def _same_but_for_indent(before: str, after: str) -> bool:
    """Whether two texts differ in leading white space alone."""
    old, new = before.split("\n"), after.split("\n")
    return [r.strip() for r in old] == [r.strip() for r in new]


def _whole(text: str) -> str:
    """All lines moved left as far as the first one stands in."""
    return syntax.shifted(text, "")


def _rest(text: str) -> str:
    """The first statement is flush, all others stand in by the same amount: moved left."""
    rows = syntax.lines(text)
    starts = [i for i, row in enumerate(rows) if row.strip()]
    if len(starts) < 2 or rows[starts[0]].rstrip().endswith((":", ",", "(", "[", "{", "\\")):
        return text
    following = [rows[i] for i in starts[1:]]
    if any(not row.startswith((" ", "\t")) for row in following):
        return text
    head, tail = rows[: starts[1]], "".join(rows[starts[1] :])
    return "".join(head) + syntax.shifted(tail, "")


def _tabs(width: int) -> Callable[[str], str]:
    """A way that writes leading tabs as so many blanks."""

    def way(text: str) -> str:
        kept = syntax.inside_strings(text)
        rows = syntax.lines(text)
        for number, row in enumerate(rows, 1):
            indent = syntax.indent_of(row)
            if "\t" in indent and number not in kept:
                rows[number - 1] = indent.expandtabs(width) + row[len(indent) :]
        return "".join(rows)

    return way


def _step_by_step(text: str) -> str:
    """One complaint of the parser after the other, each with a single answer."""
    for _ in range(ROUNDS):
        try:
            ast.parse(text)
        except IndentationError as wrong:
            answers = [t for t in _answers(text, wrong) if _gets_further(t, wrong)]
            if len(answers) != 1:
                return text
            text = answers[0]
        except (SyntaxError, ValueError):
            return text
        else:
            return text
    return text


def _gets_further(text: str, wrong: IndentationError) -> bool:
    """Whether the parser no longer complains at or before that line."""
    try:
        ast.parse(text)
    except SyntaxError as other:
        return (other.lineno or 0) > (wrong.lineno or 0)
    return True


def _answers(text: str, wrong: IndentationError) -> Iterator[str]:
    """Texts that may be meant where the parser complains about indentation."""
    rows = syntax.lines(text)
    at = (wrong.lineno or 1) - 1
    if at >= len(rows):
        return
    message = wrong.msg or ""
    if "expected an indented block" in message:
        yield from _body(rows, at, message)
    elif "unexpected indent" in message:
        yield _moved(rows, at, len(syntax.indent_of(_before(rows, at))))
    elif "unindent" in message:
        width = len(syntax.indent_of(rows[at]))
        above = {len(syntax.indent_of(row)) for row in rows[:at] if row.strip()}
        near = [level for level in above if abs(level - width) == 1]
        yield from (_moved(rows, at, level) for level in near)


def _before(rows: list[str], at: int) -> str:
    """The last line with text above one."""
    return next((row for row in reversed(rows[:at]) if row.strip()), "")


def _moved(rows: list[str], at: int, width: int) -> str:
    """The lines from one on that stand in as far as it, or further, moved along with it."""
    old = len(syntax.indent_of(rows[at]))
    end = at
    while end < len(rows) and (
        not rows[end].strip() or len(syntax.indent_of(rows[end])) >= max(old, 1)
    ):
        end += 1
    moved = [
        " " * max(0, len(syntax.indent_of(row)) + width - old) + row.lstrip(" \t")
        if row.strip()
        else row
        for row in rows[at:end]
    ]
    return "".join([*rows[:at], *moved, *rows[end:]])


def _body(rows: list[str], at: int, message: str) -> Iterator[str]:
    """The lines under a def that stand as far out as it, moved in, if they end in a return."""
    header = re.search(r"after (function|class) definition on line (\d+)", message)
    if not header:
        return
    if header[1] == "class":
        yield from _methods(rows, at)
        return
    first = rows[int(header[2]) - 1]
    level = len(syntax.indent_of(first))
    if len(syntax.indent_of(rows[at])) != level:
        return
    end = at
    while end < len(rows) and not (
        rows[end].strip()
        and len(syntax.indent_of(rows[end])) <= level
        and rows[end].lstrip().startswith(("def ", "class ", "@", "async def ", "if __name__"))
    ):
        end += 1
    block = [row for row in rows[at:end] if row.strip()]
    flush = [row for row in block if len(syntax.indent_of(row)) <= level]
    ends = [i for i, row in enumerate(flush) if row.split()[0] in ("return", "raise", "pass")]
    if ends and ends[0] == len(flush) - 1:
        yield "".join(
            [*rows[:at], *(f"    {r}" if r.strip() else r for r in rows[at:end]), *rows[end:]]
        )


def _methods(rows: list[str], at: int) -> Iterator[str]:
    """The flush methods under a class moved in, if all that follows takes self or cls."""
    end = at
    while end < len(rows) and not rows[end].startswith(("if __name__", "class ")):
        end += 1
    block = "".join(rows[at:end])
    still = syntax.inside_strings(block)
    numbered = [(n, row) for n, row in enumerate(rows[at:end], 1) if n not in still]
    flush = [row for _, row in numbered if row.strip() and not row[0].isspace()]
    if flush and all(_METHOD.match(row) for row in flush):
        yield "".join([*rows[:at], syntax.shifted(block, "    "), *rows[end:]])


_WAYS = (_whole, _rest, _tabs(8), _tabs(4), _step_by_step)
