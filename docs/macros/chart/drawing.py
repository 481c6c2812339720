"""Owns how a scene becomes an SVG, by matplotlib, in a light or a dark scheme.

Does not cover how a plot becomes a scene (`plot_layout`) nor where the SVG is kept (`charts`).
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from docs.macros.chart.plot import Plot
from docs.macros.chart.plot_layout import scene_of
from docs.macros.chart.scene import SIZE, WIDTH, Box, Item, Line, Scene, Text

MODULES = ("plot", "scene", "signs", "plot_layout", "drawing")
"""All whose code decides how a plot comes out; a drawn chart is kept as long as they stay."""

ROLES = ("paper", "ink", "quiet", "grid", "strong", "tint")
SCHEMES = {
    scheme: dict(zip(ROLES, colours.split(), strict=True))
    for scheme, colours in {
        "light": "#ffffff #22252b #4d525c #d5d9df #1c5a9e #b4cfee",
        "dark": "#1e2129 #eceef2 #b3b8c4 #444956 #8ab9f5 #2f5484",
    }.items()
}


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
