"""Owns the truths about the charts: they show what the record holds, draw no interval that it does
not allow, tell all they draw in words, and come out the same, byte for byte, wherever drawn.

It does not cover how a page calls them, nor what counts as an unbound figure.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from matplotlib.transforms import Bbox

from docs.macros.chart import before_after, charts, drawing
from docs.macros.chart.chart_captions import alt_text
from docs.macros.chart.plot import Plot
from docs.macros.chart.plot_layout import scene_of
from docs.macros.chart.scene import WIDTH, Box, Dot, Text
from docs.macros.chart.signs import HATCHES
from docs.macros.orphan.orphans import check_html
from docs.macros.page import MacroError, PageContext
from docs.macros.site import Site
from docs.macros.verify import RecordVerifier
from measure.record.values import CountValue

PROJECT = Path(__file__).resolve().parent.parent
NAMES = tuple(charts.CHARTS)
REPAIRS = "day-of-repairs"


def copied(target: Path) -> Path:
    """The record and the bibliography in a folder of their own, to draw in or to break."""
    for part in ("data/published", "bib"):
        shutil.copytree(PROJECT / part, target / part)
    return target


def opened(root: Path) -> Site:
    site = Site(root)
    site.open()
    return site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The real record, with a cache of its own."""
    return opened(copied(tmp_path_factory.mktemp("charts")))


@pytest.fixture(scope="module")
def drawn(site: Site) -> dict[str, str]:
    """Every chart as drawn once."""
    return charts.files(site)


def changed(root: Path, experiment: str, edit: Callable[[dict[str, Any]], object]) -> Site:
    """A copy of the project whose figures of one experiment were edited."""
    path = copied(root) / "data" / "published" / f"{experiment}.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    edit(whole["figures"])
    path.write_text(json.dumps(whole), encoding="utf-8")
    return opened(root)


def revalue(figures: dict[str, Any], name: str, **value: Any) -> None:
    """Give a figure, and those that print the same fact, another value."""
    for figure in figures.values():
        if name in (figure["id"], figure.get("same_as")):
            figure["value"] = value


def page_of(site: Site) -> PageContext:
    return PageContext(site, "experiments/x.md", "experiments/x/")


def draw_elsewhere(root: Path, **environment: str) -> dict[str, Any]:
    """Draw in a new interpreter: the files, and whether matplotlib was imported for them."""
    code = (
        "import json, sys\nfrom pathlib import Path\nfrom docs.macros.chart import charts\n"
        "from docs.macros.site import Site\nsite = Site(Path(sys.argv[1]))\nsite.open()\n"
        "files = charts.files(site)\n"
        "print(json.dumps({'files': files, 'matplotlib': 'matplotlib' in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(root)],
        cwd=PROJECT,
        env=os.environ | {"PYTHONPATH": str(PROJECT), "PYTHONIOENCODING": "utf-8"} | environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_chart_is_drawn_in_both_schemes(drawn: dict[str, str]) -> None:
    """Each chart gives a light and a dark SVG under assets/charts/, and nothing else is made."""
    wanted = {f"assets/charts/{n}-{scheme}.svg" for n in NAMES for scheme in ("light", "dark")}
    assert set(drawn) == wanted
    assert all(text.startswith("<?xml") and "</svg>" in text for text in drawn.values())


def test_drawing_twice_gives_the_same_bytes(site: Site, drawn: dict[str, str]) -> None:
    """Drawn anew without the cache, each SVG is what it was."""
    for path, text in drawn.items():
        name, _, scheme = Path(path).stem.rpartition("-")
        assert drawing.svg(charts.plot_of(site, name), scheme) == text


def test_cached_charts_are_the_drawn_ones_and_need_no_matplotlib(
    site: Site, drawn: dict[str, str]
) -> None:
    """With the cache filled, another process serves the same text and never loads matplotlib."""
    again = draw_elsewhere(site.root)
    assert again == {"files": drawn, "matplotlib": False}


def test_a_fresh_cache_in_another_setting_gives_the_same_bytes(
    tmp_path: Path, drawn: dict[str, str]
) -> None:
    """Hash seed, time zone and a reader's own matplotlibrc leave no trace in the SVG."""
    own = tmp_path / "matplotlibrc"
    own.write_text("font.size: 30\nsvg.fonttype: none\nhatch.linewidth: 9\n", encoding="utf-8")
    root = copied(tmp_path / "project")
    again = draw_elsewhere(root, PYTHONHASHSEED="7", TZ="Asia/Tokyo", MATPLOTLIBRC=str(own))
    assert again == {"files": drawn, "matplotlib": True}


def test_a_changed_value_changes_data_bytes_and_cache_name(
    tmp_path: Path, site: Site, drawn: dict[str, str]
) -> None:
    """A run more or less in the record changes the plot, its SVG and its place in the cache."""

    name = "rep-tier.3-new-module.score"
    value = {"type": "count", "successes": 7, "n": 10, "unit": "runs", "as_printed": "7/10"}
    other = changed(tmp_path, REPAIRS, lambda figures: revalue(figures, name, **value))
    before, after = (charts.plot_of(s, "tiers") for s in (site, other))
    assert before != after
    assert (
        charts.cache_file(site, before, "dark").name != charts.cache_file(other, after, "dark").name
    )
    again = charts.files(other)
    assert {p for p in drawn if drawn[p] != again[p]} == {
        "assets/charts/tiers-light.svg",
        "assets/charts/tiers-dark.svg",
    }


@pytest.mark.parametrize("name", NAMES)
def test_plotted_counts_are_those_of_the_record(site: Site, name: str) -> None:
    """Each mark has the successes, n, safety and decision of the figure that it names."""
    marks = charts.plot_of(site, name).marks()
    assert marks
    for mark in marks:
        figure = site.record.figures[mark.figure]
        assert isinstance(figure.value, CountValue)
        assert (mark.successes, mark.n) == (figure.value.successes, figure.value.n)
        assert mark.unsafe == bool(figure.unsafe_before_2026_09_06)
        assert mark.decided_by == figure.decided_by


@pytest.mark.parametrize("name", NAMES)
def test_the_alt_text_holds_every_plotted_number(site: Site, name: str) -> None:
    """Both images say every count, and every end of a whisker, in the order of the rows."""
    html = charts.chart(page_of(site), name).html
    alts = [unescape(alt) for alt in re.findall(r' alt="([^"]*)"', html)]
    assert len(alts) == 2
    assert alts[0] == alts[1]
    at = 0
    for mark in charts.plot_of(site, name).marks():
        ends = [f"{100 * end:.0f}%" for end in mark.interval or ()]
        for number in (f"{mark.successes} / {mark.n}", *ends):
            at = alts[0].index(number, at) + len(number)


@pytest.mark.parametrize("name", NAMES)
def test_every_plotted_figure_is_on_the_page(site: Site, name: str) -> None:
    """The figure element lists the figures that it plots, and the page's twin holds them all."""
    page = page_of(site)
    html = charts.chart(page, name).html
    listed = re.findall(r'data-figures="([^"]+)"', html)[0].split()
    plot = charts.plot_of(site, name)
    assert listed == plot.figures() == list(page.numbers)
    assert {mark.figure for mark in plot.marks()} <= set(listed)
    assert f'<figure class="chart" id="chart-{name}"' in html


@pytest.mark.parametrize("name", NAMES)
def test_a_page_with_a_chart_has_no_unbound_number(site: Site, name: str) -> None:
    """Caption and alt text pass the check of the pages: no orphan, no comparison, no fault."""
    html = f"<body><main>{charts.chart(page_of(site), name).html}</main></body>"
    report = check_html(html, "experiments/x/", RecordVerifier(site))
    assert [fault.line() for fault in (*report.orphans, *report.faults)] == []
    bare = html.replace("data-figures", "data-none").replace("data-generated", "data-none")
    assert check_html(bare, "experiments/x/", RecordVerifier(site)).orphans


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_replay_csv_and_json_of_what_is_plotted(site: Site, name: str) -> None:
    """Each table that a plotted figure stands in is linked: replay page, CSV, JSON."""
    fragment = charts.chart(page_of(site), name)
    for figure_id in charts.plot_of(site, name).figures():
        experiment = site.record.experiment_of[figure_id]
        table = site.record.figures[figure_id].table
        for href in (f"replay/{experiment}/#", f"data/tables/{table}.csv", f"{experiment}.json"):
            assert href in fragment.html
            assert href in fragment.markdown


@pytest.mark.parametrize("name", NAMES)
def test_no_interval_stands_where_none_is_allowed(site: Site, name: str) -> None:
    """Nothing that the harness decided, and nothing without one in the record, has a whisker."""
    for mark in charts.plot_of(site, name).marks():
        figure = site.record.figures[mark.figure]
        if figure.decided_by == "harness" or figure.interval is None:
            assert mark.interval is None
        elif mark.interval:
            assert mark.interval == (figure.interval.lower, figure.interval.upper)


def test_a_change_has_intervals_at_all_stages_or_at_none(site: Site) -> None:
    """Before and after have whiskers only if all stages are repeats of a single case."""
    seen = set()
    for row in charts.plot_of(site, "before-after").rows():
        figures = [site.record.figures[m.figure] for m in row.marks]
        single = all(m.n == f.repeats for m, f in zip(row.marks, figures, strict=True))
        allowed = single and all(f.repeats and f.repeats > 1 and f.interval for f in figures)
        assert {m.interval is not None for m in row.marks} == {bool(allowed)}, row.label
        seen.add(bool(allowed))
    assert seen == {True, False}


def test_the_caption_says_why_a_change_has_no_interval(site: Site) -> None:
    """Each row without whiskers is named with its reason, and no row with whiskers is."""
    caption = unescape(charts.chart(page_of(site), "before-after").html.partition("figcaption")[2])
    said = " ".join(re.findall(r"No whisker on [^:]*(?::\w[^:]*)*: ", caption))
    for row in charts.plot_of(site, "before-after").rows():
        assert (f"“{row.label}”" in said) == (row.marks[0].interval is None)
    assert before_after.CASES in caption
    assert before_after.NO_REPEATS in caption
    assert before_after.HARNESS not in caption


def test_a_row_that_the_harness_decides_loses_its_intervals(tmp_path: Path) -> None:
    """If a stage becomes the harness's, the whole row has no whisker and says so."""

    def edit(figures: dict[str, Any]) -> None:
        figures["rep-drop.after.runs"] |= {"decided_by": "harness", "interval": None}

    site = changed(tmp_path, REPAIRS, edit)
    rows = {row.label: row for row in charts.plot_of(site, "before-after").rows()}
    row = next(row for label, row in rows.items() if label.startswith("Subject deleted"))
    assert [mark.interval for mark in row.marks] == [None, None]
    assert before_after.HARNESS in charts.chart(page_of(site), "before-after").html
    squares = [i for i in scene_of(charts.plot_of(site, "before-after")).items
               if isinstance(i, Dot) and i.shape == "s"]  # fmt: skip
    assert len(squares) == 2, "one mark and its sign in the legend"


def test_an_interval_on_a_harness_figure_is_not_drawn(tmp_path: Path) -> None:
    """Even if the record gave a figure of the harness an interval, no chart would draw it."""
    ends = {"lower": 0.5, "upper": 0.9, "level": 0.95, "method": "Wilson"}
    name = "rep-tier.4-test-for-existing-code.score"
    site = changed(tmp_path, REPAIRS, lambda figures: figures[name].update(interval=ends))
    assert site.record.figures[name].interval is not None
    marks = {mark.figure: mark for mark in charts.plot_of(site, "tiers").marks()}
    assert marks[name].interval is None


def test_what_the_harness_decided_is_hatched_and_said(site: Site) -> None:
    """The bar of a tier without a model score is hatched in full, and the words name it."""
    plot = charts.plot_of(site, "tiers")
    boxes = [i for i in scene_of(plot).items if isinstance(i, Box)]
    hatches = [HATCHES[mark.decided_by] for mark in plot.marks()]
    assert [box.hatch for box in boxes[: len(hatches)]] == hatches
    harness = [row.label for row in plot.rows() if row.marks[0].decided_by == "harness"]
    assert harness
    assert alt_text(plot).endswith(f"Decided by the harness alone: {harness[0]}.")


def test_unsafe_figures_are_hollow(site: Site) -> None:
    """As many hollow marks as unsafe figures, and one in the legend; the rest are filled."""
    plot = charts.plot_of(site, "before-after")
    dots = [i for i in scene_of(plot).items if isinstance(i, Dot)]
    unsafe = sum(mark.unsafe for mark in plot.marks())
    assert 0 < unsafe < len(plot.marks())
    assert sum(dot.fill == "paper" for dot in dots) == unsafe + 1


def test_the_grid_shows_the_pattern_of_the_record(site: Site) -> None:
    """Cells are the letters of the pattern, tiers ascend, and the count is the filled cells."""
    plot = charts.plot_of(site, "six-runs")
    titles = [section.title for section in plot.sections]
    assert titles == sorted(titles)
    for row in plot.rows():
        text = site.quote(row.also[0]).text
        assert text == "".join("Y" if cell else "." for cell in row.cells)
        assert sum(row.cells) == row.marks[0].successes


@pytest.mark.parametrize(
    ("figure_id", "value", "reason"),
    [
        ("bench6.double.pattern-over-six-runs", "YYxYYY", "no pattern"),
        ("bench6.double.pattern-over-six-runs", "YYYYY.", "does not show"),
    ],
)
def test_a_pattern_that_does_not_fit_is_refused(
    tmp_path: Path, figure_id: str, value: str, reason: str
) -> None:
    """A pattern with other letters, or with another count, names itself; the rest are drawn."""
    site = changed(tmp_path, "which-model", lambda figures: figures[figure_id].update(
        value=figures[figure_id]["value"] | {"text": value}))  # fmt: skip
    with pytest.raises(MacroError, match=f"{re.escape(figure_id)}.*{reason}"):
        charts.chart(page_of(site), "six-runs")
    assert {Path(path).stem.rpartition("-")[0] for path in charts.files(site)} == {*NAMES} - {
        "six-runs"
    }
    assert [figure_id in str(fault) for fault in site.faults] == [True]


def test_a_figure_that_is_no_count_is_refused_with_its_place(tmp_path: Path) -> None:
    """A plotted figure that turns into a plain number is named by file and pointer."""
    name = "rep-tier.3-new-module.score"
    number = {"type": "number", "value": 8, "unit": "runs", "as_printed": "8"}
    site = changed(tmp_path, REPAIRS, lambda figures: revalue(figures, name, **number))
    place = re.escape(f"data/published/{REPAIRS}.json#/figures/{name}")
    with pytest.raises(MacroError, match=place):
        charts.chart(page_of(site), "tiers")


def test_an_unknown_chart_names_the_nearest(site: Site) -> None:
    """A slip of a letter is answered with the chart meant; a strange name, with all charts."""
    with pytest.raises(MacroError, match="no chart 'tires'; did you mean 'tiers'"):
        charts.chart(page_of(site), "tires")
    with pytest.raises(MacroError, match="there are tiers, six-runs, before-after, wall"):
        charts.chart(page_of(site), "zzz")


@pytest.mark.parametrize("name", NAMES)
def test_words_stay_apart_and_inside(site: Site, name: str) -> None:
    """No text of a chart touches another, a mark or the edge; a long label would."""
    plot = charts.plot_of(site, name)
    assert overlaps(plot) == []
    row = plot.sections[0].rows[0]
    long = replace(row, label=row.label * 5)
    section = replace(plot.sections[0], rows=(long, *plot.sections[0].rows[1:]))
    assert overlaps(replace(plot, sections=(section, *plot.sections[1:])))


def overlaps(plot: Plot) -> list[str]:
    """Texts that touch another, a mark or the edge, measured as drawn."""
    scene = scene_of(plot)
    figure = drawing.figure_of(scene, "light")
    figure.canvas.draw()
    texts = [(t.get_text(), t.get_window_extent()) for t in figure.axes[0].texts]
    assert len(texts) == sum(isinstance(item, Text) for item in scene.items)
    out = [words for words, box in texts
           if box.x0 < 0 or box.x1 > WIDTH or box.y0 < 0 or box.y1 > scene.y]  # fmt: skip
    sizes = [(i.x, i.y, i.width, i.height) for i in scene.items if isinstance(i, Box)]
    sizes += [(i.x - i.size / 2, i.y - i.size / 2, i.size, i.size) for i in scene.items
              if isinstance(i, Dot)]  # fmt: skip
    signs = [("mark", Bbox.from_bounds(x, scene.y - y - h, w, h)) for x, y, w, h in sizes]
    pairs = [*itertools.combinations(texts, 2), *itertools.product(texts, signs)]
    return out + [f"{a} | {b}" for (a, one), (b, two) in pairs if one.overlaps(two)]


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", drawing.SCHEMES)
def test_text_and_marks_stand_out_in_both_schemes(scheme: str) -> None:
    """Text has 4.5:1 on the page, marks 3:1, and a whisker 4.5:1 on a bar."""
    colours = {role: luminance(c) for role, c in drawing.SCHEMES[scheme].items()}

    def contrast(a: str, b: str) -> float:
        low, high = sorted((colours[a], colours[b]))
        return (high + 0.05) / (low + 0.05)

    assert min(contrast(text, "paper") for text in ("ink", "quiet")) >= 4.5
    assert contrast("strong", "paper") >= 3
    assert contrast("ink", "tint") >= 4.5
