"""Owns how figures of the record become marks, and the plots that follow one of its tables.

Does not cover the plot of what was changed, which follows no table (`before_after`).
"""

from __future__ import annotations

import re

from docs.macros.chart.plot import Mark, Plot, Row, Section
from docs.macros.page import MacroError
from docs.macros.site import Site
from measure.record.published import Figure, Table
from measure.record.values import CountValue, TextValue


def figure(site: Site, figure_id: str) -> Figure:
    """A figure by id; MacroError, naming the nearest id, if there is none."""
    site.quote(figure_id)
    return site.record.figures[figure_id]


def mark(site: Site, figure_id: str, whisker: bool = True) -> Mark:
    """A figure as a mark; MacroError, naming its place, if it is no count of runs."""
    found, quoted = figure(site, figure_id), site.quote(figure_id)
    value, decided, ends = found.value, found.decided_by, found.interval
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


def tiers(site: Site) -> Plot:
    """A day of repairs, tier by tier."""
    table = _table(site, "t-rep-tier")
    rows = tuple(
        Row(re.sub(r"^(\d+) ", r"tier \1, ", label), (mark(site, figure_id),))
        for (label, _), (_, figure_id) in zip(
            _cells(table, "tier"), _cells(table, "score"), strict=True
        )
    )
    return Plot("tiers", "bars", "Runs that worked, by tier", (Section("", rows),))


def _passes(site: Site, figure_id: str) -> tuple[bool, ...]:
    value = figure(site, figure_id).value
    if not isinstance(value, TextValue) or set(value.text) - set("Y."):
        raise MacroError(f"figure {figure_id!r} is no pattern of Y (pass) and . (miss)")
    return tuple(letter == "Y" for letter in value.text)


def six_runs(site: Site) -> Plot:
    """Six runs of every case; MacroError if a pattern is none or belies its count."""
    table = _table(site, "t-bench6")
    columns = [_cells(table, c) for c in ("case", "tier", "pattern over six runs", "passed")]
    by_tier: dict[int, list[Row]] = {}
    for (case, _), (tier, tier_id), (_, pattern), (_, passed) in zip(*columns, strict=True):
        row = Row(case, (mark(site, passed, False),), _passes(site, pattern), (pattern, tier_id))
        if sum(row.cells) != row.marks[0].successes or len(row.cells) != row.marks[0].n:
            raise MacroError(f"figure {pattern!r} does not show what {passed!r} counts")
        by_tier.setdefault(int(tier), []).append(row)
    sections = tuple(Section(f"tier {tier}", tuple(by_tier[tier])) for tier in sorted(by_tier))
    return Plot("six-runs", "grid", "Every case, run by run", sections)


def wall(site: Site) -> Plot:
    """Tier six, model by model, over all cases and then case by case."""
    by_model = {figure(site, i).model: i for _, i in _cells(_table(site, "t-wall"), "worked")}
    cases = _table(site, "t-wall-case")
    names = {name: figure(site, cases.rows[0][at].figure or "").model
             for at, name in enumerate(cases.columns) if at}  # fmt: skip
    totals = tuple(Row(name, (mark(site, by_model[model]),)) for name, model in names.items())
    sections = [Section("all cases of the tier", totals)]
    for row in cases.rows:
        rows = zip(names, row[1:], strict=True)
        marks = tuple(Row(name, (mark(site, cell.figure or ""),)) for name, cell in rows)
        sections.append(Section(row[0].text, marks))
    return Plot("wall", "dots", "Tier six by model and by case", tuple(sections))
