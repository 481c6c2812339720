"""Owns the contrast of text as the browser computes it, by the formula of WCAG 2.

Does not cover text over images or gradients, nor which texts must be read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

ENOUGH = 4.5
Colour = tuple[float, float, float, float]
WHITE: Colour = (255.0, 255.0, 255.0, 1.0)

# Each text once per look: its own colour, the colour of its mark, the grounds from the element
# outwards, and the opacity of the whole stack.
_COLLECT = """selector => {
  const looks = new Map();
  for (const element of document.querySelectorAll(selector)) {
    const owns = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    const style = getComputedStyle(element);
    if (!owns || style.display === 'none') continue;
    const grounds = [];
    let opacity = 1;
    for (let node = element; node; node = node.parentElement) {
      const own = getComputedStyle(node);
      grounds.push(own.backgroundColor);
      opacity *= Number(own.opacity);
    }
    const text = element.textContent.trim().slice(0, 40);
    const colours = [[style.color, '']];
    for (const part of ['::before', '::after']) {
      const mark = getComputedStyle(element, part);
      if (!['none', 'normal'].includes(mark.content)) colours.push([mark.color, part]);
    }
    for (const [colour, part] of colours) {
      const look = { text: `${element.className || element.tagName}${part} "${text}"`,
        colour, grounds, opacity };
      looks.set(JSON.stringify([colour, grounds, opacity]), look);
    }
  }
  return [...looks.values()];
}"""


@dataclass(frozen=True)
class Look:
    """One look of a text: where it was seen, and its contrast against its ground (1 to 21)."""

    text: str
    contrast: float


def colour(computed: str) -> Colour:
    """A computed `rgb()` or `rgba()` as red, green, blue (0 to 255) and alpha (0 to 1)."""
    if not re.fullmatch(r"rgba?\([\d.,\s]+\)", computed):
        raise ValueError(f"colour {computed!r} is no rgb() or rgba(): teach contrast.py its form")
    red, green, blue, *alpha = (float(part) for part in re.findall(r"[\d.]+", computed))
    return red, green, blue, alpha[0] if alpha else 1.0


def over(top: Colour, ground: Colour) -> Colour:
    """A colour laid over an opaque ground."""
    share = top[3]
    red, green, blue = (share * a + (1 - share) * b for a, b in zip(top[:3], ground, strict=False))
    return red, green, blue, 1.0


def luminance(of: Colour) -> float:
    """Relative luminance of an opaque colour, 0 (black) to 1 (white)."""
    parts = [part / 255 for part in of[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(text: str, grounds: Sequence[str], opacity: float = 1.0) -> float:
    """Contrast of a computed text colour, 1 to 21; `grounds` go from the text outwards."""
    ground = WHITE
    for layer in reversed(grounds):
        ground = over(colour(layer), ground)
    red, green, blue, alpha = colour(text)
    seen = over((red, green, blue, alpha * opacity), ground)
    low, high = sorted((luminance(seen), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


def looks(page: Page, selector: str) -> list[Look]:
    """Every different look of the texts and marks that a CSS selector finds in the page."""
    return [
        Look(raw["text"], contrast(raw["colour"], raw["grounds"], raw["opacity"]))
        for raw in page.evaluate(_COLLECT, selector)
    ]
