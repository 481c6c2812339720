"""Owns the typed values of published figures: count, number, change, range, words.

Does not cover what a figure says beside its value (`published`).
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from measure.record.shape import Identifier, Part

Unit = Annotated[str, Field(min_length=1)]


class Printed(Part):
    """What every typed value shares."""

    unit: Unit
    """Unit as printed by the source; 'ratio' for a pure factor."""
    as_printed: str
    """The characters of the source, in its own words where it writes words."""
    approximate: bool = False
    """The source says 'about'."""
    bound: Literal["at-most", "at-least", "less-than"] | None = None
    """The source gives a bound rather than a value: up to, timed out at, under."""
    note: str | None = None
    """What the value counts, where the unit alone does not say."""


class CountValue(Printed):
    """`successes` of `n`."""

    type: Literal["count"]
    """Discriminator."""
    successes: int = Field(ge=0)
    """Cases, runs or items counted."""
    n: int = Field(gt=0)
    """Out of how many."""
    subject: str | None = None
    """The case meant, where the cell names one."""

    @model_validator(mode="after")
    def _within_n(self) -> Self:
        if self.successes > self.n:
            raise ValueError(f"successes {self.successes} exceed n {self.n}")
        return self


class NumberValue(Printed):
    """One number with a unit."""

    type: Literal["number"]
    """Discriminator."""
    value: int | float
    """The number."""
    of: str | None = None
    """What a percentage is a share of."""


class End(Part):
    """One end of a change: a count (`successes` of `n`) or a plain number."""

    successes: int | None = Field(default=None, ge=0)
    """Counted."""
    n: int | None = Field(default=None, gt=0)
    """Out of how many."""
    value: int | float | None = None
    """The number."""
    unit: str | None = None
    """Its own unit, where the two ends differ in it."""

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        counted = self.successes is not None and self.n is not None
        if counted == (self.value is not None):
            raise ValueError("an end is successes of n, or a value")
        return self

    def numbers(self) -> tuple[float, ...]:
        """(successes, n) or (value,)."""
        if self.successes is not None and self.n is not None:
            return (self.successes, self.n)
        return (self.value or 0,)


class DeltaValue(Printed):
    """A change from one printed value to another."""

    type: Literal["delta"]
    """Discriminator."""
    from_: End = Field(alias="from")
    """Before."""
    to: End
    """After."""
    from_figure: Identifier | None = None
    """Figure that holds the value before."""
    to_figure: Identifier | None = None
    """Figure that holds the value after."""


class RangeValue(Printed):
    """A printed range."""

    type: Literal["range"]
    """Discriminator."""
    low: int | float
    """Low end."""
    high: int | float
    """High end."""
    n: int | None = None
    """Out of how many, for a range of counts."""
    of: str | None = None
    """What a percentage is a share of."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low {self.low} is above high {self.high}")
        return self


class TextValue(Part):
    """A finding in words (ours); its numbers, if any, are figures of their own (`parts`)."""

    type: Literal["text"]
    """Discriminator."""
    text: str = Field(min_length=1)
    """The finding."""


Value = Annotated[
    CountValue | NumberValue | DeltaValue | RangeValue | TextValue, Field(discriminator="type")
]
