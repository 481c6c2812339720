"""Owns the charts of the record: what each plots, its alt text, its caption, its cached files.

Does not cover how a plot is laid out and drawn (`drawing`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from html import escape, unescape
from importlib.metadata import version
from pathlib import Path

from docs.macros import drawing
from docs.macros.drawing import Mark, Plot, Row, Section
from docs.macros.page import Fault, Fragment, MacroError, PageContext
from docs.macros.present import NBSP
from docs.macros.quote import UNSAFE_NOTE
from docs.macros.site import Site
from measure.record.published import Figure, Table
from measure.record.values import CountValue, TextValue

PAIRS = (
    ("All cases, a day of repairs", "rep.5-september.worked rep.6-september.worked"),
    ("Fence stripped", "fence.before-the-fence-was-stripped.worked fence.after.worked"),
    ("Fence stripped, control",
     "fence-ctl.without-the-fence-fix.worked fence-ctl.with-it.worked"),
    ("Subject fixed, then guarded",
     "tot.before.worked tot.subject-fixed.worked tot.subject-fixed-and-guarded.worked"),
    ("Suite ran a test", "rep-write.suite-ran-a-test.before rep-write.suite-ran-a-test.after"),
    ("Subject deleted", "rep-drop.before.runs rep-drop.after.runs"),
    ("Start commands fit to ship", "four-1.would-ship-without-reading-the-diff.got "
                                   "four-2.shippable-of-the-four-start-commands.got"),
    ("False finishes",
     "false.before.false-finishes false.after-requiring-a-quoted-line.false-finishes "
     "false.after-both-fixes.false-finishes"),
    ("Questions answered", "instr.llama3.1-8b.nobody-answering instr.llama3.1-8b.answered"),
    ("Questions answered",
     "instr.qwen2.5-coder-7b.nobody-answering instr.qwen2.5-coder-7b.answered"),
)  # fmt: skip
"""What was changed, and the figures before and after it, in order of time."""

HARNESS = "decided by the harness, so nothing was sampled"
NO_REPEATS = "a single pass, or no number of passes published"
CASES = (
    "several cases, whose runs are no independent draws, and the source prints no counts by case "
    "at every stage to group the runs by"
)


def _figure(site: Site, figure_id: str) -> Figure:
    site.quote(figure_id)
    return site.record.figures[figure_id]


def _mark(site: Site, figure_id: str, whisker: bool = True) -> Mark:
    """A figure as a mark; MacroError, naming its place, if it is no count of runs."""
    figure, quoted = _figure(site, figure_id), site.quote(figure_id)
    value, decided, ends = figure.value, figure.decided_by, figure.interval
    if not isinstance(value, CountValue) or decided not in ("model", "harness", "mixed"):
        reason = f"is {value.type!r}, decided by {decided!r}; a chart plots counts of runs"
        raise MacroError(f"{quoted.src}: {reason}")
    return Mark(
        figure=figure_id,
        text=quoted.text,
        successes=value.successes,
        n=value.n,
        decided_by=decided,
        unsafe=quoted.unsafe,
        interval=(ends.lower, ends.upper) if ends and whisker and decided != "harness" else None,
    )


def _table(site: Site, table_id: str) -> Table:
    if table_id not in site.record.tables:
        near = site.record.nearest(table_id, site.record.tables)
        raise MacroError(f"no table {table_id!r}" + (f"; did you mean {near!r}?" if near else ""))
    return site.record.tables[table_id]


def _cells(table: Table, column: str) -> list[tuple[str, str]]:
    """(text, figure id) of a column, row by row."""
    if column not in table.columns:
        raise MacroError(f"table {table.id!r} has no column {column!r}, it has {table.columns}")
    at = table.columns.index(column)
    return [(row[at].text, row[at].figure or "") for row in table.rows]


def _tiers(site: Site) -> Plot:
    table = _table(site, "t-rep-tier")
    rows = tuple(
        Row(re.sub(r"^(\d+) ", r"tier \1, ", label), (_mark(site, figure_id),))
        for (label, _), (_, figure_id) in zip(
            _cells(table, "tier"), _cells(table, "score"), strict=True
        )
    )
    return Plot("tiers", "bars", "Runs that worked, by tier", (Section("", rows),))


def _passes(site: Site, figure_id: str) -> tuple[bool, ...]:
    value = _figure(site, figure_id).value
    if not isinstance(value, TextValue) or set(value.text) - set("Y."):
        raise MacroError(f"figure {figure_id!r} is no pattern of Y (pass) and . (miss)")
    return tuple(letter == "Y" for letter in value.text)


def _six_runs(site: Site) -> Plot:
    table = _table(site, "t-bench6")
    columns = [_cells(table, c) for c in ("case", "tier", "pattern over six runs", "passed")]
    tiers: dict[int, list[Row]] = {}
    for (case, _), (tier, tier_id), (_, pattern), (_, passed) in zip(*columns, strict=True):
        row = Row(case, (_mark(site, passed, False),), _passes(site, pattern), (pattern, tier_id))
        if sum(row.cells) != row.marks[0].successes or len(row.cells) != row.marks[0].n:
            raise MacroError(f"figure {pattern!r} does not show what {passed!r} counts")
        tiers.setdefault(int(tier), []).append(row)
    sections = tuple(Section(f"tier {tier}", tuple(tiers[tier])) for tier in sorted(tiers))
    return Plot("six-runs", "grid", "Every case, run by run", sections)


def _no_whisker(site: Site, ids: Sequence[str]) -> str:
    """Why a change has no intervals; empty where it may have them."""
    figures = [_figure(site, i) for i in ids]
    if any(f.decided_by == "harness" or f.interval is None for f in figures):
        return HARNESS
    if any(not f.repeats or f.repeats == 1 for f in figures):
        return NO_REPEATS
    # As many runs as passes: a single case, so there is nothing to group the runs by.
    if any(site.quote(f.id).n != f.repeats for f in figures):
        return CASES
    return ""


def _usual_model(site: Site) -> str:
    models = Counter(_figure(site, ids.split()[-1]).model or "" for _, ids in PAIRS)
    return models.most_common(1)[0][0]


def _pair_label(site: Site, label: str, ids: Sequence[str]) -> str:
    last = _figure(site, ids[-1])
    if last.machine == "hosted":
        named = f"{label}, hosted model"
    elif [other for other, _ in PAIRS].count(label) > 1 or last.model != _usual_model(site):
        named = f"{label}, {last.model}"
    else:
        named = label
    return f"{named} (fewer is the aim)" if last.polarity == "bad" else named


def _before_after(site: Site) -> Plot:
    rows = []
    for label, listed in PAIRS:
        ids = listed.split()
        whisker = not _no_whisker(site, ids)
        marks = tuple(_mark(site, i, whisker) for i in ids)
        rows.append(Row(_pair_label(site, label, ids), marks))
    title = "Before and after a change, as shares of the runs"
    return Plot("before-after", "pairs", title, (Section("", tuple(rows)),))


def _wall(site: Site) -> Plot:
    by_model = {_figure(site, i).model: i for _, i in _cells(_table(site, "t-wall"), "worked")}
    cases = _table(site, "t-wall-case")
    names = {name: _figure(site, cases.rows[0][at].figure or "").model
             for at, name in enumerate(cases.columns) if at}  # fmt: skip
    totals = tuple(Row(name, (_mark(site, by_model[model]),)) for name, model in names.items())
    sections = [Section("all cases of the tier", totals)]
    for row in cases.rows:
        rows = zip(names, row[1:], strict=True)
        marks = tuple(Row(name, (_mark(site, cell.figure or ""),)) for name, cell in rows)
        sections.append(Section(row[0].text, marks))
    return Plot("wall", "dots", "Tier six by model and by case", tuple(sections))


@dataclass(frozen=True)
class Chart:
    """What a chart plots, and what its caption says of its form."""

    plot: Callable[[Site], Plot]
    what: str


CHARTS: dict[str, Chart] = {
    "tiers": Chart(_tiers, "A bar is the share of the runs of a tier that worked."),
    "six-runs": Chart(
        _six_runs,
        "Rows are cases, sorted by tier; columns are runs, in order. A square is a pass, a cross "
        "a miss. No interval is drawn: every single run is shown.",
    ),
    "before-after": Chart(
        _before_after,
        "Each row leads from the share before a change, on top, to the share after it, below.",
    ),
    "wall": Chart(
        _wall,
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


def _told(mark: Mark) -> str:
    ends = f" ({' to '.join(f'{100 * e:.0f}%' for e in mark.interval)})" if mark.interval else ""
    return mark.text + ends


def alt_text(plot: Plot) -> str:
    """The chart in a sentence or two: every count and every end of a whisker that it draws."""
    parts = []
    for section in plot.sections:
        colon = "" if section.title else ":"
        rows = [f"{r.label}{colon} {', then '.join(map(_told, r.marks))}" for r in section.rows]
        parts += [f"{section.title}: {', '.join(rows)}"] if section.title else rows
    told = "; ".join(parts)
    harness = [r.label for r in plot.rows() if any(m.decided_by == "harness" for m in r.marks)]
    tail = f" Decided by the harness alone: {'; '.join(harness)}." if harness else ""
    return f"{plot.title}. {told[0].upper()}{told[1:]}.{tail}".replace(NBSP, " ")


def _quoted(labels: Iterable[str]) -> str:
    return escape(", ".join(f"“{label}”" for label in labels), quote=False)


def _generated(text: str) -> str:
    """Text that stands in the record word for word, marked so for the check of the pages."""
    return f"<span data-generated>{escape(text, quote=False)}</span>"


def _whisker_note(site: Site, plot: Plot) -> Iterator[str]:
    """What the whiskers are, and why some marks have none."""
    figures = [site.record.figures[m.figure] for m in plot.marks() if m.interval]
    if figures:
        methods = (f"{100 * f.interval.level:.0f}% interval, {f.interval.method}"
                   for f in figures if f.interval)  # fmt: skip
        yield f"Whiskers: {_generated('; '.join(dict.fromkeys(methods)))}."
    if plot.kind == "pairs":
        reasons: dict[str, list[str]] = {}
        for row in plot.rows():
            reason = _no_whisker(site, [m.figure for m in row.marks])
            reasons.setdefault(reason, []).append(row.label)
        for reason, labels in reasons.items():
            if reason:
                yield f"No whisker on {_quoted(labels)}: {reason}."
        return
    if any(site.quote(f.id).n != f.repeats for f in figures):
        yield (
            "Runs of the same case are no independent draws, so a whisker over several cases "
            "does not carry over to new cases."
        )
    if figures and any(m.decided_by == "harness" for m in plot.marks()):
        yield f"No whisker on what is hatched whole: {HARNESS}."


def _unsafe_note(plot: Plot) -> Iterator[str]:
    unsafe = [r.label for r in plot.rows() if any(m.unsafe for m in r.marks)]
    by_model = [r.label for r in plot.rows() if all(m.decided_by != "harness" for m in r.marks)]
    if unsafe and plot.kind in ("pairs", "dots"):
        yield f"Hollow: {UNSAFE_NOTE}."
    elif unsafe:
        rows = "Every row that is not hatched" if unsafe == by_model else _quoted(unsafe)
        yield f"{rows}: {UNSAFE_NOTE}."


def _caveats(page: PageContext, plot: Plot) -> Iterator[str]:
    """What else the record says of the counts, and where the source contradicts itself."""
    record = page.site.record
    notes: dict[str, list[str]] = {}
    for row in plot.rows():
        for note in (record.figures[m.figure].caveat for m in row.marks):
            if note and row.label not in notes.setdefault(note, []):
                notes[note].append(row.label)
    for note, labels in notes.items():
        yield f"{_quoted(labels)}: {_generated(note)}."
    entries = [c.id for c in record.contradictions.values()
               if not c.settled and not set(plot.figures()).isdisjoint(c.figures)]  # fmt: skip
    if entries:
        links = (f'<a href="{page.root}contradictions/#{c}">{c}</a>' for c in entries)
        told = f"<span data-generated>{', '.join(links)}</span>"
        yield f"The source disagrees with itself on these figures, unsettled: {told}."


def _links(page: PageContext, tables: Iterable[Table]) -> str:
    """Replay and JSON of every experiment that the chart draws from, and CSV of its tables."""
    record = page.site.record
    by_experiment: dict[str, list[Table]] = {}
    for table in tables:
        by_experiment.setdefault(record.experiment_of[table.id], []).append(table)
    out = []
    for experiment, listed in by_experiment.items():
        title = listed[0].title
        hrefs = [("replay", title, f"replay/{experiment}/#{listed[0].id}")]
        hrefs += [(f"CSV {t.id}", t.title, f"data/tables/{t.id}.csv") for t in listed]
        hrefs += [("JSON", title, record.file_of(experiment))]
        links = ", ".join(
            f'<a href="{page.root}{href}" aria-label="{word}: {escape(what)}">{word}</a>'
            for word, what, href in hrefs
        )
        out.append(f"{escape(title)} ({links})")
    return f"<span data-generated>From: {'; '.join(out)}.</span>"


def _caption(page: PageContext, plot: Plot) -> str:
    record = page.site.record
    ids = dict.fromkeys(record.figures[i].table for i in plot.figures())
    tables = [record.tables[i] for i in ids if i]
    if plot.kind == "pairs":
        shared = f"Model: {_usual_model(page.site)}, where no other is named."
    else:
        shared = _generated(tables[0].caption)
    return " ".join(
        [
            f"<b>{escape(plot.title)}.</b> {escape(CHARTS[plot.name].what)} {shared}",
            *_whisker_note(page.site, plot),
            *_unsafe_note(plot),
            *_caveats(page, plot),
            _links(page, tables),
        ]
    )


def _path(name: str, scheme: str) -> str:
    return f"assets/charts/{name}-{scheme}.svg"


def chart(page: PageContext, name: str) -> Fragment:
    """A chart by name, with its alt text, caption and data; MacroError naming the nearest name."""
    plot = plot_of(page.site, name)
    for figure_id in plot.figures():
        page.quote(figure_id)
    alt, caption = alt_text(plot), _caption(page, plot)
    width, height = drawing.size_px(plot)
    # The scheme that is not shown is not displayed at all, so that each image needs the words.
    images = "".join(
        f'<img class="chart__{scheme}" src="{page.root}{_path(name, scheme)}" '
        f'alt="{escape(alt)}" width="{width}" height="{height}" loading="lazy">'
        for scheme in drawing.SCHEMES
    )
    told = re.sub(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', r"[\2](\1)", caption)
    told = unescape(re.sub(r"<[^>]+>", "", re.sub(r"</?b>", "**", told)))
    return Fragment(
        f'<figure class="chart" id="chart-{name}" data-figures="{" ".join(plot.figures())}">'
        f"{images}<figcaption>{caption}</figcaption></figure>",
        f"![{alt}]({page.root}{_path(name, 'light')})\n\n{told}",
    )


@lru_cache(maxsize=1)
def _code() -> str:
    """Hash of the code that draws, so that a change of it empties no cache and misses it."""
    source = Path(drawing.__file__).read_text(encoding="utf-8")
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
            site.faults.append(Fault("docs/macros/charts.py", 1, f"chart {name!r}: {error}"))
            continue
        for scheme in drawing.SCHEMES:
            out[_path(name, scheme)] = _drawn(site, plot, scheme)
    return out
