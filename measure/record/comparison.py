"""Owns comparative statements: those of the source with a verdict by rule, and measured ones.

Does not cover the statistics behind a measured comparison; those are computed elsewhere.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from measure.record.shape import Identifier, Part

PublishedVerdict = Literal["as-stated", "inside-noise", "cannot-be-settled"]


class GapBasis(Part):
    """Two counts over equally many runs, and the noise floor the source names for them."""

    rule: Literal["gap"]
    """Discriminator."""
    a: Identifier
    """Count that the statement puts first."""
    b: Identifier
    """Count that it is set against."""
    says: Literal["more", "fewer", "level"]
    """What the statement says of a against b."""
    floor: Identifier
    """Figure with the source's noise rule, in cases or runs; a range counts by its high end."""


class NoModelBasis(Part):
    """Figures that no model had a part in: nothing was sampled, so there is no noise."""

    rule: Literal["no-model"]
    """Discriminator."""
    figures: list[Identifier] = Field(min_length=1)
    """Figures, each decided by the harness or not a run."""


class ContradictedBasis(Part):
    """The source states two things that cannot both hold, and arithmetic does not settle which."""

    rule: Literal["contradicted"]
    """Discriminator."""
    contradiction: Identifier
    """Entry of contradictions.json, not settled."""


class UnpublishedBasis(Part):
    """What would be needed to judge was not published."""

    rule: Literal["unpublished"]
    """Discriminator."""
    missing: str = Field(min_length=10)
    """What is missing: repeats, a second arm, the split by case."""


Basis = Annotated[
    GapBasis | NoModelBasis | ContradictedBasis | UnpublishedBasis, Field(discriminator="rule")
]


class PublishedComparison(Part):
    """A comparative statement of the source that our pages repeat."""

    id: Identifier
    """Stable id; what a claim macro names."""
    statement: str = Field(min_length=10)
    """The statement in our words; `{figure id}` stands where a figure is printed."""
    basis: Basis
    """What the verdict rests on."""
    verdict: PublishedVerdict
    """as-stated, inside-noise (the source's own), or cannot-be-settled; follows from the basis."""
    reason: str = Field(min_length=10)
    """The verdict in a clause for a reader."""


class ComparisonsFile(Part):
    """`data/published/comparisons.json`."""

    schema_version: Literal[1]
    """Version of this shape."""
    kind: Literal["comparisons"]
    """Kind of file."""
    comparisons: dict[Identifier, PublishedComparison]
    """Comparisons by id."""


class SignificanceTest(Part):
    """The test behind a measured comparison."""

    name: str
    """Usual name: exact McNemar, paired cluster bootstrap."""
    p: float = Field(ge=0, le=1)
    """p value as computed."""
    adjusted: float = Field(ge=0, le=1)
    """p value after Holm within the declared family."""


class Difference(Part):
    """Interval of a difference of two proportions."""

    lower: float = Field(ge=-1, le=1)
    """Lower bound."""
    upper: float = Field(ge=-1, le=1)
    """Upper bound."""
    level: float = Field(gt=0, lt=1)
    """Confidence level."""
    method: str
    """Method by its usual name."""


class MeasuredComparison(Part):
    """Two arms over the same cases, measured here."""

    id: Identifier
    """Stable id within its result; what a claim macro names."""
    a: Identifier
    """First arm."""
    b: Identifier
    """Second arm."""
    paired_by: Literal["case", "case-and-epoch", "none"]
    """What pairs the samples."""
    discordant: tuple[int, int]
    """Pairs won by a, pairs won by b."""
    estimate: float = Field(ge=-1, le=1)
    """Difference a less b, as a proportion."""
    interval: Difference
    """Its interval."""
    test: SignificanceTest
    """Its test."""
    noise_floor: float = Field(ge=0)
    """Spread of identical runs (A/A), as a proportion."""
    minimum_detectable_effect: float = Field(ge=0)
    """Smallest difference this sample finds at 80 % power, as a proportion."""
    verdict: Literal["supported", "inconclusive", "no-difference"]
    """supported clears test, interval and floor; no-difference needs a margin set beforehand."""
