"""Owns the one view that pages have of any number: published, measured here, or counted.

Does not cover how it is set into a page (`numbers`) nor the record's own shape.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from docs.macros import present
from measure.record.counts import Count
from measure.record.published import Figure, PublishedReplay
from measure.record.result import Metric, ResultFile
from measure.record.shape import Interval
from measure.record.values import CountValue, TextValue
from measure.record.whole import RESULTS, Record

KIND_NOTES = {
    "measured": "measured here; every model turn is recorded",
    "transcribed": "published by the source project (Bichel, 2026); not measured here",
    "external": "published by others and quoted by the source; not measured here",
    "derived": "computed here from other figures of the record",
}
DECIDED_NOTES = {
    "model": "decided by the model's text",
    "harness": "finished by the harness without a model: no model score",
    "mixed": "partly by the model, partly by the harness",
    "not-a-run": "not a run",
    "unknown": "the source does not say who decided",
}
_MACHINES = {"laptop": "the source's laptop", "hosted": "a hosted server", "unknown": None}
_KEY = re.compile(r"[a-z]+\d{4}[a-z0-9]*")
UNSAFE_NOTE = (
    "measured before the source repaired its instrument on 6 September 2026, "
    "which calls such numbers unsafe"
)
REPLAY_NOTES = {
    "command": "Run this command to have it again.",
    "planned": "Planned: no command measures it anew yet.",
    "setup-fact": "A setup fact: nothing was run, so nothing can be replayed.",
    "external": "Published elsewhere: see the work cited.",
    "private-repository": "Cannot be replayed: it was measured on a private repository.",
    "not-rebuilt": "Not rebuilt",
}


@dataclass(frozen=True)
class ReplayView:
    """How to have a number again, in words."""

    status: str
    command: str | None
    note: str
    source_command: str | None


@dataclass(frozen=True, kw_only=True)
class Quoted:
    """A number as a page sees it; `forms` maps the name of a form to its text."""

    id: str
    experiment: str
    label: str
    context: str
    kind: str
    forms: dict[str, str]
    machine_value: str
    value: dict[str, Any]
    decided_by: str
    source: str
    replay: ReplayView
    src: str
    words: bool = False
    n: int | None = None
    interval: str | None = None
    date: str | None = None
    model: str | None = None
    machine: str | None = None
    repeats: int | None = None
    steps: int | None = None
    unsafe: bool = False
    caveat: str | None = None
    cites: str | None = None

    @property
    def text(self) -> str:
        """The default form."""
        return self.forms[""]

    @property
    def anchor(self) -> str:
        """Way to its replay entry, relative to the site's root."""
        return f"replay/{self.experiment}/#{self.id}"

    @property
    def cites_href(self) -> str | None:
        """Way to the work cited, relative to the site's root; None where the source names none."""
        key = self.cites if self.cites and _KEY.fullmatch(self.cites) else None
        return f"references/#ref-{key}" if key else None

    def card(self) -> dict[str, Any]:
        """What the page's JSON twin says of it."""
        return {
            "label": self.label,
            "context": self.context,
            "text": self.text.replace(present.NBSP, " "),
            "value": self.value,
            "n": self.n,
            "interval": self.interval,
            "kind": self.kind,
            "kind_note": KIND_NOTES[self.kind],
            "date": self.date,
            "model": self.model,
            "machine": self.machine,
            "decided_by": self.decided_by,
            "decided_note": DECIDED_NOTES[self.decided_by],
            "repeats": self.repeats,
            "steps": self.steps,
            "unsafe": self.unsafe,
            "caveat": self.caveat,
            "source": self.source,
            "cites": self.cites,
            "cites_href": self.cites_href,
            "replay": vars(self.replay),
            "replay_href": self.anchor,
            "src": self.src,
            "json_href": self.src.partition("#")[0],
        }


def _replay(replay: PublishedReplay) -> ReplayView:
    note = REPLAY_NOTES[replay.status]
    if replay.reason:
        note = f"{note}: {replay.reason}."
    if replay.mismatch:
        note = f"{note} The source's command does not fit the figure ({replay.mismatch})."
    if replay.note and replay.source_command:
        note = f"{note} On the source's command: {replay.note}."
    return ReplayView(replay.status, replay.command, note, replay.source_command)


def source_text(record: Record, figure: Figure) -> str:
    """Where a figure stands, in words: title or path, section, commit."""
    source = record.sources[figure.source.ref]
    where = source.title or f"{source.repository} {source.path}"
    section = f", section “{figure.source.section}”" if figure.source.section else ""
    commit = f", commit {source.commit[:8]}" if source.commit else ""
    return f"{where}{section}{commit}"


def _context(record: Record, figure: Figure) -> str:
    """What the label is told apart in: its table's title, or the part of the page."""
    if figure.table:
        return record.tables[figure.table].title
    return figure.place or ""


def published(record: Record, figure: Figure) -> Quoted:
    """A published figure as a page sees it."""
    experiment = record.experiment_of[figure.id]
    value = figure.value
    n = value.n if isinstance(value, CountValue) else None
    successes = value.successes if isinstance(value, CountValue) else None
    return Quoted(
        id=figure.id,
        experiment=experiment,
        label=figure.label,
        context=_context(record, figure),
        kind=figure.kind,
        forms=present.forms(value),
        machine_value=present.machine_value(value),
        words=isinstance(value, TextValue),
        value=value.model_dump(mode="json", by_alias=True, exclude_defaults=True),
        n=n,
        interval=present.interval_text(figure.interval, successes, n),
        date=figure.date,
        model=figure.model,
        machine=_MACHINES[figure.machine],
        decided_by=figure.decided_by,
        repeats=figure.repeats,
        steps=figure.steps,
        unsafe=bool(figure.unsafe_before_2026_09_06),
        caveat=figure.caveat,
        source=source_text(record, figure),
        cites=figure.cites,
        replay=_replay(figure.replay),
        src=f"{record.file_of(experiment)}#/figures/{figure.id}",
    )


def _metric_forms(metric: Metric) -> dict[str, str]:
    if metric.successes is None:
        value = present.number(metric.estimate)
        return {"": value, "unit": f"{value}{present.NBSP}{metric.unit}", "bare": value}
    count = CountValue(
        type="count", successes=metric.successes, n=metric.n, unit=metric.unit, as_printed=""
    )
    return {name: text for name, text in present.forms(count).items() if text}


def measured(result: ResultFile, index: int) -> Quoted:
    """A figure of a result measured here, as a page sees it; its id is `result:metric`."""
    metric = result.results[index]
    interval: Interval | None = metric.confidence_interval
    path = f"{RESULTS}/{result.experiment.id}/{result.result_id}.json"
    return Quoted(
        id=f"{result.result_id}:{metric.id}",
        experiment=result.experiment.id,
        label=metric.label,
        context=result.experiment.question,
        kind="measured",
        forms=_metric_forms(metric),
        machine_value=f"{metric.estimate:.6g}",
        value=metric.model_dump(mode="json", include={"estimate", "successes", "n", "unit"}),
        n=metric.n,
        interval=present.interval_text(interval, metric.successes, metric.n),
        date=result.provenance.measured_on,
        model=result.model.name if result.model else None,
        machine=result.environment.cpu,
        decided_by=metric.decided_by,
        repeats=max(sample.epoch for sample in result.samples),
        caveat=metric.note,
        source=f"{path}, commit {result.revision.commit[:8]}"
        + (" with uncommitted changes" if result.revision.dirty else ""),
        replay=ReplayView("command", result.replay.command, REPLAY_NOTES["command"], None),
        src=f"{path}#/results/{index}/estimate",
    )


def counted(count: Count) -> Quoted:
    """A count over the record itself; its id is `count:name`."""
    forms = {"": present.number(count.value), "bare": present.number(count.value)}
    return Quoted(
        id=f"count:{count.name}",
        experiment="counts",
        label=count.label,
        context="The record",
        kind="derived",
        forms=forms,
        machine_value=str(count.value),
        value={"type": "number", "value": count.value, "unit": count.unit},
        decided_by="not-a-run",
        source="counted over the record",
        replay=ReplayView("command", count.command, REPLAY_NOTES["command"], None),
        src=f"data/counts.json#/{count.name}",
    )
