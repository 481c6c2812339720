"""Owns how a replacement, an addition or a definition becomes a file's new text.

Does not cover whether the new text is allowed (`guards`), nor reading whole drafts (`blocks`).
"""

from __future__ import annotations

import ast
import difflib
import re

from harness.source import symbols
from harness.types import Fault

CLOSEST = 8


def replace(text: str, find: str, new: str) -> str | Fault:
    """`find` replaced by `new`, once; a Fault where it is absent or stands more than once.

    Spacing at line ends and the depth of indentation may differ, if one place alone fits; the
    new lines are then moved to the depth of the real ones.
    """
    if not find.strip():
        return Fault("Find is empty", "copy the lines to be replaced into Find, exactly")
    exact = text.count(find)
    if exact == 1:
        return text.replace(find, _ended(new, find))
    if exact > 1:
        places = ", ".join(str(n) for n in _lines_of(text, find)[:6])
        return Fault(
            f"Find stands {exact} times in the file (lines {places})",
            "copy more of the lines around the right place into Find, so that it is unique",
        )
    return _replace_loosely(text, find, new)


def _ended(new: str, find: str) -> str:
    """`new` with a line end exactly where `find` has one."""
    if find.endswith("\n") and not new.endswith("\n") and new:
        return new + "\n"
    return new if find.endswith("\n") else new.removesuffix("\n")


def _lines_of(text: str, find: str) -> list[int]:
    """Line numbers at which a text starts."""
    found, at = [], text.find(find)
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(find, at + 1)
    return found


def _replace_loosely(text: str, find: str, new: str) -> str | Fault:
    """The one place whose lines are those of `find` but for spacing at both ends."""
    wanted = [line.strip() for line in find.strip("\n").splitlines()]
    lines = text.splitlines(keepends=True)
    bare = [line.strip() for line in lines]
    size = len(wanted)
    hits = [i for i in range(len(bare) - size + 1) if bare[i : i + size] == wanted]
    if len(hits) != 1 or not any(wanted):
        several = f"Find fits {len(hits)} places" if hits else "Find does not stand in the file"
        return Fault(several, closest(text, find))
    at = hits[0]
    moved = _moved(new.strip("\n"), _depth(find), _depth("".join(lines[at : at + size])))
    body = moved + "\n" if moved else ""
    if moved and not lines[at + size - 1].endswith("\n"):
        body = moved
    return "".join(lines[:at]) + body + "".join(lines[at + size :])


def _depth(text: str) -> str:
    """Indentation of the first line that is not blank."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return line[: len(line) - len(line.lstrip())]


def _moved(text: str, old: str, new: str) -> str:
    """Lines moved from one depth to another; deeper lines keep what they have more."""
    if old == new:
        return text
    if not old and _depth(text) == new:
        return text
    moved = []
    for line in text.splitlines():
        rest = line[len(old) :] if line.startswith(old) else line.lstrip()
        moved.append(new + rest if line.strip() else "")
    return "\n".join(moved)


def closest(text: str, find: str) -> str:
    """Real lines of the file that are most like the first lines of `find`, as a next step."""
    wanted = find.strip("\n").splitlines()[:CLOSEST]
    lines = text.splitlines()
    if not lines or not wanted:
        return "the file has no such lines; read it first"
    size = min(len(wanted), len(lines))
    goal = [line.strip() for line in wanted]

    def alike(at: int) -> float:
        pairs = zip(goal, lines[at : at + size], strict=False)
        return sum(difflib.SequenceMatcher(None, a, b.strip()).ratio() for a, b in pairs)

    first = difflib.SequenceMatcher(None, "", goal[0])
    likely: list[tuple[float, int]] = []
    for at in range(len(lines) - size + 1):
        if lines[at].strip():
            first.set_seq1(lines[at].strip())
            likely.append((first.quick_ratio(), at))
    starts = [at for _, at in sorted(likely, key=lambda pair: -pair[0])[:30]]
    best = max(starts, key=alike, default=0)
    shown = "\n".join(lines[best : best + size])
    return f"copy Find from the file exactly; the closest lines are, from line {best + 1}:\n{shown}"


def append(text: str, new: str, *, python: bool) -> str | Fault:
    """A text with something added: a definition at its place, anything else at the end."""
    if not new.strip():
        return Fault("there is nothing to add", "write the new lines into Append")
    if python and text.strip() and not symbols.parses(text) and not symbols.parses(new):
        return definitions(text, new)
    gap = "" if not text.strip() else "\n\n" if python and new.lstrip() == new else ""
    return (text.rstrip("\n") + "\n" if text.strip() else "") + gap + new.strip("\n") + "\n"


def definitions(text: str, body: str) -> str | Fault:
    """A file with each definition of `body` put in place: an old one replaced, a new one added.

    Imports that the file lacks are added under its own; a docstring or main guard is left out.
    """
    try:
        tree = ast.parse(body)
    except SyntaxError as wrong:
        return Fault(
            f"it does not parse: {wrong.msg}, line {wrong.lineno}", "write it again, whole"
        )
    known = symbols.top_level(text)
    for node in tree.body:
        source = _source(body, node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            text = _with_import(text, source)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name in known:
                replaced = symbols.replace(text, node.name, source)
                if isinstance(replaced, Fault):
                    return replaced
                text = replaced
            else:
                text = symbols.insert(text, source)
        elif not _is_idle(node, text, source):
            text = symbols.insert(text, source)
    return text


def _source(body: str, node: ast.stmt) -> str:
    """A statement's own lines, its decorators and the comments right above it included."""
    lines = body.splitlines()
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
    while first and lines[first - 1].startswith("#"):
        first -= 1
    return "\n".join(lines[first : node.end_lineno])


def _is_idle(node: ast.stmt, text: str, source: str) -> bool:
    """Whether a statement need not be added: a docstring, a main guard, or what stands there."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    return source.strip() in text or (isinstance(node, ast.If) and "__name__" in source)


def _with_import(text: str, source: str) -> str:
    """The file with an import that it lacks, under its last one, else under its docstring."""
    rows = text.splitlines(keepends=True)
    if "__future__" in source or any(row.strip() == source.strip() for row in rows):
        return text
    at = symbols.after_imports(ast.parse(text))
    after_import = at and re.match(r"(import|from)\b|.*\)$", rows[at - 1].rstrip())
    gap = "\n" if at and not after_import else ""
    return "".join(rows[:at]) + gap + source.rstrip() + "\n" + "".join(rows[at:])
