"""Owns the waivers of a page: which text each lets stand, whether it is sound and was needed.

Does not cover the list of them that the site shows (`listing`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docs.macros.orphan.figures_in_text import FRACTION, PERCENTAGE, find

MOST_WAIVERS, SHORTEST_REASON = 30, 10


@dataclass(frozen=True)
class Waiver:
    """Lets one text stand unbound on a page; `within` are words that its sentence must hold."""

    text: str
    reason: str
    within: str = ""


class Waivers:
    """A page's waivers: which are sound, and which were needed."""

    def __init__(self, waivers: Sequence[Waiver]) -> None:
        self._reasons = {waiver: _wrongness(waiver) for waiver in waivers}
        self._unused = set(waivers)

    def cover(self, text: str, sentence: str) -> bool:
        """Whether a sound waiver lets the text stand; it counts as needed from then on."""
        for waiver, wrong in self._reasons.items():
            fits = waiver.text == text and waiver.within.casefold() in sentence.casefold()
            if fits and not wrong:
                self._unused.discard(waiver)
                return True
        return False

    def faults(self) -> Iterator[tuple[Waiver, str]]:
        """Yield each waiver that is not sound or was not needed, with the reason."""
        for waiver, wrong in self._reasons.items():
            if wrong or waiver in self._unused:
                yield waiver, wrong or "the waiver is not needed on this page; remove it"


def _wrongness(waiver: Waiver) -> str:
    if any(found.shape in (FRACTION, PERCENTAGE) for found in find(waiver.text)):
        return "a fraction or a percentage cannot be waived; bind it, or cite in its sentence"
    if len(waiver.reason.strip()) < SHORTEST_REASON:
        return f"the waiver's reason has fewer than {SHORTEST_REASON} characters; say why it stands"
    return ""
