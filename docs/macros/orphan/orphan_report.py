"""Owns what the check of the pages reports: every fault in one line, and figures by class.

Does not cover how they are found (`orphans`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from docs.macros.orphan.comparative_words import COMPARISON
from docs.macros.orphan.rendered_text import ZONE_CLASSES

CLASSES = ("bound", *ZONE_CLASSES, "structural", "waived", "orphans")
_WIDTH = 140


@dataclass(frozen=True)
class Orphan:
    """One fault; `shape` is a figure's shape or `comparison`, else the part that is at fault."""

    page: str
    text: str
    sentence: str
    shape: str
    reason: str

    def line(self) -> str:
        """Return the fault in one line; a long sentence is cut around the text."""
        start = max(0, self.sentence.find(self.text) + (len(self.text) - _WIDTH) // 2)
        end = start + _WIDTH
        shown = f"{'…' * (start > 0)}{self.sentence[start:end]}{'…' * (end < len(self.sentence))}"
        return f'{self.page}: "{self.text}" in "{shown}": {self.reason}'


@dataclass
class PageReport:
    """One page's unbound figures and comparisons, its other faults, its figures by class."""

    page: str
    orphans: list[Orphan] = field(default_factory=list)
    faults: list[Orphan] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


@dataclass
class SiteReport:
    """The reports of all pages, and the faults that belong to none of them."""

    pages: list[PageReport]
    faults: list[Orphan]

    @property
    def found(self) -> list[Orphan]:
        """All that is at fault on the site, page by page; empty when all is well."""
        return [f for page in self.pages for f in (*page.orphans, *page.faults)] + self.faults

    @property
    def counts(self) -> Counter[str]:
        """Figures of the whole site by class; the classes sum to all that were found."""
        return sum((page.counts for page in self.pages), Counter())

    def lines(self) -> list[str]:
        """Return one line a fault, and a last line of totals."""
        counts, found = self.counts, self.found
        classes = ", ".join(f"{counts[name]} {name}" for name in CLASSES)
        compared = sum(fault.shape == COMPARISON for fault in found)
        totals = (
            f"{len(self.pages)} pages, {counts.total()} figures found: {classes}; {compared} "
            f"comparisons bare, {len(found) - compared - counts['orphans']} other faults"
        )
        return [*(fault.line() for fault in found), totals]
