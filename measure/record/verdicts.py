"""Owns the rules that turn the basis of a published comparison into its verdict.

Does not cover measured comparisons, whose verdicts come from tests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from measure.record.comparison import (
    ContradictedBasis,
    GapBasis,
    NoModelBasis,
    PublishedComparison,
    PublishedVerdict,
)
from measure.record.published import Contradiction, Figure
from measure.record.values import CountValue, NumberValue, RangeValue

PLACEHOLDER = re.compile(r"\{([A-Za-z0-9._-]+)\}")
"""A figure inside a statement."""


def figures_in(statement: str) -> list[str]:
    """Ids of the figures that a statement prints, in order."""
    return PLACEHOLDER.findall(statement)


def verdict_of(
    entry: PublishedComparison,
    figures: Mapping[str, Figure],
    contradictions: Mapping[str, Contradiction],
) -> PublishedVerdict:
    """The verdict that follows from the basis; KeyError or ValueError on a basis that cannot be."""
    for name in figures_in(entry.statement):
        _figure(name, figures)
    basis = entry.basis
    if isinstance(basis, GapBasis):
        return _gap(basis, figures)
    if isinstance(basis, NoModelBasis):
        return _no_model(basis, figures)
    if isinstance(basis, ContradictedBasis):
        return _contradicted(basis, contradictions)
    return "cannot-be-settled"


def _figure(name: str, figures: Mapping[str, Figure]) -> Figure:
    if name not in figures:
        raise KeyError(f"no figure {name!r}")
    return figures[name]


def _count(name: str, figures: Mapping[str, Figure]) -> CountValue:
    value = _figure(name, figures).value
    if not isinstance(value, CountValue):
        raise ValueError(f"{name!r} is no count")
    return value


def inside_floor(gap: float, floor: Figure) -> bool:
    """Whether a gap in cases is noise by the source's rule that this figure holds."""
    value = floor.value
    if isinstance(value, RangeValue):
        return gap <= value.high
    if isinstance(value, NumberValue):
        return gap < value.value if value.bound == "less-than" else gap <= value.value
    raise ValueError(f"{floor.id!r} is no noise floor")


def _gap(basis: GapBasis, figures: Mapping[str, Figure]) -> PublishedVerdict:
    a, b = _count(basis.a, figures), _count(basis.b, figures)
    if a.n != b.n:
        raise ValueError(f"{basis.a!r} is out of {a.n}, {basis.b!r} out of {b.n}")
    gap = a.successes - b.successes
    inside = inside_floor(abs(gap), _figure(basis.floor, figures))
    if basis.says == "level":
        return "as-stated" if inside else "cannot-be-settled"
    if (gap > 0) != (basis.says == "more") or gap == 0:
        raise ValueError(f"the figures do not say that {basis.a!r} is {basis.says}")
    return "inside-noise" if inside else "as-stated"


def _no_model(basis: NoModelBasis, figures: Mapping[str, Figure]) -> PublishedVerdict:
    for name in basis.figures:
        if _figure(name, figures).decided_by not in {"harness", "not-a-run"}:
            raise ValueError(f"{name!r} was not decided without a model")
    return "as-stated"


def _contradicted(
    basis: ContradictedBasis, contradictions: Mapping[str, Contradiction]
) -> PublishedVerdict:
    if basis.contradiction not in contradictions:
        raise KeyError(f"no contradiction {basis.contradiction!r}")
    if contradictions[basis.contradiction].settled:
        raise ValueError(f"{basis.contradiction!r} is settled")
    return "cannot-be-settled"
