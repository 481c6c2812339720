"""Owns the signs that a plot speaks in, and the legend that says what each means.

Does not cover where they stand in a plot (`plot_layout`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from docs.macros.chart.plot import Decided, Kind, Mark, Plot
from docs.macros.chart.scene import EDGE, LINE, Box, Dot, Item, Line, Scene, Text

SHAPES: dict[Decided, str] = {"model": "o", "mixed": "D", "harness": "s"}
HATCHES: dict[Decided, str] = {"model": "", "mixed": "//", "harness": "////"}
DECIDED: dict[Decided, str] = {
    "model": "decided by the model's text",
    "mixed": "partly by the model, partly by the harness",
    "harness": "by the harness alone: no model score",
}


def dot(mark: Mark, x: float, y: float) -> Dot:
    """A count as a point: its shape tells who decided, hollow tells unsafe."""
    return Dot(x, y, SHAPES[mark.decided_by], 8.5, "paper" if mark.unsafe else "strong", "strong")


def whisker(mark: Mark, left: float, right: float, y: float) -> Iterator[Line]:
    """The interval of a mark, if it has one, on a scale from left to right."""
    if mark.interval is not None:
        low, high = (left + (right - left) * end for end in mark.interval)
        yield from _span(low, high, y)


def _span(low: float, high: float, y: float) -> Iterator[Line]:
    yield Line(low, y, high, y, "ink", 1.5)
    yield Line(low, y - 3.2, low, y + 3.2, "ink", 1.5)
    yield Line(high, y - 3.2, high, y + 3.2, "ink", 1.5)


def bar(x: float, y: float, width: float, decided: Decided) -> Box:
    """A share as a bar, hatched as far as the harness decided."""
    fill = "paper" if decided == "harness" else "tint"
    return Box(x, y, width, 13, fill, "strong", HATCHES[decided])


def cell(x: float, y: float, side: float, passed: bool, decided: Decided) -> Item:
    """A single run: a square is a pass, a cross a miss."""
    if not passed:
        return Dot(x + side / 2, y + side / 2, "x", 6.5, "quiet", "quiet")
    if decided == "harness":
        return Box(x, y, side, side, "paper", "strong", HATCHES[decided])
    return Box(x, y, side, side, "strong", "strong")


def legend(scene: Scene, plot: Plot) -> None:
    """What each sign means that this plot uses, and no other."""
    scene.y += 6
    for signs, words in _signs(plot):
        scene.add(*signs(EDGE + 9, scene.y + 8))
        scene.add(Text(EDGE + 26, scene.y + 8, words, colour="quiet"))
        scene.y += LINE
    scene.y += EDGE - 2


Signs = Callable[[float, float], Iterable[Item]]


def _signs(plot: Plot) -> Iterator[tuple[Signs, str]]:
    marks = plot.marks()
    if plot.kind == "grid":
        yield lambda x, y: [cell(x - 7, y - 7, 14, True, "model")], "pass"
        yield lambda x, y: [cell(x - 7, y - 7, 14, False, "model")], "miss"
    if plot.kind == "pairs":
        yield _change_sign, "before, on top, to after, below"
    for decided, words in DECIDED.items():
        if any(m.decided_by == decided for m in marks):
            yield from _decided_sign(plot.kind, decided, words)
    if plot.kind in ("pairs", "dots") and any(m.unsafe for m in marks):
        yield lambda x, y: [_circle(x, y, "paper")], "hollow: unsafe, says the source"
    if any(m.interval for m in marks):
        yield lambda x, y: _span(x - 8.5, x + 8.5, y), "interval; its method is in the caption"


def _change_sign(x: float, y: float) -> list[Item]:
    change = Line(x - 5, y - 3.5, x + 5, y + 3.5, "tint", 4.0)
    return [change, _circle(x - 6, y - 4, "strong"), _circle(x + 6, y + 4, "strong")]


def _circle(x: float, y: float, fill: str) -> Dot:
    return Dot(x, y, "o", 8.5 if fill == "paper" else 7.0, fill, "strong")


def _decided_sign(kind: Kind, decided: Decided, words: str) -> Iterator[tuple[Signs, str]]:
    if kind == "bars":
        yield lambda x, y: [bar(x - 9, y - 6.5, 18, decided)], words
    elif kind == "grid" and decided == "harness":
        yield lambda x, y: [cell(x - 7, y - 7, 14, True, decided)], f"pass {words}"
    elif kind != "grid":
        yield lambda x, y: [Dot(x, y, SHAPES[decided], 8.5, "strong", "strong")], words
