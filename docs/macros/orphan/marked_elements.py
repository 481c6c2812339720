"""Owns whether a number, table, claim, citation or error box in a page is as it must be.

Does not cover what the record holds, which a `Verifier` answers for (`verify`), nor bare text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from lxml import etree

from docs.macros.orphan.rendered_text import Marked, classes_of, text_of


class Verifier(Protocol):
    """Answers for the record; an empty string means that all is well, another gives the reason.

    Texts reach it with their blanks made single, no-break spaces too. It may also have a method
    `caption_ok(src, caption) -> str`; without it a record table's caption counts as ordinary text.
    """

    def number_ok(self, figure_id: str, src: str, shown: str) -> str:
        """Compare a number as shown with the figure that it names."""

    def marks_ok(self, figure_id: str, value: str, classes: list[str]) -> str:
        """Compare a number's machine-readable value and its marks with the figure it names."""

    def table_ok(self, src: str, rows: list[list[str]]) -> str:
        """Compare the texts of the cells, header row first, with the table of the record."""

    def claim_ok(self, claim_id: str, verdict_class: str) -> str:
        """Compare a claim's class, such as `claim--as-stated`, with its comparison's verdict."""

    def is_generated(self, page: str) -> bool:
        """Tell whether the program makes this page, so that `data-generated` counts on it."""


def caption_check(verify: Verifier) -> Callable[[str, str], str] | None:
    """Return the verifier's check of captions, if it has one."""
    check: Callable[[str, str], str] | None = getattr(verify, "caption_ok", None)
    return check


def wrongness(marked: Marked, verify: Verifier) -> str:
    """Return what is wrong with the element and what to do about it; empty when all is well."""
    if marked.part == "error box":
        return "the page shows an error; mend the macro call that it names"
    if marked.part == "citation":
        points = "#ref-" in marked.element.get("href", "")
        return "" if points else "the mark points at no reference; use the cite macro"
    judge = {"number": _number, "table": _table, "claim": _claim}[marked.part]
    reason = judge(marked.element, verify)
    return f"{reason}; let the {marked.part} macro write it anew" if reason else ""


def _number(element: etree._Element, verify: Verifier) -> str:
    figure_id, src = element.get("data-id", ""), element.get("data-src", "")
    if not figure_id or not src:
        return "the number names no figure of the record (data-id and data-src)"
    ways = [link.get("href", "") for link in element.iterancestors("a")]
    if not any(way.rpartition("#")[2] == figure_id for way in ways):
        return "the number stands outside a link to its replay entry"
    wrong = verify.number_ok(figure_id, src, text_of(element))
    return wrong or verify.marks_ok(figure_id, element.get("value", ""), classes_of(element))


def _table(element: etree._Element, verify: Verifier) -> str:
    src = element.get("data-src", "")
    if not src:
        return "the table names no table of the record"
    rows = [[text_of(cell) for cell in row.iter("th", "td")] for row in element.iter("tr")]
    reason = verify.table_ok(src, rows)
    caption_ok = caption_check(verify)
    if caption_ok and not reason:
        reason = caption_ok(src, " ".join(map(text_of, element.iter("caption"))))
    return reason


def _claim(element: etree._Element, verify: Verifier) -> str:
    verdicts = [name for name in classes_of(element) if name.startswith("claim--")]
    if not element.get("data-claim") or len(verdicts) != 1:
        return "the claim names no comparison, or not just one verdict"
    return verify.claim_ok(element.get("data-claim", ""), verdicts[0])
