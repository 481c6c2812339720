"""Owns where the sentences of a text begin and end.

Does not cover what stands in one (`figures_in_text`, `comparative_words`).
"""

from __future__ import annotations

import re

from docs.macros.orphan.masks import BOUND, CITE, CODE

_STOP = re.compile(
    rf"[.!?]+[\"'\u2019\u201d)\]]*(?:\s?{CITE}+)*\s+(?=[\"'\u2018\u201c(\[]?[A-Z\d{BOUND}{CODE}])"
)
_ABBREVIATED = re.compile(
    r"(?<![\w.])(?:(?i:e\.g|i\.e|vs|al|cf|ca|approx|dr|prof|resp|incl)|[A-Z]"
    r"|(?P<numbered>(?i:no|figs?|eqs?|sec|vol|pp?|ch)))$"
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of a text's sentences; they leave no gap.

    A full stop ends one before a space and a capital, a digit or a laid-over mark; a citation
    that follows the stop belongs to the sentence before it.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _STOP.finditer(text):
        if text[match.start()] == "." and _abbreviated(text, match):
            continue
        spans.append((start, match.end()))
        start = match.end()
    spans.append((start, len(text)))
    return spans


def _abbreviated(text: str, stop: re.Match[str]) -> bool:
    match = _ABBREVIATED.search(text[max(0, stop.start() - 8) : stop.start()])
    if match is None or match["numbered"] is None:
        return match is not None
    return text[stop.end() : stop.end() + 1].isdigit()
