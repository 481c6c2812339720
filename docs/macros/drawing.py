"""Owns how a plot of counts becomes a scene, and the scene an SVG in a light or a dark scheme.

Does not cover which figures are plotted, nor the caption and the files (`charts`).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

WIDTH = 374.0
"""Points. At 360 px, less the page's margins, a text of 11 points is still 10 px high."""
EDGE, SIZE, LINE = 7.0, 11.0, 16.0
COUNT_ROOM = 52.0

ROLES = ("paper", "ink", "quiet", "grid", "strong", "tint")
SCHEMES = {
    scheme: dict(zip(ROLES, colours.split(), strict=True))
    for scheme, colours in {
        "light": "#ffffff #22252b #4d525c #d5d9df #1c5a9e #b4cfee",
        "dark": "#1e2129 #eceef2 #b3b8c4 #444956 #8ab9f5 #2f5484",
    }.items()
}

Kind = Literal["bars", "grid", "pairs", "dots"]
Decided = Literal["model", "harness", "mixed"]
Align = Literal["left", "center", "right"]
SHAPES: dict[Decided, str] = {"model": "o", "mixed": "D", "harness": "s"}
HATCHES: dict[Decided, str] = {"model": "", "mixed": "//", "harness": "////"}
DECIDED: dict[Decided, str] = {
    "model": "decided by the model's text",
    "mixed": "partly by the model, partly by the harness",
    "harness": "by the harness alone: no model score",
}


@dataclass(frozen=True)
class Mark:
    """One count as plotted; `interval` holds the ends of its whisker as shares, if it has one."""

    figure: str
    text: str
    successes: int
    n: int
    decided_by: Decided
    unsafe: bool
    interval: tuple[float, float] | None

    @property
    def share(self) -> float:
        """The count as a share of its n."""
        return self.successes / self.n


@dataclass(frozen=True)
class Row:
    """A label with its marks, in order of time; `cells` are passes and misses, run by run."""

    label: str
    marks: tuple[Mark, ...]
    cells: tuple[bool, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """Rows under one heading."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Plot:
    """All that a chart draws; equal plots give equal SVG."""

    name: str
    kind: Kind
    title: str
    sections: tuple[Section, ...]

    def rows(self) -> list[Row]:
        """Every row, in order."""
        return [row for section in self.sections for row in section.rows]

    def marks(self) -> list[Mark]:
        """Every mark, in order."""
        return [mark for row in self.rows() for mark in row.marks]

    def figures(self) -> list[str]:
        """Ids of the figures that are plotted, each once, in order."""
        ids = (i for row in self.rows() for i in (*(m.figure for m in row.marks), *row.also))
        return list(dict.fromkeys(ids))


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


def _dot(mark: Mark, x: float, y: float, size: float = 8.5) -> Dot:
    return Dot(x, y, SHAPES[mark.decided_by], size, "paper" if mark.unsafe else "strong", "strong")


def _whisker(mark: Mark, left: float, right: float, y: float) -> Iterator[Line]:
    if mark.interval is not None:
        low, high = (left + (right - left) * end for end in mark.interval)
        yield from _span(low, high, y)


def _span(low: float, high: float, y: float) -> Iterator[Line]:
    yield Line(low, y, high, y, "ink", 1.5)
    yield Line(low, y - 3.2, low, y + 3.2, "ink", 1.5)
    yield Line(high, y - 3.2, high, y + 3.2, "ink", 1.5)


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
        scene.add(_bar(left, y + 18, wide, mark.decided_by))
        whisker = list(_whisker(mark, left, right, y + 24.5))
        # A halo, so that the whisker stands out on the bar.
        scene.add(*(replace(line, colour="paper", width=4.0) for line in whisker), *whisker)
        spans.append((y + 15, y + 34))
        scene.y += 40
    _axis(scene, left, right, spans)


def _bar(x: float, y: float, width: float, decided: Decided) -> Box:
    fill = "paper" if decided == "harness" else "tint"
    return Box(x, y, width, 13, fill, "strong", HATCHES[decided])


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
            scene.add(*_whisker(mark, left, right, y))
        scene.add(*(_dot(mark, *end) for mark, end in zip(row.marks, ends, strict=True)))
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
            scene.add(*_whisker(mark, left, right, y))
            scene.add(_dot(mark, left + (right - left) * mark.share, y))
            scene.y += LINE
        scene.y += 6
    _axis(scene, left, right, spans)


def _grid(scene: Scene, plot: Plot) -> None:
    left, cell, step = 168.0, 14.0, 24.0
    runs = max(len(row.cells) for row in plot.rows())
    scene.add(Text(left - 12, scene.y + 8, "run", "right", "quiet"))
    for run in range(runs):
        x = left + step * run + cell / 2
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
                scene.add(_cell(x, scene.y + 2, cell, passed, row.marks[0].decided_by))
            scene.y += 19
        scene.y += 5


def _cell(x: float, y: float, side: float, passed: bool, decided: Decided) -> Item:
    if not passed:
        return Dot(x + side / 2, y + side / 2, "x", 6.5, "quiet", "quiet")
    if decided == "harness":
        return Box(x, y, side, side, "paper", "strong", HATCHES[decided])
    return Box(x, y, side, side, "strong", "strong")


def _legend(scene: Scene, plot: Plot) -> None:
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
        yield lambda x, y: [_cell(x - 7, y - 7, 14, True, "model")], "pass"
        yield lambda x, y: [_cell(x - 7, y - 7, 14, False, "model")], "miss"
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
    bar = Line(x - 5, y - 3.5, x + 5, y + 3.5, "tint", 4.0)
    return [bar, _circle(x - 6, y - 4, "strong"), _circle(x + 6, y + 4, "strong")]


def _circle(x: float, y: float, fill: str) -> Dot:
    return Dot(x, y, "o", 8.5 if fill == "paper" else 7.0, fill, "strong")


def _decided_sign(kind: Kind, decided: Decided, words: str) -> Iterator[tuple[Signs, str]]:
    if kind == "bars":
        yield lambda x, y: [_bar(x - 9, y - 6.5, 18, decided)], words
    elif kind == "grid" and decided == "harness":
        yield lambda x, y: [_cell(x - 7, y - 7, 14, True, decided)], f"pass {words}"
    elif kind != "grid":
        yield lambda x, y: [Dot(x, y, SHAPES[decided], 8.5, "strong", "strong")], words


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
    _legend(scene, plot)
    return scene


def size_px(plot: Plot) -> tuple[int, int]:
    """Natural width and height in CSS pixels."""
    return round(WIDTH * 4 / 3), round(scene_of(plot).y * 4 / 3)


def figure_of(scene: Scene, scheme: str) -> Any:
    """The scene as a matplotlib figure without pyplot's global state."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH / 72, scene.y / 72), dpi=72)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(scene.y, 0))
    axes.set_axis_off()
    for order, item in enumerate(scene.items):
        axes.add_artist(_artist(item, SCHEMES[scheme], order))
    return figure


def _artist(item: Item, colours: dict[str, str], order: int) -> Any:
    from matplotlib import get_data_path
    from matplotlib.font_manager import FontProperties
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle
    from matplotlib.text import Text as Words

    if isinstance(item, Text):
        # The file that matplotlib brings along, for another machine may hold another version.
        name = "DejaVuSans-Bold.ttf" if item.bold else "DejaVuSans.ttf"
        font = FontProperties(fname=Path(get_data_path()) / "fonts" / "ttf" / name, size=SIZE)
        return Words(item.x, item.y, item.words, color=colours[item.colour], zorder=order,
                     fontproperties=font, ha=item.align, va="center_baseline",
                     parse_math=False)  # fmt: skip
    if isinstance(item, Line):
        return Line2D([item.x0, item.x1], [item.y0, item.y1], color=colours[item.colour],
                      linewidth=item.width, solid_capstyle="butt", zorder=order)  # fmt: skip
    if isinstance(item, Box):
        return Rectangle((item.x, item.y), item.width, item.height, hatch=item.hatch,
                         facecolor=colours[item.fill], edgecolor=colours[item.edge],
                         linewidth=1.2, zorder=order)  # fmt: skip
    return Line2D([item.x], [item.y], marker=item.shape, markersize=item.size, zorder=order,
                  markerfacecolor=colours[item.fill], markeredgecolor=colours[item.edge],
                  markeredgewidth=1.8, linestyle="none")  # fmt: skip


def svg(plot: Plot, scheme: str) -> str:
    """The plot as SVG text, the same bytes for the same plot, scheme and matplotlib."""
    import matplotlib

    out = io.StringIO()
    with matplotlib.rc_context():
        # A reader's own matplotlibrc must not show.
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.hashsalt"] = f"{plot.name}-{scheme}"
        matplotlib.rcParams["svg.fonttype"] = "path"
        figure = figure_of(scene_of(plot), scheme)
        about = {"Date": None, "Creator": None, "Title": plot.title}
        figure.savefig(out, format="svg", transparent=True, metadata=about)
    return out.getvalue()
