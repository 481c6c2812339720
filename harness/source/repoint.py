"""Owns turning a text's imports of one module to its new place, and the uses of its name.

Does not cover moving the file (`fixes/moved_module`), nor names of the module in strings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from harness.source import bindings, imports, syntax
from harness.source.bindings import Usage

_FROM = re.compile(r"from(?P<gap>[\s\\]*)(?P<module>[.\w]*)[\s\\]*import\b")


@dataclass(frozen=True)
class Move:
    """A module that goes from one place to another."""

    path: str
    """Its file, as it was."""
    old: str
    """Dotted name by which it was imported."""
    new: str
    """Dotted name by which it shall be."""
    path_of: Callable[[str], str]
    """File of a dotted name before the move, also where it is written from another root."""
    target: str
    """Its file, as it shall be."""

    def is_meant(self, dotted: str) -> bool:
        """Whether a dotted name is the module before the move."""
        return bool(dotted) and self.path_of(dotted) == self.path

    def renamed(self, written: str) -> str:
        """The new dotted name in the manner of the old one: with the same prefix, or without it."""
        tried = [self.new]
        if written.endswith(f".{self.old}"):
            tried = [written[: -len(self.old)] + self.new]
        elif self.old.endswith(f".{written}"):
            prefix = self.old[: -len(written)]
            tried = [self.new.removeprefix(prefix)]
        inside = f"/{self.target}".removesuffix(".py")
        fits = [name for name in tried if inside.endswith("/" + name.replace(".", "/"))]
        return [*fits, self.new][0]


@dataclass(frozen=True)
class _Bound:
    """A name that an import binds, with the module that it stands for."""

    name: str
    dotted: str
    """Dotted name of the module, as far as the bound name reaches."""
    since: int
    """Last line of the import statement."""
    plain: bool
    """`import a.b` without another name: `dotted` is `a`."""


@dataclass(frozen=True)
class _File:
    """A text under change."""

    text: str
    parsed: ast.Module
    package: str
    """Dotted package from which its relative imports start."""
    home: str
    """The same after the move; another one if the file itself moves."""
    move: Move

    def start(self, node: ast.expr | ast.stmt | ast.alias) -> int:
        """Offset of a node's first character."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.alias) -> int:
        """Offset after a node's last character."""
        return self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def offset(self, line: int, column: int) -> int:
        """Characters before a place that the parser gives by line and by column in bytes."""
        rows = syntax.lines(self.text)
        before = sum(len(row) for row in rows[: line - 1])
        return before + syntax.column(rows[line - 1], column)

    def relative(self, dotted: str) -> str:
        """A module as this file writes it with leading dots; whole where no dots lead there."""
        if not dotted or not self.home or dotted.split(".")[0] != self.home.split(".")[0]:
            return dotted
        return imports.relative(dotted, self.home)


class _Edits:
    """Pieces of a text to exchange, and statements to add below others."""

    def __init__(self, file: _File) -> None:
        self.file = file
        self.pieces: dict[tuple[int, int], str] = {}
        self.added: dict[ast.stmt, list[str]] = {}

    def put(self, start: int, end: int, new: str) -> None:
        """Exchange one piece."""
        self.pieces[start, end] = new

    def add(self, node: ast.stmt, statement: str) -> None:
        """Put a statement right below another, once."""
        kept = self.added.setdefault(node, [])
        if statement not in kept:
            kept.append(statement)

    def text(self) -> str:
        """The text with all of it done."""
        text = self.file.text
        changes = [(start, end, new) for (start, end), new in self.pieces.items()]
        for node, statements in self.added.items():
            at, new = self._below(node, statements)
            changes.append((at, at, new))
        for start, end, new in sorted(changes, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def _below(self, node: ast.stmt, statements: list[str]) -> tuple[int, str]:
        """Where statements after another go, and their text: on lines of their own if they can."""
        text, at = self.file.text, self.file.end(node)
        rest = re.compile(r"[^\n]*").match(text, at)
        after = rest.group() if rest else ""
        if after.lstrip().startswith(";"):
            return at, "".join(f"; {statement}" for statement in statements)
        indent = syntax.indent_of(syntax.lines(text)[node.lineno - 1])
        return at + len(after), "".join(f"\n{indent}{statement}" for statement in statements)


def repointed(text: str, package: str, home: str, move: Move) -> str:
    """The text of a file of `package` with its imports turned; of `home`, if it moves itself."""
    parsed = syntax.tree(text)
    if parsed is None:
        return text
    file = _File(text, parsed, package, home, move)
    edits = _Edits(file)
    for node in ast.walk(parsed):
        if isinstance(node, ast.Import):
            _plain(node, file, edits)
        elif isinstance(node, ast.ImportFrom):
            _from(node, file, edits)
    return edits.text()


def _plain(node: ast.Import, file: _File, edits: _Edits) -> None:
    """Edits for `import a.b`: the name, and its uses where it has no other."""
    for alias in node.names:
        meant = file.move.is_meant(alias.name)
        since = node.end_lineno or node.lineno
        if alias.asname:
            if meant:
                start = file.start(alias)
                edits.put(start, start + len(alias.name), file.move.renamed(alias.name))
            else:
                _inside(_Bound(alias.asname, alias.name, since, False), node, file, edits)
        elif meant and "." not in alias.name:
            _single(node, alias, file, edits)
        else:
            head = alias.name.split(".")[0]
            if meant:
                new = file.move.renamed(alias.name)
                if new.split(".")[0] != head and _taken(new.split(".")[0], file):
                    continue
                edits.put(file.start(alias), file.end(alias), new)
            _inside(_Bound(head, head, since, True), node, file, edits)


def _single(node: ast.Import, alias: ast.alias, file: _File, edits: _Edits) -> None:
    """Edits for `import a`, whose bound name is the module's whole name."""
    old, new = alias.name, file.move.renamed(alias.name)
    parent, _, stem = new.rpartition(".")
    bound = old
    if stem != old and _renames(old, stem, node, file, edits):
        bound = stem
    said = stem if stem == bound else f"{stem} as {bound}"
    if parent and len(node.names) == 1:
        edits.put(file.start(node), file.end(node), f"from {parent} import {said}")
    else:
        whole = f"{new} as {bound}" if parent else said
        edits.put(file.start(alias), file.end(alias), whole)


def _renames(old: str, new: str, node: ast.stmt, file: _File, edits: _Edits) -> bool:
    """Turn the uses of a name that an import binds, if the new one is free; whether it is done."""
    since = node.end_lineno or node.lineno
    uses = _uses(old, since, file)
    if uses is None or _taken(new, file):
        return False
    for use in uses:
        edits.put(file.start(use.node), file.end(use.node), new)
    for constant in _exported(file):
        if constant.value == old:
            said = ast.get_source_segment(file.text, constant) or ""
            edits.put(file.start(constant), file.end(constant), said.replace(old, new))
    return True


def _exported(file: _File) -> Iterator[ast.Constant]:
    """The strings of the module's `__all__`."""
    for node in file.parsed.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
            value = getattr(node, "value", None)
            yield from (c for c in ast.walk(value or node) if isinstance(c, ast.Constant))


def _uses(name: str, since: int, file: _File) -> list[Usage] | None:
    """Reads of a name that an import ending at a line binds; None where others bind it too."""
    known = bindings.of(file.text)
    found = []
    for use in known.usages if known else ():
        if use.node.id != name:
            continue
        scope = next((s for s in use.scope.chain() if name in s.bound), None)
        ends = [b.since for b in scope.bound[name]] if scope else []
        if since in ends:
            if any(end != since for end in ends):
                return None
            found.append(use)
    return found


def _taken(name: str, file: _File) -> bool:
    """Whether a name is bound or read anywhere in the text."""
    for node in ast.walk(file.parsed):
        if isinstance(node, ast.Name) and node.id == name:
            return True
        if isinstance(node, ast.arg) and node.arg == name:
            return True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name == name:
                return True
        elif isinstance(node, ast.alias) and (node.asname or node.name.split(".")[0]) == name:
            return True
    return False


def _inside(bound: _Bound, node: ast.stmt, file: _File, edits: _Edits) -> None:
    """Edits of every `a.b.c` in code that reaches the module through what an import binds."""
    known = bindings.of(file.text)
    names = {id(use.node): use for use in (known.usages if known else ())}
    chains = [n for n in ast.walk(file.parsed) if isinstance(n, ast.Attribute)]
    for chain in chains:
        parts = _dotted(chain)
        if not parts or parts[0].id != bound.name or id(parts[0]) not in names:
            continue
        written = bound.dotted + parts[1]
        if not file.move.is_meant(written) or not _binds(bound, names[id(parts[0])]):
            continue
        new = file.move.renamed(written)
        if new.startswith(f"{bound.dotted}."):
            new = bound.name + new[len(bound.dotted) :]
        elif _taken(new.split(".")[0], file):
            continue
        elif not _named(file):
            edits.add(node, f"import {new}")
        edits.put(file.start(chain), file.end(chain), new)


def _named(file: _File) -> bool:
    """Whether a plain import of the text names the module itself and is turned."""
    plain = [n for n in ast.walk(file.parsed) if isinstance(n, ast.Import)]
    return any(file.move.is_meant(a.name) and not a.asname for n in plain for a in n.names)


def _binds(bound: _Bound, use: Usage) -> bool:
    """Whether a name is bound where it is used by that import, or by another of its package."""
    scope = next((s for s in use.scope.chain() if bound.name in s.bound), None)
    if scope is None:
        return False
    here = scope.bound[bound.name]
    return any(b.since == bound.since for b in here) or (
        bound.plain and all(b.kind == "module" for b in here)
    )


def _dotted(node: ast.expr) -> tuple[ast.Name, str] | None:
    """The name that an attribute chain starts with and the rest of it, `.b.c`."""
    rest = ""
    while isinstance(node, ast.Attribute):
        rest = f".{node.attr}{rest}"
        node = node.value
    return (node, rest) if isinstance(node, ast.Name) else None


def _from(node: ast.ImportFrom, file: _File, edits: _Edits) -> None:
    """Edits for a `from` import: of the module's names, or of the module itself."""
    written = imports.Imported(node.module or "", "", "", node.level, node.lineno, False)
    source = imports.absolute(written, file.package)
    if file.move.is_meant(source):
        new = file.move.renamed(source)
        _module(node, file, edits, file.relative(new) if node.level else new)
        return
    inner = {a: f"{source}.{a.name}".strip(".") for a in node.names}
    meant = [a for a, dotted in inner.items() if file.move.is_meant(dotted)]
    own = file.relative(source) if node.level and file.home != file.package else ""
    if meant:
        _taken_out(node, meant, file, edits, source, own)
    elif own:
        _module(node, file, edits, own)
    since = node.end_lineno or node.lineno
    for alias in node.names:
        if alias not in meant and file.move.path_of(inner[alias]).endswith("__init__.py"):
            name = alias.asname or alias.name
            _inside(_Bound(name, inner[alias], since, False), node, file, edits)


def _module(node: ast.ImportFrom, file: _File, edits: _Edits, new: str) -> None:
    """The edit of what stands between `from` and `import`."""
    start = file.start(node)
    if (found := _FROM.match(file.text, start)) is not None:
        gap = "" if found["gap"] else " "
        edits.put(found.start("module"), found.end("module"), gap + new)


def _taken_out(
    node: ast.ImportFrom,
    meant: list[ast.alias],
    file: _File,
    edits: _Edits,
    source: str,
    own: str,
) -> None:
    """Edits where a `from` import takes the module itself out of its package.

    `own` is what stands after `from` if the file itself moves; empty where that stays.
    """
    words = {alias: _word(node, alias, file, edits, source) for alias in meant}
    elsewhere = {alias: pair for alias, pair in words.items() if pair[0] != source}
    for alias in words.keys() - elsewhere.keys():
        edits.put(file.start(alias), file.end(alias), words[alias][1])
    statements = []
    for parent, word in elsewhere.values():
        place = file.relative(parent) if node.level else parent
        statements.append(f"from {place} import {word}" if place else f"import {word}")
    if statements and len(elsewhere) == len(node.names):
        indent = syntax.indent_of(syntax.lines(file.text)[node.lineno - 1])
        edits.put(file.start(node), file.end(node), f"\n{indent}".join(statements))
        return
    _without(list(elsewhere), node, file, edits)
    for statement in statements:
        edits.add(node, statement)
    if own:
        _module(node, file, edits, own)


def _word(
    node: ast.ImportFrom, alias: ast.alias, file: _File, edits: _Edits, source: str
) -> tuple[str, str]:
    """The package that the module is in now, and what stands after `import`; uses are turned."""
    parent, _, stem = file.move.renamed(f"{source}.{alias.name}".strip(".")).rpartition(".")
    bound = alias.asname or alias.name
    if not alias.asname and stem != bound and _renames(bound, stem, node, file, edits):
        bound = stem
    return parent, stem if stem == bound else f"{stem} as {bound}"


def _without(meant: list[ast.alias], node: ast.ImportFrom, file: _File, edits: _Edits) -> None:
    """Take names off a `from` import that has others, with their comma and their line."""
    text = file.text
    for alias in meant:
        start, end = file.start(alias), file.end(alias)
        if alias is node.names[-1]:
            trailing = re.match(r"[ \t]*,", text[end:])
            end += trailing.end() if trailing and text[start - 1] in " \t\n" else 0
            before = re.search(r",?[ \t]*$", text[:start])
            line = re.search(r"\n[ \t]*$", text[:start])
            start = line.start() if line else before.start() if before else start
        else:
            after = re.match(r"\s*,[ \t]*", text[end:])
            end += after.end() if after else 0
            line = re.search(r"\n[ \t]*$", text[:start])
            if line and text[end : end + 1] == "\n":
                start = line.start()
        edits.put(start, end, "")
