"""The record as committed: it is whole, complete, and equal to what it repeats."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path

import pytest

from measure.cli import main, parser
from measure.derive import checks
from measure.record import schema
from measure.record.whole import Record, load

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def record() -> Record:
    """The record of this checkout."""
    return load(ROOT)


def test_every_figure_and_table_of_the_source_is_here(record: Record) -> None:
    """The counts are those of the transcription, committed here and nowhere else."""
    kinds = Counter(f.kind for f in record.walk())
    assert kinds == {"transcribed": 1558, "external": 40, "derived": 21}
    assert len(record.figures) == 1619
    assert len(record.tables) == 105
    assert len(record.contradictions) == 17
    assert len(record.sources) == 57
    assert len(record.published) == 44
    cells = [c for t in record.tables.values() for row in t.rows for c in row]
    assert len(cells) == 1604
    assert sum(c.figure is not None for c in cells) == 1076


def test_figures_that_repeat_a_fact_agree(record: Record) -> None:
    """206 figures repeat another one; loading has compared each with its primary."""
    assert sum(f.same_as is not None for f in record.walk()) == 206


def test_derived_figures_and_intervals_come_out_the_same(record: Record) -> None:
    """Arithmetic over the record gives what the record says."""
    found = list(checks(record))
    assert len(found) == 449
    assert [str(c) for c in found if not c.same] == []


def test_every_replay_is_a_command_that_parses_or_a_reason(record: Record) -> None:
    """Each distinct replay command is one that `py-measure` takes; all others give a reason."""
    commands = {f.replay.command for f in record.walk() if f.replay.command}
    commands |= {result.replay.command for result in record.results.values()}
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "py-measure"
        parser().parse_args(arguments)
    statuses = Counter(f.replay.status for f in record.walk())
    assert statuses["command"] == 5
    # May only shrink: a planned replay turns into a command or into a reason, never back.
    assert statuses["planned"] <= 1141


def test_derived_figures_replay_from_the_command_line(record: Record) -> None:
    """`py-measure replay ID` does the arithmetic again and says same."""
    for figure in record.walk():
        if figure.derivation is not None:
            assert main(["--root", str(ROOT), "replay", figure.id]) == 0


def test_schema_files_are_fresh() -> None:
    """data/schema holds what the models say."""
    assert schema.stale(ROOT) == []
