"""Owns turning a text's imports of one module to its new place, and the uses of its name.

Does not cover moving the file, nor names of the module in strings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from harness import bindings, imports, syntax

_FROM = re.compile(r"from(?P<gap>\s*)(?P<module>\.*[\w.]*)\s*import\b")


@dataclass(frozen=True)
class Move:
    """A module that goes from one place to another."""

    path: str
    """Its file, as it was."""
    old: str
    """Dotted name by which it was imported."""
    new: str
    """Dotted name by which it shall be."""
    path_of: Callable[[str], str | None]
    """File of a dotted name before the move, also where it is written from another root."""

    def renamed(self, written: str) -> str:
        """The new dotted name in the manner of the old one: with the same prefix, or without it."""
        if written != self.old and written.endswith(f".{self.old}"):
            return written[: -len(self.old)] + self.new
        prefix = self.old[: -len(written)]
        if written != self.old and self.old.endswith(f".{written}") and self.new.startswith(prefix):
            return self.new[len(prefix) :]
        return self.new


@dataclass(frozen=True)
class _Edit:
    """A piece of text to exchange."""

    line: int
    """1-based."""
    start: int
    end: int
    """0-based, characters."""
    new: str


def repointed(text: str, package: str, home: str, move: Move) -> str:
    """The text of a file of `package` with its imports turned; of `home`, if it moves itself."""
    parsed = syntax.tree(text)
    if parsed is None:
        return text
    edits: list[_Edit] = []
    added: dict[int, list[str]] = {}
    for node in ast.walk(parsed):
        if isinstance(node, ast.Import):
            edits += _plain(node, text, move)
        elif isinstance(node, ast.ImportFrom):
            more, statement = _from(node, text, package, home, move)
            edits += more
            if statement:
                added.setdefault(node.end_lineno or node.lineno, []).append(statement)
    return _applied(text, edits, added)


def _applied(text: str, edits: list[_Edit], added: dict[int, list[str]]) -> str:
    """The text with pieces exchanged and statements put below lines, indented like them."""
    rows = syntax.lines(text)
    for edit in sorted(set(edits), key=lambda e: (e.line, e.start), reverse=True):
        row = rows[edit.line - 1]
        rows[edit.line - 1] = row[: edit.start] + edit.new + row[edit.end :]
    for line in sorted(added, reverse=True):
        indent = syntax.indent_of(rows[line - 1])
        if not rows[line - 1].endswith("\n"):
            rows[line - 1] += "\n"
        rows[line:line] = [f"{indent}{statement}\n" for statement in added[line]]
    return "".join(rows)


def _plain(node: ast.Import, text: str, move: Move) -> Iterator[_Edit]:
    """Edits for `import a.b`: the name, and its uses where it has no other."""
    for alias in node.names:
        if move.path_of(alias.name) != move.path:
            continue
        new = move.renamed(alias.name)
        row = syntax.lines(text)[alias.lineno - 1]
        start = syntax.column(row, alias.col_offset)
        yield _Edit(alias.lineno, start, start + len(alias.name), new)
        if not alias.asname:
            yield from _chains(text, alias.name, new)


def _chains(text: str, old: str, new: str) -> Iterator[_Edit]:
    """Edits of every `a.b.c` in code that names the module; not where `a` is something else."""
    head = old.split(".")[0]
    known = bindings.of(text)
    foreign = {
        (u.node.lineno, u.node.col_offset)
        for u in (known.usages if known else ())
        if u.node.id == head
        and any(head in s.bound for s in u.scope.chain() if known and s is not known.module)
    }
    for node in ast.walk(syntax.tree(text) or ast.Module([], [])):
        if not isinstance(node, ast.Attribute | ast.Name) or node.lineno != node.end_lineno:
            continue
        if (node.lineno, node.col_offset) in foreign or _dotted(node) != old:
            continue
        row = syntax.lines(text)[node.lineno - 1]
        start = syntax.column(row, node.col_offset)
        if row[start:].startswith(old):
            yield _Edit(node.lineno, start, start + len(old), new)


def _dotted(node: ast.expr) -> str:
    """`a.b.c` of an attribute chain; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (inner := _dotted(node.value)):
        return f"{inner}.{node.attr}"
    return ""


def _from(
    node: ast.ImportFrom, text: str, package: str, home: str, move: Move
) -> tuple[list[_Edit], str]:
    """Edits for a `from` import, and a statement to add where one of its names goes elsewhere."""
    written = imports.Imported(node.module or "", "", "", node.level, node.lineno, False)
    source = imports.absolute(written, package)
    if source and move.path_of(source) == move.path:
        new = move.renamed(source)
        return _module(node, text, imports.relative(new, home) if node.level else new), ""
    edits: list[_Edit] = []
    statement = ""
    for alias in node.names:
        if move.path_of(f"{source}.{alias.name}".strip(".")) == move.path:
            more, statement = _name(node, alias, text, source, home, move)
            edits += more
    if not edits and node.level and home != package:
        same = home.split(".")[0] == source.split(".")[0] and home
        edits = _module(node, text, imports.relative(source, home) if same else source)
    return edits, statement


def _module(node: ast.ImportFrom, text: str, new: str) -> list[_Edit]:
    """The edit of what stands between `from` and `import`."""
    row = syntax.lines(text)[node.lineno - 1]
    start = syntax.column(row, node.col_offset)
    found = _FROM.match(row, start)
    if found is None:
        return []
    gap = "" if found["gap"] else " "
    return [_Edit(node.lineno, found.start("module"), found.end("module"), gap + new)]


def _name(
    node: ast.ImportFrom, alias: ast.alias, text: str, source: str, home: str, move: Move
) -> tuple[list[_Edit], str]:
    """Edits where a `from` import takes the module itself out of its package."""
    new = move.renamed(f"{source}.{alias.name}".strip("."))
    parent, _, stem = new.rpartition(".")
    bound = alias.asname or alias.name
    uses: list[_Edit] = []
    said = stem if stem == bound else f"{stem} as {bound}"
    known = bindings.of(text)
    if known and not alias.asname and stem != bound and not _is_taken(stem, text):
        uses, said = list(_chains(text, bound, stem)), stem
    row = syntax.lines(text)[alias.lineno - 1]
    start = syntax.column(row, alias.col_offset)
    end = syntax.column(row, alias.end_col_offset or 0)
    if parent == source:
        return [_Edit(alias.lineno, start, end, said), *uses], ""
    place = imports.relative(parent, home) if node.level and parent else parent
    if len(node.names) == 1 and place:
        return [*_module(node, text, place), _Edit(alias.lineno, start, end, said), *uses], ""
    statement = f"from {place} import {said}" if place else f"import {said}"
    if len(node.names) == 1:
        first = syntax.column(row, node.col_offset)
        return [_Edit(node.lineno, first, len(row.rstrip()), statement), *uses], ""
    after = re.match(r"\s*,[ \t]*", row[end:])
    before = re.search(r",?[ \t]*$", row[:start])
    if after:
        gone = _Edit(alias.lineno, start, end + after.end(), "")
    else:
        gone = _Edit(alias.lineno, before.start() if before else start, end, "")
    return [gone, *uses], statement


def _is_taken(name: str, text: str) -> bool:
    """Whether a name is bound or read anywhere in a text."""
    return any(
        isinstance(node, ast.Name | ast.arg | ast.alias)
        and name in (getattr(node, "id", ""), getattr(node, "arg", ""), getattr(node, "name", ""))
        for node in ast.walk(syntax.tree(text) or ast.Module([], []))
    )
