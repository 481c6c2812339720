"""Owns transcribed tables in a page: HTML with every cell bound, Markdown, CSV.

Does not cover tables of results measured here beyond their figures.
"""

from __future__ import annotations

import csv
import io
from html import escape

from docs.macros.markup import data_table
from docs.macros.numbers import number_html, number_markdown
from docs.macros.page import Fragment, MacroError, PageContext
from measure.record.published import Cell, Table


def find(page: PageContext, table_id: str) -> Table:
    """A table by id; MacroError naming the nearest that exists."""
    tables = page.site.record.tables
    if table_id not in tables:
        near = page.site.record.nearest(table_id, tables)
        raise MacroError(f"no table {table_id!r}" + (f"; did you mean {near!r}?" if near else ""))
    return tables[table_id]


def _parts(page: PageContext, cell: Cell) -> list[tuple[int, int, str]]:
    """Places of the cell's packed numbers in its text: (start, end, figure id), in order."""
    figure = page.site.record.figures[cell.figure or ""]
    out: list[tuple[int, int, str]] = []
    at = 0
    for part in figure.parts:
        printed = getattr(page.site.record.figures[part].value, "as_printed", "")
        start = cell.text.find(printed, at) if printed else -1
        if start < 0:
            return []
        out.append((start, start + len(printed), part))
        at = start + len(printed)
    return out


def _cell(page: PageContext, cell: Cell) -> Fragment:
    if cell.figure is None:
        return Fragment(escape(cell.text, quote=False), cell.text)
    parts = _parts(page, cell)
    if not parts:
        parts = [(0, len(cell.text), cell.figure)]
    as_html, as_markdown, at = "", "", 0
    for start, end, figure_id in parts:
        quoted = page.quote(figure_id)
        text = cell.text[start:end]
        between = cell.text[at:start]
        as_html += escape(between, quote=False) + number_html(quoted, page.root, text)
        as_markdown += between + number_markdown(quoted, page.root, text)
        at = end
    return Fragment(as_html + escape(cell.text[at:], quote=False), as_markdown + cell.text[at:])


def table(page: PageContext, table_id: str) -> Fragment:
    """A transcribed table, printed on one page of the site and linked from the others."""
    found = find(page, table_id)
    rows = [[_cell(page, cell) for cell in row] for row in found.rows]
    experiment = page.site.record.experiment_of[table_id]
    src = f"{page.site.record.file_of(experiment)}#/tables/{table_id}"
    as_html = data_table(
        found.title,
        found.columns,
        [[cell.html for cell in row] for row in rows],
        caption=found.title,
        src=src,
        anchor=table_id,
        foot=_foot(page, found),
    )
    return Fragment(as_html, _markdown(page, found, rows))


def _foot(page: PageContext, found: Table) -> str:
    record = page.site.record
    names = [record.sources[ref.ref] for ref in found.sources]
    wheres = dict.fromkeys(s.title or f"{s.repository} {s.path}" for s in names)
    caveat = f"Caveat: {escape(found.caveat)}. " if found.caveat else ""
    experiment = record.experiment_of[found.id]
    return (
        f'<p class="record-table__foot" data-generated>{escape(found.caption)} {caveat}'
        f"Published by the source project, not measured here; from {escape('; '.join(wheres))}. "
        f'<a href="{page.root}data/tables/{found.id}.csv" download>CSV</a> · '
        f'<a href="{page.root}replay/{experiment}/#{found.id}">replay</a></p>'
    )


def _markdown(page: PageContext, found: Table, rows: list[list[Fragment]]) -> str:
    lines = [
        f"**{found.title}**",
        "",
        "| " + " | ".join(found.columns) + " |",
        "| " + " | ".join("---" for _ in found.columns) + " |",
        *("| " + " | ".join(c.markdown.replace("|", "\\|") for c in row) + " |" for row in rows),
        "",
        f"{found.caption} [CSV]({page.root}data/tables/{found.id}.csv)",
    ]
    return "\n".join(lines)


def table_link(page: PageContext, table_id: str, words: str = "") -> Fragment:
    """A link to the page that prints the table."""
    found = find(page, table_id)
    home = page.site.table_home.get(table_id)
    if home is None:
        raise MacroError(f"table {table_id!r} is printed on no page")
    text = words or found.title
    href = f"{page.root}{home}#{table_id}"
    return Fragment(f'<a href="{href}">{escape(text)}</a>', f"[{text}]({href})")


def csv_text(found: Table) -> str:
    """The table as CSV (RFC 4180), with the ids of its figures in a last column."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*found.columns, "figures"])
    for row in found.rows:
        ids = " ".join(cell.figure for cell in row if cell.figure)
        writer.writerow([*(cell.text for cell in row), ids])
    return out.getvalue()
