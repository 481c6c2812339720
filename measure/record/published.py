"""Owns the models of `data/published/`: figures and tables of the source publication, transcribed.

Does not cover what was measured here (`result`).
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from measure.record.shape import Day, Identifier, Interval, Part
from measure.record.values import Value

Kind = Literal["transcribed", "external", "derived"]
ReplayStatus = Literal[
    "command", "planned", "setup-fact", "external", "private-repository", "not-rebuilt"
]


class PublishedReplay(Part):
    """How the figure can be had again, or why it cannot."""

    status: ReplayStatus
    """command, planned (counted), or the reason why there is none."""
    command: str | None = None
    """A command of this project that its CLI parses; only with status command."""
    reason: str | None = None
    """Why there is none, in a clause; required with not-rebuilt."""
    source_command: str | None = None
    """The command that the source prints beside the figure, of its own repository."""
    note: str | None = None
    """What else to know about the source's command."""
    mismatch: str | None = None
    """Where the source's command and its figure disagree (repeats)."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.command is not None) != (self.status == "command"):
            raise ValueError("a command stands with status 'command' and only there")
        if self.status == "not-rebuilt" and not self.reason:
            raise ValueError("status 'not-rebuilt' needs a reason")
        return self


class SourceRef(Part):
    """Where a figure or a table stands in the source."""

    ref: Identifier
    """Entry of sources.json."""
    section: str | None = None
    """Heading of the section."""


class Derivation(Part):
    """Arithmetic over other figures that yields this one."""

    operation: Literal["sum", "difference", "all-that-ran", "rows-less-splits"]
    """sum: added; difference: first less the rest; all-that-ran: successes of the first, of its n
    less the rest; rows-less-splits: rows of the table named, less `constant`."""
    of: list[Identifier] = Field(min_length=1)
    """Figures (or the one table) that it is computed from, in order."""
    constant: int = 0
    """Rows that were split in transcription, for rows-less-splits."""


class Figure(Part):
    """One published figure, bound to its source and to its replay."""

    id: Identifier
    """Stable id; also its key in the file and its anchor in the replay index."""
    kind: Kind
    """transcribed, external (another work's, quoted) or derived (our arithmetic)."""
    label: str = Field(min_length=1)
    """Words for a reader, unique within its table or place."""
    table: Identifier | None = None
    """Table that prints it, if one does."""
    row_index: int | None = None
    """0-based row in that table; tells rows of one name apart."""
    row: str | None = None
    """Row label."""
    column: str | None = None
    """Column heading."""
    place: str | None = None
    """Part of the page, for a figure outside tables."""
    value: Value
    """The typed value."""
    interval: Interval | None = None
    """Ours, for model-decided counts; the source prints none."""
    polarity: Literal["good", "bad", "neutral"]
    """Whether a larger count is better."""
    model: str | None = None
    """Model tag as the source gives it."""
    machine: Literal["laptop", "hosted", "unknown"]
    """The source's machine."""
    date: Day | None = None
    """Day of the measurement, where the source says."""
    repeats: int | None = None
    """Passes over the cases, where the source says."""
    steps: int | None = None
    """Step budget of a run."""
    decided_by: Literal["model", "harness", "mixed", "not-a-run", "unknown"]
    """Who decided it: a harness-decided figure is no model score."""
    unsafe_before_2026_09_06: bool | None = None
    """True: a model number from before the source repaired its instrument, called unsafe there."""
    same_as: Identifier | None = None
    """Primary figure of the same fact; both values are equal."""
    part_of: Identifier | None = None
    """Packed figure that this number is a piece of."""
    parts: list[Identifier] = []
    """Numbers packed in this figure's text."""
    era: Literal["page", "beyond", "later"]
    """page: the four pages and their write-ups; beyond: other pages; later: after them."""
    pages: list[str]
    """Pages of the source that print it, as slugs."""
    fixture: str | None = None
    """Project the run was on."""
    task: str | None = None
    """What was typed."""
    cites: str | None = None
    """external only: bibliography key, or the words for an unnamed source."""
    caveat: str | None = None
    """What else a reader must know."""
    derivation: Derivation | None = None
    """derived only: how it is computed."""
    replay: PublishedReplay
    """How to have it again."""
    source: SourceRef
    """Where it stands."""
    more_sources: list[SourceRef] = []
    """Where else it stands."""


class Cell(Part):
    """One cell of a transcribed table."""

    text: str
    """Text as printed, labels in our words."""
    figure: Identifier | None = None
    """Figure that the cell holds; None in a label or blank cell."""


class Table(Part):
    """A transcribed table."""

    id: Identifier
    """Stable id; also its key in the file and its anchor."""
    title: str
    """Title in our words."""
    section: str
    """Section of the source that holds it."""
    era: Literal["page", "beyond", "later"]
    """As for figures."""
    pages: list[str]
    """Pages of the source that print it."""
    caption: str
    """What the rows have in common: model, date, repeats, steps."""
    columns: list[str] = Field(min_length=1)
    """Column headings."""
    rows: list[list[Cell]] = Field(min_length=1)
    """Cells, one list a row, as many as columns."""
    source_commands: list[str] = []
    """Commands that the source prints with the table."""
    caveat: str | None = None
    """What else a reader must know."""
    sources: list[SourceRef] = Field(min_length=1)
    """Where it stands."""

    @model_validator(mode="after")
    def _rectangular(self) -> Self:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(f"row {number} has {len(row)} cells, columns {len(self.columns)}")
        return self


class ExperimentHead(Part):
    """Names the experiment of a file."""

    id: Identifier
    """Slug; the same in every room."""
    sections: list[str]
    """Sections of the source that its tables stand in."""


class PublishedFile(Part):
    """`data/published/<experiment>.json`."""

    schema_version: Literal[1]
    """Version of this shape."""
    kind: Literal["published"]
    """Kind of file."""
    experiment: ExperimentHead
    """The experiment."""
    tables: dict[Identifier, Table]
    """Tables by id, in the source's order."""
    figures: dict[Identifier, Figure]
    """Figures by id."""


class Source(Part):
    """A place that figures were transcribed from."""

    id: Identifier
    """Stable id."""
    kind: Literal["page", "write-up", "ledger", "code"]
    """What it is."""
    title: str | None = None
    """Its title."""
    repository: str | None = None
    """owner/name, for stored files."""
    path: str | None = None
    """Path inside the repository."""
    commit: str | None = None
    """Full commit."""
    address: str | None = None
    """Path of the page on the source's site."""
    licence: str | None = None
    """Licence as stated by the source."""
    pages: list[str] = []
    """Slugs of the pages that it prints."""
    note: str | None = None
    """What else to know."""


class SourcesFile(Part):
    """`data/published/sources.json`."""

    schema_version: Literal[1]
    """Version of this shape."""
    kind: Literal["sources"]
    """Kind of file."""
    publication: str
    """Bibliography key of the source publication, which owns the figures."""
    licence_note: str
    """What the source states about its licence."""
    sources: dict[Identifier, Source]
    """Sources by id."""


class Contradiction(Part):
    """Statements of the source that do not agree."""

    id: Identifier
    """Stable id."""
    statement: str
    """What disagrees, in our words."""
    figures: list[Identifier] = Field(min_length=1)
    """Figures it is about."""
    what_arithmetic_shows: str
    """What can be computed from what was published."""
    settled: bool
    """Whether that arithmetic settles the matter."""


class ContradictionsFile(Part):
    """`data/published/contradictions.json`."""

    schema_version: Literal[1]
    """Version of this shape."""
    kind: Literal["contradictions"]
    """Kind of file."""
    contradictions: dict[Identifier, Contradiction]
    """Contradictions by id."""


class MovedFile(Part):
    """`data/published/moved.json`: ids that were renamed, so that old anchors still lead on."""

    schema_version: Literal[1]
    """Version of this shape."""
    kind: Literal["moved"]
    """Kind of file."""
    moved: dict[Identifier, Identifier]
    """Old id to the id that took its place."""
