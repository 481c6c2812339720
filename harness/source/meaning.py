"""Owns whether a text means the same after one of its names has become another.

Does not cover other files (`integrity`) nor attributes, whose owner no scope tells.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator

from harness.source import syntax


def differs(before: str, after: str, old: str, new: str) -> str:
    """What else would change, one line; empty where only `old` became `new` in names.

    Looks at the shape of both texts, and at what every name means as the compiler resolves it.
    """
    first, second = syntax.tree(before), syntax.tree(after)
    if first is None or second is None:
        return "" if before == after else "the file does not parse"
    if (line := _shape(first, second, old, new)) is not None:
        return f"line {line} would change otherwise"
    return captured(before, after, old, new)


def _shape(first: ast.AST, second: ast.AST, old: str, new: str) -> int | None:
    """Line of the first difference that is no new name; None where there is none."""
    line = getattr(first, "lineno", 0)
    if type(first) is not type(second):
        return line
    for name in first._fields:
        one, other = getattr(first, name, None), getattr(second, name, None)
        if (
            isinstance(first, ast.alias)
            and name == "asname"
            and one is None
            and other in (old, new)
        ):
            continue  # `from x import old as new`, and the other way about, keep one of both names
        ones = one if isinstance(one, list) else [one]
        others = other if isinstance(other, list) else [other]
        if len(ones) != len(others):
            return line
        for a, b in zip(ones, others, strict=True):
            if isinstance(a, ast.AST):
                if (found := _shape(a, b, old, new)) is not None:
                    return found or line
            elif a != b and (a, b) != (old, new):
                return line
    return None


def captured(before: str, after: str, old: str, new: str) -> str:
    """Where the new name meets one that is there already, one line; empty where it is free."""
    try:
        first = symtable.symtable(before, "before", "exec")
        second = symtable.symtable(after, "after", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return ""
    outer = [_names(table).get(new) for table in _tables(first)]
    reads = any(symbol is not None and symbol.is_global() for symbol in outer)
    if reads and new in _bound(second) - _bound(first):
        return f"{new} already means something else in the file"
    for one, other in zip(_tables(first), _tables(second), strict=False):
        if wrong := _scope(one, other, old, new):
            return wrong
    return ""


def _scope(one: symtable.SymbolTable, other: symtable.SymbolTable, old: str, new: str) -> str:
    """Where one scope's names do not mean what they did."""
    mine, theirs = _names(one), _names(other)
    where = "the file" if one.get_type() == "module" else one.get_name()
    if len(mine) != len(theirs) or (new in mine and old in mine and old not in theirs):
        return f"{new} is already a name of {where}"
    for name, symbol in mine.items():
        now = theirs.get(name) or (theirs.get(new) if name == old else None)
        if now is None or _kind(symbol) != _kind(now):
            return f"{new} already means something else in {where}"
    return ""


def _kind(symbol: symtable.Symbol) -> tuple[bool, ...]:
    """What a name is to its scope."""
    return (symbol.is_global(), symbol.is_local(), symbol.is_free(), symbol.is_parameter())


def _names(table: symtable.SymbolTable) -> dict[str, symtable.Symbol]:
    """Names of a scope."""
    return {symbol.get_name(): symbol for symbol in table.get_symbols()}


def _bound(table: symtable.SymbolTable) -> set[str]:
    """Names that a scope gives a value."""
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """A scope and all scopes in it, in reading order."""
    yield table
    for child in table.get_children():
        yield from _tables(child)
