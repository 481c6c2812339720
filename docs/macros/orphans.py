"""Owns the check that no figure and no comparison stands in a rendered page without the record.

Does not cover what counts as a figure (`figures_in_text`), nor the record itself, which a
`Verifier` answers for; it follows no link and does not read the `value` of a number.

A figure may stand as a bound number; in a record table, a claim or a chart; in a part that the
program wrote on a page that it makes; in a sentence that cites; in a reference entry; as a
structural form; by a waiver. A footnote's mark is no figure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from lxml import etree

from docs.macros import figures_in_text as figures

MOST_WAIVERS, SHORTEST_REASON = 30, 10
# Where a figure may stand, one bit each, with the class it is counted in.
_TABLE, _CLAIM, _CHART, _GENERATED, _REFERENCE = 1, 2, 4, 8, 16
_ZONE_CLASSES = ("in tables", "in claims", "in charts", "generated", "cited")
CLASSES = ("bound", *_ZONE_CLASSES, "structural", "waived", "orphans")
_BIND = "is not bound to the record; use the number macro, or cite in its sentence"
_BIND_OR_WAIVE = f"{_BIND}, or reword it, or waive it in the front matter"
_CLAIM_IT = "compares outside a claim; use the claim macro, or cite in its sentence, or reword it"
_WAY_OUT = {figures.FRACTION: _BIND, figures.PERCENTAGE: _BIND, figures.COMPARISON: _CLAIM_IT}
_SKIPPED_TAGS = frozenset(("script", "style", "pre", "nav", "template", "noscript"))
_SKIPPED_CLASSES = frozenset(("headerlink", "footnote-ref", "footnote-backref"))
_INLINE_TAGS = (
    "a abbr b bdi bdo br button cite code data del dfn em font i img input ins kbd label mark q s"
    " samp small span strong sub sup time u var wbr"
)
_INLINE = frozenset(_INLINE_TAGS.split())
_BLANKS = re.compile(r"[\t\r\n\f][ \t\r\n\f]*|  [ \t\r\n\f]*")
_WIDTH = 140


class Verifier(Protocol):
    """Answers for the record; an empty string means that all is well, another gives the reason.

    Texts reach it with their blanks made single, no-break spaces too. It may also have a method
    `caption_ok(src, caption) -> str`; without it a record table's caption counts as ordinary text.
    """

    def number_ok(self, figure_id: str, src: str, shown: str) -> str:
        """Compare a number as shown with the figure that it names."""

    def table_ok(self, src: str, rows: list[list[str]]) -> str:
        """Compare the texts of the cells, header row first, with the table of the record."""

    def claim_ok(self, claim_id: str, verdict_class: str) -> str:
        """Compare a claim's class, such as `claim--as-stated`, with its comparison's verdict."""

    def is_generated(self, page: str) -> bool:
        """Tell whether the program makes this page, so that `data-generated` counts on it."""


@dataclass(frozen=True)
class Waiver:
    """Lets one text stand unbound on a page; `within` are words that its sentence must hold."""

    text: str
    reason: str
    within: str = ""


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
        compared = sum(fault.shape == figures.COMPARISON for fault in found)
        totals = (
            f"{len(self.pages)} pages, {counts.total()} figures found: {classes}; {compared} "
            f"comparisons bare, {len(found) - compared - counts['orphans']} other faults"
        )
        return [*(fault.line() for fault in found), totals]


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
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    root = etree.fromstring(html.encode("utf-8"), parser) if html.strip() else None
    parts = [] if root is None else _content(root)
    for part in parts:
        check.run(part)
    if not parts:
        check.fault(page, "the whole page", "page", "has no content to check; build the site anew")
    check.waivers.report(check)
    return check.report


def _content(root: etree._Element) -> list[etree._Element]:
    articles = [e for e in root.iter("article") if "md-content__inner" in _classes(e)]
    return articles or [*root.iter("main")][:1] or [*root.iter("body")][:1]


def _classes(element: etree._Element) -> list[str]:
    return element.get("class", "").split()


def _text(element: etree._Element) -> str:
    words = str(element.xpath("string()")) if len(element) else element.text
    return " ".join((words or "").split())


# Pages repeat their cells and labels; each is read once.
_read = lru_cache(20_000)(lambda text: (figures.read(text), figures.comparisons(text)))


class _Block:
    """A paragraph's worth of text; in `masked`, marks stand for what is accounted for."""

    def __init__(self, pieces: list[tuple[str, str, int]]) -> None:
        self._pieces = pieces
        shown, masked, _ = zip(*pieces, strict=True)
        self.shown, self.masked = "".join(shown), "".join(masked)

    def zone(self, start: int, end: int) -> int:
        """Return the zones in which the whole of a span stands."""
        common, at = -1, 0
        for shown, _, zone in self._pieces:
            if at < end and start < at + len(shown):
                common &= zone
            at += len(shown)
        return common

    def sentence(self, at: int) -> tuple[str, bool]:
        """Return the sentence around an offset, its blanks made single, and whether it cites."""
        start, end = next(span for span in figures.sentences(self.masked) if at < span[1])
        return " ".join(self.shown[start:end].split()), figures.CITE in self.masked[start:end]


class _Reader:
    """Cuts the content into blocks, and collects the elements that must be verified."""

    def __init__(self, content: etree._Element, *, generated: bool, captions: bool) -> None:
        self.blocks: list[_Block] = []
        self.marked: list[tuple[str, str, etree._Element]] = []
        self._pieces: list[tuple[str, str, int]] = []
        self._generated, self._captions = generated, captions
        self._walk(content, 0)

    def _flush(self) -> None:
        if self._pieces:
            self.blocks.append(_Block(self._pieces))
            self._pieces = []

    def _say(self, text: str | None, zone: int, mask: str = "") -> None:
        said = _BLANKS.sub(" ", text) if text else ""
        if said.startswith(" ") and (not self._pieces or self._pieces[-1][0].endswith(" ")):
            said = said[1:]
        if said:
            self._pieces.append((said, mask * len(said) or said, zone))

    def _walk(self, element: etree._Element, zone: int) -> None:
        tag, classes = str(element.tag), _classes(element)
        if self._whole(tag, element, classes, zone):
            return
        inline = tag in _INLINE
        if not inline:
            self._flush()
        if tag in _SKIPPED_TAGS or not _SKIPPED_CLASSES.isdisjoint(classes):
            return
        zone = self._zone(tag, element, classes, zone) if element.attrib else zone
        if tag == "caption" and not self._captions:
            zone &= ~_TABLE
        self._say(element.text if tag != "br" else " ", zone)
        for child in element:
            self._walk(child, zone)
            self._say(child.tail, zone)
        if not inline:
            self._flush()

    def _whole(self, tag: str, element: etree._Element, classes: list[str], zone: int) -> bool:
        part = mask = ""
        if tag == "data" and "num" in classes:
            part, mask = "number", figures.BOUND
        elif tag == "a" and "cite" in classes:
            part, mask = "citation", figures.CITE
        elif tag in ("code", "kbd"):
            mask = figures.CODE
        elif tag == "img":
            for words in (element.get("alt", ""), element.get("title", "")):
                self.blocks.append(_Block([(words, words, zone)]))
        elif "macro-error" in classes:
            part = "error box"
        text = _text(element) if part or mask else ""
        if part:
            self.marked.append((part, text, element))
        self._say(text if mask else "", zone, mask)
        return bool(part or mask)

    def _zone(self, tag: str, element: etree._Element, classes: list[str], zone: int) -> int:
        if tag == "table" and (src := element.get("data-src")) is not None:
            self.marked.append(("table", src, element))
            zone |= _TABLE
        if (claim_id := element.get("data-claim")) is not None:
            self.marked.append(("claim", claim_id, element))
            zone |= _CLAIM
        if tag == "figure" and "chart" in classes and element.get("data-figures", "").strip():
            zone |= _CHART
        if self._generated and element.get("data-generated") is not None:
            zone |= _GENERATED
        if "reference" in classes and element.get("id", "").startswith("ref-"):
            zone |= _REFERENCE
        return zone


class _Waivers:
    """A page's waivers: which are sound, and which were needed."""

    def __init__(self, waivers: Sequence[Waiver]) -> None:
        self._reasons = {waiver: _wrongness(waiver) for waiver in waivers}
        self._unused = set(waivers)

    def cover(self, text: str, sentence: str) -> bool:
        for waiver, wrong in self._reasons.items():
            fits = waiver.text == text and waiver.within.casefold() in sentence.casefold()
            if fits and not wrong:
                self._unused.discard(waiver)
                return True
        return False

    def report(self, check: _Check) -> None:
        for waiver, wrong in self._reasons.items():
            if wrong or waiver in self._unused:
                reason = wrong or "the waiver is not needed on this page; remove it"
                check.fault(waiver.text, waiver.within or "front matter", "waiver", reason)


def _wrongness(waiver: Waiver) -> str:
    if any(_WAY_OUT.get(found.shape) == _BIND for found in figures.find(waiver.text)):
        return "a fraction or a percentage cannot be waived; bind it, or cite in its sentence"
    if len(waiver.reason.strip()) < SHORTEST_REASON:
        return f"the waiver's reason has fewer than {SHORTEST_REASON} characters; say why it stands"
    return ""


class _Check:
    """Judges one page's blocks and marked elements into its report."""

    def __init__(self, page: str, verify: Verifier, waivers: Sequence[Waiver]) -> None:
        self.report = PageReport(page)
        self.waivers = _Waivers(waivers)
        self._verify = verify
        self._caption_ok: Callable[[str, str], str] | None = getattr(verify, "caption_ok", None)

    def fault(self, text: str, sentence: str, part: str, reason: str) -> None:
        self.report.faults.append(Orphan(self.report.page, text, sentence, part, reason))

    def run(self, content: etree._Element) -> None:
        generated = self._verify.is_generated(self.report.page)
        reader = _Reader(content, generated=generated, captions=self._caption_ok is not None)
        for block in reader.blocks:
            self._block(block)
        for part, name, element in reader.marked:
            self.report.counts["bound"] += part == "number"
            if reason := self._reason(part, element):
                out = (element, *element.iterancestors())
                self.fault(name, next(_text(e) for e in out if e.tag not in _INLINE), part, reason)

    def _block(self, block: _Block) -> None:
        reading, compared = _read(block.masked)
        self.report.counts["structural"] += len(reading.structural)
        for found in reading.figures:
            zone = block.zone(found.start, found.end)
            held = [name for bit, name in enumerate(_ZONE_CLASSES) if zone >> bit & 1]
            self.report.counts[held[0] if held else self._bare(block, found)] += 1
        for found in compared:
            if not block.zone(found.start, found.end) & ~_CHART:
                self._bare(block, found)

    def _bare(self, block: _Block, found: figures.Found) -> str:
        text = " ".join(found.text.split())
        sentence, cites = block.sentence(found.start)
        if cites:
            return "cited"
        if self.waivers.cover(text, sentence):
            return "waived"
        why = _WAY_OUT.get(found.shape, _BIND_OR_WAIVE)
        self.report.orphans.append(Orphan(self.report.page, text, sentence, found.shape, why))
        return "orphans"

    def _reason(self, part: str, element: etree._Element) -> str:
        if part == "error box":
            return "the page shows an error; mend the macro call that it names"
        if part == "citation":
            points = "#ref-" in element.get("href", "")
            return "" if points else "the mark points at no reference; use the cite macro"
        judge = {"number": self._number, "table": self._table, "claim": self._claim}[part]
        reason = judge(element)
        return f"{reason}; let the {part} macro write it anew" if reason else ""

    def _number(self, element: etree._Element) -> str:
        figure_id, src = element.get("data-id", ""), element.get("data-src", "")
        if not figure_id or not src:
            return "the number names no figure of the record (data-id and data-src)"
        if not any(link.get("href") for link in element.iterancestors("a")):
            return "the number stands outside a link to its replay entry"
        return self._verify.number_ok(figure_id, src, _text(element))

    def _table(self, element: etree._Element) -> str:
        src = element.get("data-src", "")
        if not src:
            return "the table names no table of the record"
        rows = [[_text(cell) for cell in row.iter("th", "td")] for row in element.iter("tr")]
        reason = self._verify.table_ok(src, rows)
        if self._caption_ok and not reason:
            reason = self._caption_ok(src, " ".join(map(_text, element.iter("caption"))))
        return reason

    def _claim(self, element: etree._Element) -> str:
        verdicts = [name for name in _classes(element) if name.startswith("claim--")]
        if not element.get("data-claim") or len(verdicts) != 1:
            return "the claim names no comparison, or not just one verdict"
        return self._verify.claim_ok(element.get("data-claim", ""), verdicts[0])
