"""Owns the charts by name: each as it stands in a page, and its files, drawn once and then cached.

Does not cover what is plotted (`record_plots`, `before_after`), told (`chart_captions`) or drawn
(`plot_layout`, `drawing`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from html import escape, unescape
from importlib.metadata import version
from pathlib import Path

from docs.macros.chart import drawing, record_plots
from docs.macros.chart.before_after import before_after
from docs.macros.chart.chart_captions import alt_text, caption
from docs.macros.chart.plot import Plot
from docs.macros.chart.plot_layout import size_px
from docs.macros.page import Fault, Fragment, MacroError, PageContext
from docs.macros.site import Site


@dataclass(frozen=True)
class Chart:
    """What a chart plots, and what its caption says of its form."""

    plot: Callable[[Site], Plot]
    form: str


CHARTS: dict[str, Chart] = {
    "tiers": Chart(record_plots.tiers, "A bar is the share of the runs of a tier that worked."),
    "six-runs": Chart(
        record_plots.six_runs,
        "Rows are cases, sorted by tier; columns are runs, in order. A square is a pass, a cross "
        "a miss. No interval is drawn: every single run is shown.",
    ),
    "before-after": Chart(
        before_after,
        "Each row leads from the share before a change, on top, to the share after it, below.",
    ),
    "wall": Chart(
        record_plots.wall,
        "A mark is the share of runs that worked, over all cases of the tier and then by case.",
    ),
}


def plot_of(site: Site, name: str) -> Plot:
    """What a chart plots; MacroError on an unknown name or a figure that cannot be plotted."""
    if name not in CHARTS:
        near = site.record.nearest(name, CHARTS)
        tail = f"did you mean {near!r}?" if near else f"there are {', '.join(CHARTS)}"
        raise MacroError(f"no chart {name!r}; {tail}")
    return CHARTS[name].plot(site)


def _path(name: str, scheme: str) -> str:
    return f"assets/charts/{name}-{scheme}.svg"


def chart(page: PageContext, name: str) -> Fragment:
    """A chart by name, with its alt text, caption and data; MacroError naming the nearest name."""
    plot = plot_of(page.site, name)
    for figure_id in plot.figures():
        page.quote(figure_id)
    alt, told = alt_text(plot), caption(page, plot, CHARTS[name].form)
    width, height = size_px(plot)
    # The scheme that is not shown is not displayed at all, so that each image needs the words.
    images = "".join(
        f'<img class="chart__{scheme}" src="{page.root}{_path(name, scheme)}" '
        f'alt="{escape(alt)}" width="{width}" height="{height}" loading="lazy">'
        for scheme in drawing.SCHEMES
    )
    words = re.sub(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', r"[\2](\1)", told)
    words = unescape(re.sub(r"<[^>]+>", "", re.sub(r"</?b>", "**", words)))
    return Fragment(
        f'<figure class="chart" id="chart-{name}" data-figures="{" ".join(plot.figures())}">'
        f"{images}<figcaption>{told}</figcaption></figure>",
        f"![{alt}]({page.root}{_path(name, 'light')})\n\n{words}",
    )


@lru_cache(maxsize=1)
def _code() -> str:
    """Hash of the code that draws, so that a change of it empties no cache and misses it."""
    paths = (Path(__file__).with_name(f"{name}.py") for name in drawing.MODULES)
    source = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return hashlib.sha256(f"{version('matplotlib')}\n{source}".encode()).hexdigest()


def cache_file(site: Site, plot: Plot, scheme: str) -> Path:
    """Where the drawn chart is kept: its name is a hash of the plotted data and the code."""
    key = json.dumps([asdict(plot), scheme, _code()], sort_keys=True)
    return site.root / ".cache" / "charts" / f"{hashlib.sha256(key.encode()).hexdigest()}.svg"


def _drawn(site: Site, plot: Plot, scheme: str) -> str:
    path = cache_file(site, plot, scheme)
    if path.exists():
        return path.read_text(encoding="utf-8")
    text = drawing.svg(plot, scheme)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Whole or not at all: a build that is cut off must not leave half a chart behind.
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(text, encoding="utf-8", newline="\n")
    part.replace(path)
    return text


def files(site: Site) -> dict[str, str]:
    """Every chart in both schemes: path under the site to SVG text.

    A chart that cannot be drawn is noted among the site's faults.
    """
    out: dict[str, str] = {}
    for name in CHARTS:
        try:
            plot = plot_of(site, name)
        except MacroError as error:
            site.faults.append(Fault("docs/macros/chart/charts.py", 1, f"chart {name!r}: {error}"))
            continue
        for scheme in drawing.SCHEMES:
            out[_path(name, scheme)] = _drawn(site, plot, scheme)
    return out
