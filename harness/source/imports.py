"""Owns the import statements of a Python text: what they name, and where a new one belongs.

Does not cover which file a module's name means (`project`).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from harness.source import syntax

QUICK = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<source>\.*[\w.]*)[ \t]+import\b|import[ \t]+(?P<names>[\w., \t]+))",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Imported:
    """One name that an import statement binds."""

    module: str
    """Dotted, as written, without leading dots."""
    name: str
    """What is taken out of it; empty for `import module`."""
    alias: str
    """Name it is bound to here; `*` for a star."""
    level: int
    """Leading dots."""
    line: int
    """1-based."""
    lazy: bool
    """Inside a function, or for type checkers alone: not run when the module is imported."""


@lru_cache(maxsize=4096)
def of(text: str) -> tuple[Imported, ...]:
    """Names that a text imports, in reading order; empty where it does not parse."""
    parsed = syntax.tree(text)
    return tuple(_under(parsed, False)) if parsed else ()


def _under(node: ast.AST, lazy: bool) -> Iterator[Imported]:
    """Imports under a node."""
    for block in syntax.bodies(node):
        for statement in block:
            if isinstance(statement, ast.Import):
                for a in statement.names:
                    bound = a.asname or a.name.split(".")[0]
                    yield Imported(a.name, "", bound, 0, statement.lineno, lazy)
            elif isinstance(statement, ast.ImportFrom):
                for a in statement.names:
                    module, level = statement.module or "", statement.level
                    bound = a.asname or a.name
                    yield Imported(module, a.name, bound, level, statement.lineno, lazy)
            else:
                function = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
                yield from _under(statement, lazy or function or _for_types(statement))


def _for_types(node: ast.stmt) -> bool:
    """Whether a statement is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


@lru_cache(maxsize=8192)
def quick(text: str) -> frozenset[str]:
    """Dotted module names after `import` and `from`, found without parsing; may be too many."""
    found: set[str] = set()
    for match in QUICK.finditer(text):
        if match["source"] is not None:
            found.add(match["source"])
        else:
            found |= {part.split()[0] for part in match["names"].split(",") if part.split()}
    return frozenset(found)


def absolute(found: Imported, package: str) -> str:
    """Dotted name of the module that an import names, seen from a package (`a.b`)."""
    if not found.level:
        return found.module
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - (found.level - 1)]
    return ".".join([*kept, *([found.module] if found.module else [])])


def relative(target: str, package: str) -> str:
    """A module as a file of a package writes it with leading dots: `.x`, `..y.z`."""
    here, there = package.split("."), target.split(".")
    common = 0
    while common < min(len(here), len(there)) and here[common] == there[common]:
        common += 1
    return "." * (len(here) - common + 1) + ".".join(there[common:])


def add(text: str, statement: str) -> str:
    """The text with an import statement at its place: with its like, after docstring and future.

    Unchanged where the same line stands there already or the text does not parse.
    """
    parsed = syntax.tree(text)
    rows = syntax.lines(text)
    if parsed is None or any(row.strip() == statement for row in rows):
        return text
    if rows and not rows[-1].endswith(("\n", "\r")):
        rows[-1] += "\n"
    block = _block(parsed)
    if block:
        at, gap_above, gap_below = _beside(block, statement)
    else:
        at, gap_above, gap_below = _first_place(parsed, rows)
    above = "\n" if gap_above and at and rows[at - 1].strip() else ""
    below = "\n" if gap_below and at < len(rows) and rows[at].strip() else ""
    return "".join([*rows[:at], above, statement, "\n", below, *rows[at:]])


def _block(parsed: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """The module's leading import statements, the future ones left out."""
    found: list[ast.Import | ast.ImportFrom] = []
    for node in parsed.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            if getattr(node, "module", "") != "__future__":
                found.append(node)
        elif found:
            break
    return found


def _first_place(parsed: ast.Module, rows: list[str]) -> tuple[int, bool, bool]:
    """Where the first import goes: after a docstring and future imports, else after comments."""
    end = 0
    for number, node in enumerate(parsed.body):
        doc = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (doc and isinstance(getattr(node, "value", None), ast.Constant)) and not future:
            break
        end = node.end_lineno or end
    if not end:
        while end < len(rows) and rows[end].startswith("#"):
            end += 1
    return end, True, True


def _beside(block: list[ast.Import | ast.ImportFrom], statement: str) -> tuple[int, bool, bool]:
    """Where an import goes in a block of others: by kind, then by name."""
    key = _order(statement)
    keys = [_order(ast.unparse(node)) for node in block]
    earlier = [i for i, other in enumerate(keys) if other <= key]
    if earlier:
        chosen = earlier[-1]
        new_group = keys[chosen][0] != key[0]
        return block[chosen].end_lineno or 0, new_group, new_group
    new_group = keys[0][0] != key[0]
    return block[0].lineno - 1, new_group, new_group


def _order(statement: str) -> tuple[int, str]:
    """Sort key of an import: standard library, others, relative ones; then its module."""
    words = statement.split()
    module = words[1]
    if module.startswith("."):
        return 2, module
    return int(module.split(".")[0] not in sys.stdlib_module_names), module.lower()
