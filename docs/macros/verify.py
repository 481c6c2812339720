"""Owns the comparison of what a rendered page shows with what the record holds.

Does not cover finding figures in HTML (`orphans`).
"""

from __future__ import annotations

from docs.macros.page import MacroError
from docs.macros.present import NBSP
from docs.macros.site import Site
from measure.record.published import Table


def _plain(text: str) -> str:
    return " ".join(text.replace(NBSP, " ").split())


class RecordVerifier:
    """Answers whether a bound number, table or claim is what the record says; '' means fine."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def number_ok(self, figure_id: str, src: str, shown: str) -> str:
        """Whether a number shows one of the forms of its figure and names its place."""
        try:
            quoted = self._site.quote(figure_id)
        except MacroError as error:
            return str(error)
        if src != quoted.src:
            return f"names {src}, but {figure_id!r} stands in {quoted.src}"
        allowed = {_plain(form) for form in quoted.forms.values()}
        figure = self._site.record.figures.get(figure_id)
        if figure is not None and figure.table:
            allowed |= self._cell_texts(figure.table, figure_id)
        if _plain(shown) not in allowed:
            return f"shows {_plain(shown)!r}; the record has {_plain(quoted.text)!r}"
        return ""

    def marks_ok(self, figure_id: str, value: str, classes: list[str]) -> str:
        """Whether a number's `value`, its kind and its badge are those of its figure."""
        quoted = self._site.quote(figure_id)
        if value != quoted.machine_value:
            return f"has the value {value!r}; the record has {quoted.machine_value!r}"
        if f"num--{quoted.kind}" not in classes:
            return f"is not marked as {quoted.kind}"
        if ("num--unsafe" in classes) != quoted.unsafe:
            return "carries the badge of unsafe numbers wrongly, or lacks it"
        return ""

    def _cell_texts(self, table_id: str, figure_id: str) -> set[str]:
        """Text of the cell that holds the figure; its parts are pieces of that text."""
        table = self._site.record.tables[table_id]
        return {_plain(c.text) for row in table.rows for c in row if c.figure == figure_id}

    def table_ok(self, src: str, rows: list[list[str]]) -> str:
        """Whether a rendered table has the record's headings and cells, in order."""
        table = self._table(src)
        if table is None:
            return f"{src} is no table of the record"
        wanted = [table.columns, *([c.text for c in row] for row in table.rows)]
        for r, (want, got) in enumerate(zip(wanted, rows, strict=False)):
            for c, (a, b) in enumerate(zip(want, got, strict=False)):
                if _plain(a) != _plain(b):
                    return f"row {r}, column {c}: shows {_plain(b)!r}; the record has {_plain(a)!r}"
        if [len(r) for r in wanted] != [len(r) for r in rows]:
            return "has other rows or columns than the record"
        return ""

    def caption_ok(self, src: str, caption: str) -> str:
        """Whether a rendered table carries the record's title as its caption."""
        table = self._table(src)
        if table is None or _plain(caption) != _plain(table.title):
            return f"{src}: the caption is not the record's"
        return ""

    def _table(self, src: str) -> Table | None:
        file, _, pointer = src.partition("#/tables/")
        record = self._site.record
        table = record.tables.get(pointer)
        if table is None or record.file_of(record.experiment_of[table.id]) != file:
            return None
        return table

    def claim_ok(self, claim_id: str, verdict_class: str) -> str:
        """Whether a claim carries the verdict that the record gives it."""
        entry = self._site.record.comparisons.get(claim_id)
        if entry is not None:
            verdict: str = entry.verdict
        else:
            result_id, _, name = claim_id.partition(":")
            result = self._site.record.results.get(result_id)
            found = [c.verdict for c in result.comparisons if c.id == name] if result else []
            if not found:
                return f"no claim {claim_id!r} in the record"
            verdict = found[0]
        if verdict not in verdict_class:
            return f"carries {verdict_class!r}; the record says {verdict!r}"
        return ""

    def is_generated(self, page: str) -> bool:
        """Text marked as generated counts on every page: a page's source cannot carry the mark."""
        return True
