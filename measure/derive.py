"""Owns the arithmetic behind derived figures and intervals, done again from the record.

Does not cover results measured here; their replay judges recorded files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from measure.record.published import Derivation, Figure
from measure.record.values import CountValue, NumberValue
from measure.record.whole import Record, numbers
from measure.stats import wilson


@dataclass(frozen=True)
class Check:
    """A number done again: what the record says and what arithmetic gives."""

    id: str
    what: str
    recorded: tuple[float, ...]
    computed: tuple[float, ...]

    @property
    def same(self) -> bool:
        """Whether both are equal to the digits that the record keeps."""
        return self.recorded == self.computed

    def __str__(self) -> str:
        state = "same" if self.same else f"differs: {self.recorded} recorded"
        shown = " / ".join(f"{x:g}" for x in self.computed)
        return f"{self.id}: {self.what}: {shown}: {state}"


def _amount(record: Record, figure_id: str) -> float:
    value = record.figures[figure_id].value
    if isinstance(value, CountValue):
        return value.successes
    if isinstance(value, NumberValue):
        return value.value
    raise ValueError(f"{figure_id!r} holds no amount")


def compute(record: Record, derivation: Derivation) -> tuple[float, ...]:
    """The value of a derived figure: (value,), or (successes, n) for all-that-ran.

    ValueError when a figure that it needs holds no amount.
    """
    first, *rest = derivation.of
    if derivation.operation == "rows-less-splits":
        return (len(record.tables[first].rows) - derivation.constant,)
    amounts = [_amount(record, name) for name in rest]
    if derivation.operation == "sum":
        return (_amount(record, first) + sum(amounts),)
    if derivation.operation == "difference":
        return (_amount(record, first) - sum(amounts),)
    whole = record.figures[first].value
    if not isinstance(whole, CountValue):
        raise ValueError(f"{first!r} is no count")
    return (whole.successes, whole.n - sum(amounts))


def check_derived(record: Record, figure: Figure) -> Check:
    """A derived figure done again; ValueError for a figure without a derivation."""
    if figure.derivation is None:
        raise ValueError(f"{figure.id!r} is not derived")
    of = ", ".join(figure.derivation.of)
    what = f"{figure.derivation.operation} of {of}"
    return Check(figure.id, what, numbers(figure), compute(record, figure.derivation))


def check_interval(figure: Figure) -> Check:
    """The interval of a count done again."""
    assert isinstance(figure.value, CountValue)
    assert figure.interval is not None
    again = wilson(figure.value.successes, figure.value.n)
    recorded = (figure.interval.lower, figure.interval.upper)
    return Check(figure.id, "interval", recorded, (again.lower, again.upper))


def checks(record: Record) -> Iterator[Check]:
    """Every derived figure and every interval of the record, done again."""
    for figure in record.walk():
        if figure.derivation is not None:
            yield check_derived(record, figure)
        if figure.interval is not None:
            yield check_interval(figure)
