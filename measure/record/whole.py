"""Owns the record as a whole: loads every file, and checks what no single file can show.

Does not cover pages; `docs/macros` reads this class and nothing beneath it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from measure.record.comparison import ComparisonsFile, PublishedComparison
from measure.record.published import (
    Contradiction,
    ContradictionsFile,
    Figure,
    MovedFile,
    PublishedFile,
    Source,
    SourcesFile,
    Table,
)
from measure.record.read import RecordError, read
from measure.record.result import ResultFile
from measure.record.shape import Part
from measure.record.values import CountValue, DeltaValue, NumberValue, RangeValue
from measure.record.verdicts import verdict_of

PUBLISHED = "data/published"
RESULTS = "data/results"


@dataclass
class Record:
    """Every file of the record, by what it holds. Fill it with `load`."""

    root: Path
    files: dict[str, Part] = field(default_factory=dict)
    published: dict[str, PublishedFile] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    experiment_of: dict[str, str] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    contradictions: dict[str, Contradiction] = field(default_factory=dict)
    comparisons: dict[str, PublishedComparison] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    results: dict[str, ResultFile] = field(default_factory=dict)
    publication: str = ""

    def file_of(self, experiment: str) -> str:
        """Path of an experiment's published file, relative to the project."""
        return f"{PUBLISHED}/{experiment}.json"

    def nearest(self, name: str, among: Iterable[str]) -> str:
        """The existing name closest to one that does not exist; empty if none is close."""
        found = difflib.get_close_matches(name, list(among), n=1, cutoff=0.3)
        return found[0] if found else ""

    def walk(self) -> Iterator[Figure]:
        """Every published figure, in the order of files and of their tables."""
        for file in self.published.values():
            yield from file.figures.values()


def record_files(root: Path) -> list[Path]:
    """Every JSON file that belongs to the record, sorted."""
    found = [*(root / PUBLISHED).glob("*.json"), *(root / RESULTS).glob("*/*.json")]
    return sorted(found)


def load(root: Path, reader: Callable[[Path, Path], Part] = read) -> Record:
    """The whole record, checked; RecordError on the first thing that does not fit.

    `reader` may hold a cache (the site's preview does); it takes a path and the root.
    """
    record = Record(root)
    for path in record_files(root):
        _place(record, path.relative_to(root).as_posix(), reader(path, root))
    for check in (_tables, _figures, _sources, _contradictions, _comparisons, _moved):
        check(record)
    return record


def _place(record: Record, file: str, part: Part) -> None:
    record.files[file] = part
    if isinstance(part, PublishedFile):
        _place_published(record, file, part)
    elif isinstance(part, SourcesFile):
        record.sources = dict(part.sources)
        record.publication = part.publication
    elif isinstance(part, ContradictionsFile):
        record.contradictions = dict(part.contradictions)
    elif isinstance(part, ComparisonsFile):
        record.comparisons = dict(part.comparisons)
    elif isinstance(part, MovedFile):
        record.moved = dict(part.moved)
    elif isinstance(part, ResultFile):
        if part.result_id in record.results:
            raise RecordError(file, "/result_id", f"{part.result_id!r} stands in two files")
        record.results[part.result_id] = part


def _place_published(record: Record, file: str, part: PublishedFile) -> None:
    slug = part.experiment.id
    if file != record.file_of(slug):
        raise RecordError(file, "/experiment/id", f"{slug!r} is not the file's name")
    record.published[slug] = part
    for key, table in part.tables.items():
        if key != table.id or key in record.tables:
            raise RecordError(file, f"/tables/{key}", "id and key differ, or the id stands twice")
        record.tables[key] = table
        record.experiment_of[key] = slug
    for key, figure in part.figures.items():
        if key != figure.id:
            raise RecordError(file, f"/figures/{key}/id", f"{figure.id!r} is not the key")
        if key in record.figures:
            other = record.file_of(record.experiment_of[key])
            raise RecordError(file, f"/figures/{key}", f"the id also stands in {other}")
        record.figures[key] = figure
        record.experiment_of[key] = slug


def _fail(record: Record, figure_id: str, field_name: str, reason: str) -> RecordError:
    file = record.file_of(record.experiment_of[figure_id])
    return RecordError(file, f"/figures/{figure_id}/{field_name}", reason)


def _tables(record: Record) -> None:
    for slug, file in record.published.items():
        for table in file.tables.values():
            for r, row in enumerate(table.rows):
                for c, cell in enumerate(row):
                    if cell.figure is None:
                        continue
                    found = file.figures.get(cell.figure)
                    if found is None or (found.table, found.row_index) != (table.id, r):
                        where = f"/tables/{table.id}/rows/{r}/{c}/figure"
                        reason = f"no figure {cell.figure!r} of this cell in this file"
                        raise RecordError(record.file_of(slug), where, reason)


def _figures(record: Record) -> None:
    for figure in record.walk():
        _same_as(record, figure)
        for other in (*figure.parts, *([figure.part_of] if figure.part_of else [])):
            if other not in record.figures:
                raise _fail(record, figure.id, "parts", f"no figure {other!r}")
        if isinstance(figure.value, DeltaValue):
            _delta(record, figure, figure.value)
        if (figure.kind == "external") != (figure.cites is not None):
            raise _fail(record, figure.id, "cites", "stands with kind external and only there")
        for name in figure.derivation.of if figure.derivation else []:
            if name not in record.figures and name not in record.tables:
                raise _fail(record, figure.id, "derivation/of", f"no figure {name!r}")


def numbers(figure: Figure) -> tuple[float, ...]:
    """What two figures of one fact have in common: their numbers, without words or form."""
    value = figure.value
    if isinstance(value, CountValue):
        return (value.successes, value.n)
    if isinstance(value, NumberValue):
        return (value.value,)
    if isinstance(value, DeltaValue):
        return (*value.from_.numbers(), *value.to.numbers())
    if isinstance(value, RangeValue):
        return (value.low, value.high)
    return ()


def _same_as(record: Record, figure: Figure) -> None:
    if figure.same_as is None:
        return
    primary = record.figures.get(figure.same_as)
    if primary is None:
        raise _fail(record, figure.id, "same_as", f"no figure {figure.same_as!r}")
    if primary.same_as is not None:
        raise _fail(record, figure.id, "same_as", f"{primary.id!r} is no primary figure")
    if numbers(primary) != numbers(figure):
        raise _fail(record, figure.id, "value", f"differs from its primary {primary.id!r}")


def _delta(record: Record, figure: Figure, value: DeltaValue) -> None:
    for name, end in ((value.from_figure, value.from_), (value.to_figure, value.to)):
        if name is None:
            continue
        other = record.figures.get(name)
        if other is None:
            raise _fail(record, figure.id, "value", f"no figure {name!r}")
        if end.numbers() != numbers(other):
            raise _fail(record, figure.id, "value", f"an end is not what {name!r} holds")


def _sources(record: Record) -> None:
    for figure in record.walk():
        for ref in (figure.source, *figure.more_sources):
            if ref.ref not in record.sources:
                raise _fail(record, figure.id, "source/ref", f"no source {ref.ref!r}")


def _contradictions(record: Record) -> None:
    for entry in record.contradictions.values():
        for name in entry.figures:
            if name not in record.figures:
                where = f"/contradictions/{entry.id}/figures"
                raise RecordError(f"{PUBLISHED}/contradictions.json", where, f"no figure {name!r}")


def _comparisons(record: Record) -> None:
    file = f"{PUBLISHED}/comparisons.json"
    for entry in record.comparisons.values():
        try:
            verdict = verdict_of(entry, record.figures, record.contradictions)
        except (KeyError, ValueError) as error:
            reason = str(error.args[0])
            raise RecordError(file, f"/comparisons/{entry.id}/basis", reason) from None
        if verdict != entry.verdict:
            reason = f"is {entry.verdict!r}, but its basis gives {verdict!r}"
            raise RecordError(file, f"/comparisons/{entry.id}/verdict", reason)


def _moved(record: Record) -> None:
    for old, new in record.moved.items():
        if old in record.figures or new not in record.figures:
            reason = "the old id must be gone and the new one must exist"
            raise RecordError(f"{PUBLISHED}/moved.json", f"/moved/{old}", reason)
