"""Owns what a drawing is made of: texts, lines, boxes and dots at their places, in points.

Does not cover where a plot puts them (`plot_layout`) nor how they become an SVG (`drawing`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

WIDTH = 374.0
"""Points. At 360 px, less the page's margins, a text of 11 points is still 10 px high."""
EDGE, SIZE, LINE = 7.0, 11.0, 16.0

Align = Literal["left", "center", "right"]


@dataclass(frozen=True)
class Text:
    """Words at a point; `y` is the middle of the line."""

    x: float
    y: float
    words: str
    align: Align = "left"
    colour: str = "ink"
    bold: bool = False


@dataclass(frozen=True)
class Line:
    """A straight line."""

    x0: float
    y0: float
    x1: float
    y1: float
    colour: str
    width: float = 1.0


@dataclass(frozen=True)
class Box:
    """A rectangle from its top left corner."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: str
    hatch: str = ""


@dataclass(frozen=True)
class Dot:
    """A marker: o round, s square, D diamond, x cross."""

    x: float
    y: float
    shape: str
    size: float
    fill: str
    edge: str


Item = Text | Line | Box | Dot


@dataclass
class Scene:
    """Items in points, y downwards; `y` is how far down the scene has grown."""

    items: list[Item] = field(default_factory=list)
    y: float = EDGE

    def add(self, *items: Item) -> None:
        """Append items, drawn in this order."""
        self.items += items
