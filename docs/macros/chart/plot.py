"""Owns what a plot is: sections of rows of marks, a mark being one count as it is shown.

Does not cover where the counts come from (`record_plots`) nor how they are drawn (`plot_layout`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["bars", "grid", "pairs", "dots"]
Decided = Literal["model", "harness", "mixed"]


@dataclass(frozen=True)
class Mark:
    """One count as plotted; `interval` holds the ends of its whisker as shares, if it has one."""

    figure: str
    text: str
    successes: int
    n: int
    decided_by: Decided
    unsafe: bool
    interval: tuple[float, float] | None

    @property
    def share(self) -> float:
        """The count as a share of its n."""
        return self.successes / self.n


@dataclass(frozen=True)
class Row:
    """A label with its marks, in order of time; `cells` are passes and misses, run by run."""

    label: str
    marks: tuple[Mark, ...]
    cells: tuple[bool, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """Rows under one heading."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Plot:
    """All that a chart draws; equal plots give equal SVG."""

    name: str
    kind: Kind
    title: str
    sections: tuple[Section, ...]

    def rows(self) -> list[Row]:
        """Every row, in order."""
        return [row for section in self.sections for row in section.rows]

    def marks(self) -> list[Mark]:
        """Every mark, in order."""
        return [mark for row in self.rows() for mark in row.marks]

    def figures(self) -> list[str]:
        """Ids of the figures that are plotted, each once, in order."""
        ids = (i for row in self.rows() for i in (*(m.figure for m in row.marks), *row.also))
        return list(dict.fromkeys(ids))
