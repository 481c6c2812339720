"""Owns the site's state over one build: record, bibliography, faults, where each table stands.

Does not cover mkdocs (`hook`, `adapter`) nor what macros print.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docs.macros import quote as quoting
from docs.macros.bib import bibliography as bib
from docs.macros.page import Fault, MacroError, PageContext
from docs.macros.quote import Quoted
from harness.errors import HarnessError
from measure.record.counts import Count, counts
from measure.record.read import read
from measure.record.shape import Part
from measure.record.whole import Record, load

_CLAIM_CALL = re.compile(r"\[\[\s*claim\(\s*[\"']([^\"']+)[\"']")
_TABLE_CALL = re.compile(r"\[\[\s*table\(\s*[\"']([^\"']+)[\"']")


@dataclass(frozen=True)
class SourcePage:
    """A page's source before expansion: file under docs/, address, front matter, whole text."""

    src: str
    url: str
    meta: Mapping[str, Any]
    text: str


@dataclass(frozen=True)
class ExperimentPage:
    """An experiment's page as its front matter names it."""

    slug: str
    url: str
    title: str
    question: str
    group: str
    order: int


@dataclass
class Site:
    """State of one build; `open` fills it and may be called again before the next build."""

    root: Path
    record: Record = field(init=False)
    bibliography: bib.Bibliography = field(init=False)
    counts: dict[str, Count] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    problem: str = ""
    pages: dict[str, PageContext] = field(default_factory=dict)
    table_home: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)
    claim_homes: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    experiment_pages: list[ExperimentPage] = field(default_factory=list)
    waivers: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    current: PageContext | None = None
    _quotes: dict[str, Quoted] = field(default_factory=dict)
    _seen: dict[Path, tuple[int, int, Part]] = field(default_factory=dict)

    def open(self) -> None:
        """Read what has changed of data/ and bib/; HarnessError naming file and place otherwise."""
        self.faults, self.pages, self.table_home, self.titles = [], {}, {}, {}
        self.experiment_pages, self.waivers, self.homes = [], {}, {}
        self.claim_homes = {}
        self.current, self.problem = None, ""
        try:
            self.bibliography = bib.load(sorted((self.root / "bib").glob("*.bib")))
        except bib.BibliographyError as error:
            tail = f"{len(error.problems)} in all" if len(error.problems) > 1 else ""
            raise HarnessError(str(error.problems[0]), tail) from None
        self.record = load(self.root, self._read)
        self.counts = counts(self.record)
        self._quotes = {}

    def is_open(self) -> bool:
        """Whether a record was read at least once; the preview then shows the last good one."""
        return hasattr(self, "record")

    def _read(self, path: Path, root: Path) -> Part:
        """As `read`, but a file that has not changed is not read again."""
        stat = path.stat()
        seen = self._seen.get(path)
        if seen and seen[:2] == (stat.st_mtime_ns, stat.st_size):
            return seen[2]
        part = read(path, root)
        self._seen[path] = (stat.st_mtime_ns, stat.st_size, part)
        return part

    def quote(self, figure_id: str) -> Quoted:
        """A number by id: a figure's, `result:metric` or `count:name`.

        MacroError on an unknown id, naming the nearest that exists or the id it moved to.
        """
        if figure_id not in self._quotes:
            self._quotes[figure_id] = self._quote(figure_id)
        return self._quotes[figure_id]

    def _quote(self, figure_id: str) -> Quoted:
        record = self.record
        if figure_id in record.figures:
            return quoting.published(record, record.figures[figure_id])
        prefix, _, rest = figure_id.partition(":")
        if prefix == "count" and rest in self.counts:
            return quoting.counted(self.counts[rest])
        result = record.results.get(prefix)
        for index, metric in enumerate(result.results if result else []):
            if result is not None and metric.id == rest:
                return quoting.measured(result, index)
        if figure_id in record.moved:
            raise MacroError(f"{figure_id!r} is now {record.moved[figure_id]!r}")
        near = record.nearest(figure_id, self.names())
        tail = f"; did you mean {near!r}?" if near else ""
        raise MacroError(f"no figure {figure_id!r} in the record{tail}")

    def names(self) -> list[str]:
        """Every id that a page may quote."""
        measured = [f"{r.result_id}:{m.id}" for r in self.record.results.values()
                    for m in r.results]  # fmt: skip
        return [*self.record.figures, *measured, *(f"count:{name}" for name in self.counts)]

    def groups(self) -> dict[str, list[ExperimentPage]]:
        """Experiment pages by group, groups and pages in the order that their front matter sets."""
        out: dict[str, list[ExperimentPage]] = {}
        for entry in sorted(self.experiment_pages, key=lambda e: (e.order, e.slug)):
            out.setdefault(entry.group, []).append(entry)
        return out

    def scan(self, pages: Iterable[SourcePage]) -> None:
        """Note what every page's source says before any is expanded.

        Where each table is printed, which experiment each page is about, what is waived.
        """
        for page in pages:
            self._scan_tables(page)
            for claim_id in dict.fromkeys(_CLAIM_CALL.findall(page.text)):
                told = (page.url, str(page.meta.get("title", page.src)))
                self.claim_homes.setdefault(claim_id, []).append(told)
            entries = page.meta.get("waivers") or []
            if entries:
                self.waivers[page.src] = list(entries)
            slug = page.meta.get("experiment")
            if isinstance(slug, str):
                self._scan_experiment(page, slug)
        total = sum(len(entries) for entries in self.waivers.values())
        label = "numbers on the site that stand unbound, by waiver"
        self.counts["waivers"] = Count("waivers", label, "waivers", total, "make check")

    def _scan_tables(self, page: SourcePage) -> None:
        for table_id in _TABLE_CALL.findall(page.text):
            if table_id in self.table_home:
                line = page.text[: page.text.index(table_id)].count("\n") + 1
                message = f"table {table_id!r} is already printed on {self.table_home[table_id]}"
                self.faults.append(Fault(f"docs/{page.src}", line, message))
            self.table_home.setdefault(table_id, page.url)

    def _scan_experiment(self, page: SourcePage, slug: str) -> None:
        if "title" not in page.meta:
            return
        title = str(page.meta["title"])
        self.titles[slug], self.homes[slug] = title, page.url
        if not page.src.startswith("experiments/"):
            return
        if slug not in self.record.published:
            near = self.record.nearest(slug, self.record.published)
            message = f"no experiment {slug!r} in the record; did you mean {near!r}?"
            self.faults.append(Fault(f"docs/{page.src}", 1, message))
            return
        self.experiment_pages.append(
            ExperimentPage(
                slug,
                page.url,
                title,
                str(page.meta.get("question", "")),
                str(page.meta.get("group", "More")),
                int(page.meta.get("order", 999)),
            )
        )
