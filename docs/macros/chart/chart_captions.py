"""Owns what a chart says in words: its alt text and its caption.

Does not cover what is plotted (`record_plots`, `before_after`) nor the chart's files (`charts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from docs.macros.chart.before_after import HARNESS, no_whisker, usual_model
from docs.macros.chart.plot import Mark, Plot
from docs.macros.page import PageContext
from docs.macros.present import NBSP
from docs.macros.quote import UNSAFE_NOTE
from docs.macros.site import Site
from measure.record.published import Table

FEW = 4
"""Notes that a caption carries in the open; more of them are folded beneath it."""


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
            reason = no_whisker(site, [m.figure for m in row.marks])
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


def caption(page: PageContext, plot: Plot, form: str) -> str:
    """The caption as HTML; `form` is what it says of how the plot is to be read."""
    record = page.site.record
    ids = dict.fromkeys(record.figures[i].table for i in plot.figures())
    tables = [record.tables[i] for i in ids if i]
    if plot.kind == "pairs":
        shared = f"Model: {usual_model(page.site)}, where no other is named."
    else:
        shared = _generated(tables[0].caption)
    head = f"<b>{escape(plot.title)}.</b> {escape(form)} {shared}"
    notes = [*_whisker_note(page.site, plot), *_unsafe_note(plot), *_caveats(page, plot)]
    told = " ".join([*notes, _links(page, tables)])
    if len(notes) <= FEW:
        return f"{head} {told}"
    summary = "Intervals, caveats and sources"
    return f'{head}<details class="chart__notes"><summary>{summary}</summary>{told}</details>'
