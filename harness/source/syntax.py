"""Owns the parsed form of a Python text: its tree, its lines, its tokens, its indentation.

Does not cover what the names in it mean (`scope`) nor its definitions (`symbols`).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from functools import lru_cache

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_STARTS = {"FSTRING_START", "TSTRING_START"}
_ENDS = {"FSTRING_END", "TSTRING_END"}


@lru_cache(maxsize=128)
def _parsed(text: str) -> tuple[ast.Module | None, str]:
    """The tree and no error, or no tree and the error in one line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text), ""
    except SyntaxError as wrong:
        where = f", line {wrong.lineno}" if wrong.lineno else ""
        return None, f"{type(wrong).__name__}: {wrong.msg}{where}"
    except (ValueError, RecursionError, MemoryError) as wrong:
        return None, f"{type(wrong).__name__}: {str(wrong) or 'too deep'}"


def tree(text: str) -> ast.Module | None:
    """The parsed text, shared and never to be changed; None where it does not parse."""
    return _parsed(text)[0]


def error(text: str) -> str:
    """Why a text does not parse, one line; empty where it does."""
    return _parsed(text)[1]


def lines(text: str) -> list[str]:
    """Physical lines with their ends, counted as the parser counts them (no form feeds)."""
    return _LINES.findall(text)


def column(line: str, offset: int) -> int:
    """Characters before a column that the parser gives in bytes of UTF-8."""
    if line.isascii():
        return offset
    return len(line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace"))


def tokens(text: str) -> list[tokenize.TokenInfo]:
    """Tokens of a text, as far as it can be read; indented text is fine."""
    found: list[tokenize.TokenInfo] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.extend(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return found
    return found


def inside_strings(text: str) -> frozenset[int]:
    """Numbers of the lines that begin inside a string that is no docstring."""
    kept: set[int] = set()
    opened: list[int] = []
    statement_start = True
    for token in tokens(text):
        kind = tokenize.tok_name[token.type]
        if kind in _STARTS:
            opened.append(token.start[0])
        elif kind in _ENDS and opened:
            kept.update(range(opened.pop() + 1, token.end[0] + 1))
        elif kind == "STRING" and token.end[0] > token.start[0] and not statement_start:
            kept.update(range(token.start[0] + 1, token.end[0] + 1))
        if kind in ("NEWLINE", "INDENT", "DEDENT", "ENCODING"):
            statement_start = True
        elif kind not in ("NL", "COMMENT"):
            statement_start = False
    return frozenset(kept)


def indent_of(line: str) -> str:
    """Leading white space of a line."""
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def shifted(source: str, indent: str) -> str:
    """A block with its first line moved to `indent` and the others along; strings keep theirs.

    A docstring moves with its block; lines inside any other string stay as they are.
    """
    rows = lines(source)
    first = next((row for row in rows if row.strip()), "")
    old = indent_of(first)
    if old == indent:
        return source
    still = inside_strings(source)
    moved = []
    for number, row in enumerate(rows, 1):
        if number in still:
            moved.append(row)
        elif not row.strip():
            moved.append(row.lstrip(" \t"))
        elif row.startswith(old):
            moved.append(indent + row[len(old) :])
        else:
            moved.append(indent + row.lstrip(" \t"))
    return "".join(moved)


def bodies(parsed: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements directly under a node: body, orelse, finalbody, handlers, cases."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parsed, field, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
    for field in ("handlers", "cases"):
        for part in getattr(parsed, field, []):
            yield part.body
