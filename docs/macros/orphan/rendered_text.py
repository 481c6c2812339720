"""Owns how a rendered page is read: its text block by block, and the elements to verify.

Does not cover figures (`figures_in_text`) nor the verdict on what is found (`orphans`). Bound
numbers, citations and code are laid over with marks; zones tell where else a figure may stand.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import etree

from docs.macros.orphan.masks import BOUND, CITE, CODE
from docs.macros.orphan.sentences import sentence_spans

# Where a figure may stand, one bit each, with the class it is counted in.
TABLE, CLAIM, CHART, GENERATED, REFERENCE = 1, 2, 4, 8, 16
ZONE_CLASSES = ("in tables", "in claims", "in charts", "generated", "cited")
_SKIPPED_TAGS = frozenset(("script", "style", "pre", "nav", "template", "noscript"))
_SKIPPED_CLASSES = frozenset(("headerlink", "footnote-ref", "footnote-backref"))
_INLINE_TAGS = (
    "a abbr b bdi bdo br button cite code data del dfn em font i img input ins kbd label mark q s"
    " samp small span strong sub sup time u var wbr"
)
_INLINE = frozenset(_INLINE_TAGS.split())
_BLANKS = re.compile(r"[\t\r\n\f][ \t\r\n\f]*|  [ \t\r\n\f]*")


class Marked(NamedTuple):
    """An element that must be verified: which part of a page it is, and what faults call it."""

    part: str
    name: str
    element: etree._Element


def contents_of(html: str) -> list[etree._Element]:
    """Return the elements that hold a page's content; none if there is nothing to read."""
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    root = etree.fromstring(html.encode("utf-8"), parser) if html.strip() else None
    if root is None:
        return []
    articles = [e for e in root.iter("article") if "md-content__inner" in classes_of(e)]
    return articles or [*root.iter("main")][:1] or [*root.iter("body")][:1]


def classes_of(element: etree._Element) -> list[str]:
    """Return an element's classes."""
    return element.get("class", "").split()


def text_of(element: etree._Element) -> str:
    """Return all text of an element, its blanks made single."""
    words = str(element.xpath("string()")) if len(element) else element.text
    return " ".join((words or "").split())


def text_around(element: etree._Element) -> str:
    """Return the text of the nearest element, outwards, that is not set within a line."""
    out = (element, *element.iterancestors())
    return next(text_of(e) for e in out if e.tag not in _INLINE)


class Block:
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
        start, end = next(span for span in sentence_spans(self.masked) if at < span[1])
        return " ".join(self.shown[start:end].split()), CITE in self.masked[start:end]


class Reader:
    """Cuts the content into blocks, and collects the elements that must be verified."""

    def __init__(self, content: etree._Element, *, generated: bool, captions: bool) -> None:
        self.blocks: list[Block] = []
        self.marked: list[Marked] = []
        self._pieces: list[tuple[str, str, int]] = []
        self._generated, self._captions = generated, captions
        self._walk(content, 0)

    def _flush(self) -> None:
        if self._pieces:
            self.blocks.append(Block(self._pieces))
            self._pieces = []

    def _say(self, text: str | None, zone: int, mask: str = "") -> None:
        said = _BLANKS.sub(" ", text) if text else ""
        if said.startswith(" ") and (not self._pieces or self._pieces[-1][0].endswith(" ")):
            said = said[1:]
        if said:
            self._pieces.append((said, mask * len(said) or said, zone))

    def _walk(self, element: etree._Element, zone: int) -> None:
        tag, classes = str(element.tag), classes_of(element)
        if self._whole(tag, element, classes, zone):
            return
        inline = tag in _INLINE
        if not inline:
            self._flush()
        if tag in _SKIPPED_TAGS or not _SKIPPED_CLASSES.isdisjoint(classes):
            return
        zone = self._zone(tag, element, classes, zone) if element.attrib else zone
        if tag == "caption" and not self._captions:
            zone &= ~TABLE
        self._say(element.text if tag != "br" else " ", zone)
        for child in element:
            self._walk(child, zone)
            self._say(child.tail, zone)
        if not inline:
            self._flush()

    def _whole(self, tag: str, element: etree._Element, classes: list[str], zone: int) -> bool:
        part = mask = ""
        if tag == "data" and "num" in classes:
            part, mask = "number", BOUND
        elif tag == "a" and "cite" in classes:
            part, mask = "citation", CITE
        elif tag in ("code", "kbd"):
            mask = CODE
        elif tag == "img":
            for words in (element.get("alt", ""), element.get("title", "")):
                self.blocks.append(Block([(words, words, zone)]))
        elif "macro-error" in classes:
            part = "error box"
        text = text_of(element) if part or mask else ""
        if part:
            self.marked.append(Marked(part, text, element))
        self._say(text if mask else "", zone, mask)
        return bool(part or mask)

    def _zone(self, tag: str, element: etree._Element, classes: list[str], zone: int) -> int:
        if tag == "table" and (src := element.get("data-src")) is not None:
            self.marked.append(Marked("table", src, element))
            zone |= TABLE
        if (claim_id := element.get("data-claim")) is not None:
            self.marked.append(Marked("claim", claim_id, element))
            zone |= CLAIM
        if tag == "figure" and "chart" in classes and element.get("data-figures", "").strip():
            zone |= CHART
        if self._generated and element.get("data-generated") is not None:
            zone |= GENERATED
        if "reference" in classes and element.get("id", "").startswith("ref-"):
            zone |= REFERENCE
        return zone
