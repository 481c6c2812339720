"""Owns places in texts by offset: where a definition's name stands, and the exchange of names.

Does not cover which places are meant (`roping`, `members`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from harness.source import imports, symbols, syntax
from harness.source.project import Project
from harness.source.roping import Place
from harness.source.symbols import Symbol


def offset(text: str, line: int, column: int) -> int:
    """Characters before a place that the parser gives by line and by column in bytes."""
    rows = syntax.lines(text)
    return sum(len(row) for row in rows[: line - 1]) + syntax.column(rows[line - 1], column)


def of_symbol(text: str, symbol: Symbol) -> int:
    """Characters before a definition's name."""
    start = offset(text, symbol.line, 0)
    name = re.escape(symbol.name)
    found = re.compile(rf"\b(?:def|class)[\s\\]+({name})\b").search(text, start)
    if symbol.kind != "assignment" and found:
        return found.start(1)
    bare = re.compile(rf"(?<![\w.]){name}\b").search(text, start)
    return bare.start() if bare else start


def of_attribute(text: str, node: ast.Attribute) -> int:
    """Characters before an attribute's name."""
    end = offset(text, node.end_lineno or node.lineno, node.end_col_offset or 0)
    return end - len(node.attr)


def line_of(text: str, place: int) -> tuple[int, str]:
    """The line that an offset lies in: its number, from 1, and its text."""
    number = text.count("\n", 0, place) + 1
    rows = text.split("\n")
    return number, rows[number - 1].strip()


def exchanged(project: Project, chosen: Iterable[Place], old: str, new: str) -> dict[str, str]:
    """New texts of the files in which a name is exchanged at the chosen places.

    A name that is imported from outside the project keeps it there: `from x import old as new`.
    """
    by_path: dict[str, set[int]] = {}
    for place in chosen:
        by_path.setdefault(place.path, set()).add(place.offset)
    files = {}
    for path, offsets in by_path.items():
        text = project.text(path)
        edits = {start: new for start in offsets if text.startswith(old, start)}
        package = project.package_of(path)
        foreign = {s for s, source in _taken(text, package, old) if not project.path_of(source)}
        edits |= dict.fromkeys(foreign & edits.keys(), f"{old} as {new}")
        files[path] = _applied(text, edits, len(old))
    return files


def kept(project: Project, files: dict[str, str], home: str, old: str, new: str) -> dict[str, str]:
    """The files with every import from `home` turned that still names the old one.

    Where another definition of that name stands beside the import, the file goes on calling it so:
    `from home import new as old`.
    """
    found = dict(files)
    for path in project.python_files():
        text = found.get(path, project.text(path))
        package = project.package_of(path)
        named = [o for o in imports.of(text) if o.name == old] if old in text else []
        if path == home or not named:
            continue
        starts = [s for s, source in _taken(text, package, old) if project.path_of(source) == home]
        if starts:
            found[path] = _applied(text, dict.fromkeys(starts, f"{new} as {old}"), len(old))
    return found


def exported(project: Project, files: dict[str, str], old: str, new: str) -> dict[str, str]:
    """The files with the name in `__all__` turned, where the new one is bound and the old is not.

    Files count that take all of a changed file by a star.
    """
    found = dict(files)
    for path in project.python_files():
        text = found.get(path, project.text(path))
        if "__all__" not in text or old not in text:
            continue
        bound = symbols.top_level(text) | symbols.imported(text)
        stars = {imports.absolute(o, project.package_of(path)) for o in imports.of(text)
                 if o.name == "*"}  # fmt: skip
        if old not in bound and (new in bound or {project.path_of(s) for s in stars} & {*found}):
            found[path] = _in_all(text, old, new)
    return found


def _applied(text: str, edits: dict[int, str], length: int) -> str:
    """The text with pieces of one length exchanged."""
    for start in sorted(edits, reverse=True):
        text = text[:start] + edits[start] + text[start + length :]
    return text


def _taken(text: str, package: str, name: str) -> Iterator[tuple[int, str]]:
    """Where a file imports a name without giving it another: offset, and the module's name."""
    for node in ast.walk(syntax.tree(text) or ast.Module([], [])):
        if isinstance(node, ast.ImportFrom):
            one = imports.Imported(node.module or "", "", "", node.level, node.lineno, False)
            for alias in node.names:
                if alias.name == name and not alias.asname:
                    start = offset(text, alias.lineno, alias.col_offset)
                    yield start, imports.absolute(one, package)


def _in_all(text: str, old: str, new: str) -> str:
    """The text with a name in `__all__` turned."""
    edits = {}
    for node in getattr(syntax.tree(text), "body", []):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and part.value == old:
                    start = offset(text, part.lineno, part.col_offset)
                    edits[text.index(old, start)] = new
    return _applied(text, edits, len(old))
