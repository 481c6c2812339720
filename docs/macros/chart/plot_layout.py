"""Owns where each thing in a plot stands: a layout for every kind of plot, giving a scene.

Does not cover what a sign looks like (`signs`) nor its colours and its drawing (`drawing`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from docs.macros.chart.plot import Kind, Plot
from docs.macros.chart.scene import EDGE, LINE, WIDTH, Align, Line, Scene, Text
from docs.macros.chart.signs import bar, cell, dot, legend, whisker

COUNT_ROOM = 52.0


def _axis(scene: Scene, left: float, right: float, spans: list[tuple[float, float]]) -> None:
    """Grid lines over the spans (top, bottom), behind everything, and the scale below them."""
    aligns: dict[int, Align] = {0: "left", 2: "center", 4: "right"}
    for quarter in range(5):
        x = left + (right - left) * quarter / 4
        scene.items[:0] = [Line(x, top, x, bottom, "grid", 0.8) for top, bottom in spans]
        if quarter in aligns:
            words = f"{25 * quarter}%" + (" of runs" if quarter == 4 else "")
            scene.add(Text(x, scene.y + 9, words, aligns[quarter], "quiet"))
    scene.y += 18


def _bars(scene: Scene, plot: Plot) -> None:
    left, right, spans = EDGE, WIDTH - EDGE, []
    for row in plot.rows():
        mark, y = row.marks[0], scene.y
        scene.add(Text(left, y + 8, row.label))
        scene.add(Text(right, y + 8, mark.text, "right", bold=True))
        wide = (right - left) * mark.share
        scene.add(bar(left, y + 18, wide, mark.decided_by))
        lines = list(whisker(mark, left, right, y + 24.5))
        # A halo, so that the whisker stands out on the bar.
        scene.add(*(replace(line, colour="paper", width=4.0) for line in lines), *lines)
        spans.append((y + 15, y + 34))
        scene.y += 40
    _axis(scene, left, right, spans)


def _pairs(scene: Scene, plot: Plot) -> None:
    left, right, step, spans = EDGE + 5, WIDTH - EDGE - 5, 11.0, []
    for row in plot.rows():
        top = scene.y + 24
        scene.add(Text(EDGE, scene.y + 8, row.label))
        counts = " → ".join(mark.text for mark in row.marks)
        scene.add(Text(WIDTH - EDGE, scene.y + 8, counts, "right", bold=True))
        ends = [(left + (right - left) * m.share, top + step * i) for i, m in enumerate(row.marks)]
        for start, end in pairwise(ends):
            scene.add(Line(*start, *end, "tint", 4.0))
        for mark, (_, y) in zip(row.marks, ends, strict=True):
            scene.add(*whisker(mark, left, right, y))
        scene.add(*(dot(mark, *end) for mark, end in zip(row.marks, ends, strict=True)))
        scene.y = ends[-1][1] + 15
        spans.append((top - 8, scene.y - 7))
    _axis(scene, left, right, spans)


def _dots(scene: Scene, plot: Plot) -> None:
    left, right, spans = 128.0, WIDTH - EDGE - COUNT_ROOM, []
    for section in plot.sections:
        scene.add(Text(EDGE, scene.y + 8, section.title, bold=True))
        scene.y += LINE + 2
        spans.append((scene.y, scene.y + LINE * len(section.rows)))
        for row in section.rows:
            mark, y = row.marks[0], scene.y + 8
            scene.add(Text(EDGE + 8, y, row.label))
            scene.add(Text(WIDTH - EDGE, y, mark.text, "right", bold=True))
            scene.add(*whisker(mark, left, right, y))
            scene.add(dot(mark, left + (right - left) * mark.share, y))
            scene.y += LINE
        scene.y += 6
    _axis(scene, left, right, spans)


def _grid(scene: Scene, plot: Plot) -> None:
    left, side, step = 168.0, 14.0, 24.0
    runs = max(len(row.cells) for row in plot.rows())
    scene.add(Text(left - 12, scene.y + 8, "run", "right", "quiet"))
    for run in range(runs):
        x = left + step * run + side / 2
        scene.add(Text(x, scene.y + 8, str(run + 1), "center", "quiet"))
    scene.add(Text(WIDTH - EDGE, scene.y + 8, "passed", "right", "quiet"))
    scene.y += 22
    for section in plot.sections:
        scene.add(Line(EDGE, scene.y - 2.5, WIDTH - EDGE, scene.y - 2.5, "grid", 0.8))
        scene.add(Text(EDGE, scene.y + 9, section.title, bold=True))
        for row in section.rows:
            scene.add(Text(EDGE + 46, scene.y + 9, row.label))
            scene.add(Text(WIDTH - EDGE, scene.y + 9, row.marks[0].text, "right", bold=True))
            for run, passed in enumerate(row.cells):
                x = left + step * run
                scene.add(cell(x, scene.y + 2, side, passed, row.marks[0].decided_by))
            scene.y += 19
        scene.y += 5


_LAYOUTS: dict[Kind, Callable[[Scene, Plot], None]] = {
    "bars": _bars,
    "pairs": _pairs,
    "dots": _dots,
    "grid": _grid,
}


def scene_of(plot: Plot) -> Scene:
    """The plot laid out: every item in points, the scene's `y` its height. No matplotlib."""
    scene = Scene()
    _LAYOUTS[plot.kind](scene, plot)
    legend(scene, plot)
    return scene


def size_px(plot: Plot) -> tuple[int, int]:
    """Natural width and height in CSS pixels."""
    return round(WIDTH * 4 / 3), round(scene_of(plot).y * 4 / 3)
