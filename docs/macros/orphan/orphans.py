"""Owns the check that no figure and no comparison stands in a rendered page without the record.

Does not cover how a page is read (`rendered_text`), what counts as a figure (`figures_in_text`),
nor whether what claims to be of the record is so (`marked_elements`).

A figure may stand as a bound number; in a record table, a claim or a chart; in a part that the
program wrote on a page that it makes; in a sentence that cites; in a reference entry; as a
structural form; by a waiver. A footnote's mark is no figure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from lxml import etree

from docs.macros.orphan import comparative_words, figures_in_text
from docs.macros.orphan.figures_in_text import Found
from docs.macros.orphan.marked_elements import Verifier, caption_check, wrongness
from docs.macros.orphan.orphan_report import Orphan, PageReport, SiteReport
from docs.macros.orphan.rendered_text import (
    CHART,
    ZONE_CLASSES,
    Block,
    Reader,
    contents_of,
    text_around,
)
from docs.macros.orphan.waivers import MOST_WAIVERS, Waiver, Waivers

_BIND = "is not bound to the record; use the number macro, or cite in its sentence"
_BIND_OR_WAIVE = f"{_BIND}, or reword it, or waive it in the front matter"
_CLAIM_IT = "compares outside a claim; use the claim macro, or cite in its sentence, or reword it"
_WAY_OUT = {
    figures_in_text.FRACTION: _BIND,
    figures_in_text.PERCENTAGE: _BIND,
    comparative_words.COMPARISON: _CLAIM_IT,
}


def check_site(
    site_dir: Path, verify: Verifier, waivers_by_page: Mapping[str, Sequence[Waiver]]
) -> SiteReport:
    """Check every HTML page under a built site.

    A page is named by its address, `experiments/the-wall/` or `./` for the home page; waivers may
    name it so or by its source, `experiments/the-wall.md`. Raises OSError for an unreadable file.
    """
    waivers = {page_name(page): listed for page, listed in waivers_by_page.items()}
    given = sum(map(len, waivers.values()))
    reports = []
    for path in sorted(site_dir.rglob("*.html")):
        page = page_name(path.relative_to(site_dir).as_posix())
        reports.append(check_html(path.read_text("utf-8"), page, verify, waivers.pop(page, ())))
    faults = [(page, "no such page was built; remove its waivers") for page in waivers]
    if given > MOST_WAIVERS:
        faults.append((f"{given} waivers", f"at most {MOST_WAIVERS} may stand; bind some instead"))
    if not reports:
        faults.append((site_dir.name, "holds no HTML page; build the site first"))
    site = (Orphan("site", text, "the site as a whole", "site", why) for text, why in faults)
    return SiteReport(reports, list(site))


def page_name(path: str) -> str:
    """Return a page's address for its address, its HTML file or its Markdown source."""
    path = re.sub(r"(^|/)index\.(?:html|md)$", r"\1", path)
    return re.sub(r"\.md$", "/", path) or "./"


def check_html(
    html: str, page: str, verify: Verifier, waivers: Sequence[Waiver] = ()
) -> PageReport:
    """Check one rendered page; `page` is the address by which faults and the verifier name it."""
    check = _Check(page, verify, waivers)
    check.run(html)
    return check.report


# Pages repeat their cells and labels; each is read once.
_read = lru_cache(20_000)(lambda text: (figures_in_text.read(text), comparative_words.find(text)))


class _Check:
    """Judges one page's blocks and marked elements into its report."""

    def __init__(self, page: str, verify: Verifier, waivers: Sequence[Waiver]) -> None:
        self.report = PageReport(page)
        self._waivers = Waivers(waivers)
        self._verify = verify

    def run(self, html: str) -> None:
        """Check the page's whole content, then whether its waivers were needed."""
        contents = contents_of(html)
        for content in contents:
            self._content(content)
        if not contents:
            reason = "has no content to check; build the site anew"
            self._fault(self.report.page, "the whole page", "page", reason)
        for waiver, reason in self._waivers.faults():
            self._fault(waiver.text, waiver.within or "front matter", "waiver", reason)

    def _fault(self, text: str, sentence: str, part: str, reason: str) -> None:
        self.report.faults.append(Orphan(self.report.page, text, sentence, part, reason))

    def _content(self, content: etree._Element) -> None:
        generated = self._verify.is_generated(self.report.page)
        captions = caption_check(self._verify) is not None
        reader = Reader(content, generated=generated, captions=captions)
        for block in reader.blocks:
            self._block(block)
        for marked in reader.marked:
            self.report.counts["bound"] += marked.part == "number"
            if reason := wrongness(marked, self._verify):
                self._fault(marked.name, text_around(marked.element), marked.part, reason)

    def _block(self, block: Block) -> None:
        reading, compared = _read(block.masked)
        self.report.counts["structural"] += len(reading.structural)
        for found in reading.figures:
            zone = block.zone(found.start, found.end)
            held = [name for bit, name in enumerate(ZONE_CLASSES) if zone >> bit & 1]
            self.report.counts[held[0] if held else self._bare(block, found)] += 1
        for found in compared:
            if not block.zone(found.start, found.end) & ~CHART:
                self._bare(block, found)

    def _bare(self, block: Block, found: Found) -> str:
        text = " ".join(found.text.split())
        sentence, cites = block.sentence(found.start)
        if cites:
            return "cited"
        if self._waivers.cover(text, sentence):
            return "waived"
        why = _WAY_OUT.get(found.shape, _BIND_OR_WAIVE)
        self.report.orphans.append(Orphan(self.report.page, text, sentence, found.shape, why))
        return "orphans"
