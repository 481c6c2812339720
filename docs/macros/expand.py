"""Owns the quick way to expand `[[ name("literal", ...) ]]` without compiling a template.

Does not cover statements, loops or expressions: a page that has those goes to mkdocs-macros, with
the same functions behind the same names (tests hold both ways equal).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from docs.macros.page import PageContext

CALL = re.compile(r"\[\[(.+?)\]\]", re.DOTALL)
_HEADING = re.compile(r"^#{1,6} [^\n]*\[\[", re.MULTILINE)
_CODE = re.compile(r"(^|\n)(```|~~~).*?\n\2|`[^`\n]*`", re.DOTALL)
_MADE_BY_MACROS = re.compile(r"<[a-z][^>]*\bdata-(?:id|src|claim|figures|generated)\b")
_TEMPLATE_ONLY = ("[%", "[#")

Arguments = tuple[str, tuple[Any, ...], tuple[tuple[str, Any], ...]]


@cache
def parse_call(source: str) -> Arguments | None:
    """(name, args, keywords) of a call with literal arguments; None for any other expression."""
    try:
        tree = ast.parse(source.strip(), mode="eval").body
        if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
            return None
        args = tuple(ast.literal_eval(a) for a in tree.args)
        keywords = tuple((k.arg or "", ast.literal_eval(k.value)) for k in tree.keywords)
        hash((args, keywords))
    except (SyntaxError, ValueError, TypeError):
        return None
    return tree.func.id, args, keywords


def has_macros(text: str) -> bool:
    """Whether the text holds anything to expand."""
    return "[[" in text or any(mark in text for mark in _TEMPLATE_ONLY)


def is_simple(text: str) -> bool:
    """Whether every expression of the text is a call with literal arguments."""
    if any(mark in text for mark in _TEMPLATE_ONLY):
        return False
    return all(parse_call(match[1]) is not None for match in CALL.finditer(text))


def expand(text: str, page: PageContext, call: Callable[..., str], first_line: int = 1) -> str:
    """The text with each call replaced by what `call(name, args, keywords)` returns.

    `first_line` is the line of the file on which the text begins (after the front matter).
    """
    out: list[str] = []
    at, line = 0, first_line
    for match in CALL.finditer(text):
        line += text.count("\n", at, match.start())
        page.line = line
        found = parse_call(match[1])
        assert found is not None, "expand() is for texts that is_simple() accepts"
        out += [text[at : match.start()], call(*found)]
        at = match.start()
        line += text.count("\n", at, match.end())
        at = match.end()
    refuse(text, page, first_line)
    return "".join([*out, text[at:]])


def refuse(text: str, page: PageContext, first_line: int) -> None:
    """Faults for what a page's source may not hold: macros in headings, marks of the record."""
    for heading in _HEADING.finditer(text):
        where = first_line + text.count("\n", 0, heading.start())
        page.fail("a macro stands in a heading; put the number into the text below", where)
    # Blank out code at equal length, so that what is left keeps its line.
    prose = _CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text) if "<" in text else ""
    for found in _MADE_BY_MACROS.finditer(prose):
        where = first_line + prose.count("\n", 0, found.start())
        page.fail("a mark of the record is typed by hand; let a macro print it", where)
