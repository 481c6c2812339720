"""Owns the counts over the record that the site prints of itself; does not cover pages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from measure.record.whole import Record


@dataclass(frozen=True)
class Count:
    """One count: `unit` says what is counted, `command` prints it again."""

    name: str
    label: str
    unit: str
    value: int
    command: str = "py-measure counts"


def counts(record: Record) -> dict[str, Count]:
    """Every count by name, in the order in which `py-measure counts` prints them."""
    figures = list(record.walk())
    kinds = Counter(f.kind for f in figures)
    replays = Counter(f.replay.status for f in figures)
    decided = Counter(f.decided_by for f in figures)
    eras = Counter(f.era for f in figures)
    outcomes = Counter(s.outcome for r in record.results.values() for s in r.samples)
    rows = [
        ("figures", "published figures in the record", "figures", len(figures)),
        ("facts", "distinct facts among them", "figures", sum(not f.same_as for f in figures)),
        ("tables", "transcribed tables", "tables", len(record.tables)),
        ("experiments", "published experiments", "experiments", len(record.published)),
        ("sources", "places they were transcribed from", "sources", len(record.sources)),
        ("contradictions", "contradictions of the source", "entries", len(record.contradictions)),
        ("comparisons", "statements with a verdict", "statements", len(record.comparisons)),
        ("unsafe", "figures the source calls unsafe", "figures",
         sum(bool(f.unsafe_before_2026_09_06) for f in figures)),
        ("results", "results measured here", "results", len(record.results)),
        ("samples", "samples measured here and scored", "samples", outcomes["scored"]),
    ]  # fmt: skip
    for prefix, words, counter in (
        ("kind", "figures of kind", kinds),
        ("replay", "figures whose replay is", replays),
        ("decided", "figures decided by", decided),
        ("era", "figures of era", eras),
    ):
        rows += [(f"{prefix}.{k}", f"{words} {k}", "figures", v) for k, v in counter.items()]
    out = {name: Count(name, label, unit, value) for name, label, unit, value in rows}
    return out | _by_experiment(record) | _verdicts(record)


def _by_experiment(record: Record) -> dict[str, Count]:
    out: dict[str, Count] = {}
    for slug, file in record.published.items():
        planned = sum(f.replay.status == "planned" for f in file.figures.values())
        for name, label, value in (
            (f"experiment.{slug}.figures", f"figures of {slug}", len(file.figures)),
            (f"experiment.{slug}.planned", f"planned replays of {slug}", planned),
        ):
            out[name] = Count(name, label, "figures", value)
    return out


def _verdicts(record: Record) -> dict[str, Count]:
    found = Counter(c.verdict for c in record.comparisons.values())
    settled = sum(c.settled for c in record.contradictions.values())
    out = {
        f"verdict.{k}": Count(f"verdict.{k}", f"statements {k}", "statements", v)
        for k, v in found.items()
    }
    name = "contradictions.settled"
    out[name] = Count(name, "contradictions that arithmetic settles", "entries", settled)
    return out
