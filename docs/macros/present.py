"""Owns how a value of the record is written for a reader; does not cover HTML or pages."""

from __future__ import annotations

from measure.record.shape import Interval
from measure.record.values import (
    CountValue,
    DeltaValue,
    End,
    NumberValue,
    Printed,
    RangeValue,
    Value,
)

NBSP = "\u00a0"
SYMBOLS = frozenset({"%", "s", "GB", "MB", "KB", "B", "min", "F1"})
"""Units that stand beside the number even where the sentence names what is counted."""

_BOUNDS = {"at-most": "≤", "at-least": "≥", "less-than": "<"}


def number(value: int | float) -> str:
    """A number with thousands separated and no needless digits: 4,580; 0.91; 3."""
    if isinstance(value, int) or value.is_integer():
        return f"{int(value):,}"
    return f"{value:,}"


def _mark(value: Printed, text: str) -> str:
    bound = _BOUNDS[value.bound] + NBSP if value.bound else ""
    about = "about" + NBSP if value.approximate else ""
    return f"{about}{bound}{text}"


def _with_unit(text: str, unit: str, always: bool) -> str:
    if unit in SYMBOLS and unit != "F1":
        return f"{text}%" if unit == "%" else f"{text}{NBSP}{unit}"
    return f"{text}{NBSP}{unit}" if always else text


def count(successes: int, n: int) -> str:
    """8 / 20, unbreakable."""
    return f"{number(successes)}{NBSP}/{NBSP}{number(n)}"


def _end(end: End) -> str:
    if end.successes is not None and end.n is not None:
        return count(end.successes, end.n)
    return number(end.value or 0)


def _count_forms(value: CountValue) -> dict[str, str]:
    share = f"{100 * value.successes / value.n:.0f}%"
    return {
        "": _mark(value, count(value.successes, value.n)),
        "of": f"{number(value.successes)} of {number(value.n)}",
        "unit": f"{count(value.successes, value.n)}{NBSP}{value.unit}",
        "successes": number(value.successes),
        "n": number(value.n),
        "percent": share,
    }


def forms(value: Value) -> dict[str, str]:
    """Every way in which a page may write the value, by the name of the form; '' is the default.

    of: '8 of 20'; unit: with its unit; bare: without any; words: as the source prints it;
    successes, n: one of a count; percent: a count as a share, rounded; from, to: one end.
    """
    if isinstance(value, CountValue):
        out = _count_forms(value)
    elif isinstance(value, NumberValue):
        bare = number(value.value)
        out = {
            "": _mark(value, _with_unit(bare, value.unit, always=False)),
            "unit": _mark(value, _with_unit(bare, value.unit, always=True)),
            "bare": bare,
        }
    elif isinstance(value, DeltaValue):
        ends = (_end(value.from_), _end(value.to))
        low, high = (_with_unit(end, value.unit, always=False) for end in ends)
        out = {"": f"{low} → {high}", "from": low, "to": high}
    elif isinstance(value, RangeValue):
        span = f"{number(value.low)}–{number(value.high)}"
        of = f"{span}{NBSP}/{NBSP}{number(value.n)}" if value.n else span
        out = {
            "": _mark(value, _with_unit(of, value.unit, always=False)),
            "unit": _mark(value, _with_unit(of, value.unit, always=True)),
            "low": number(value.low),
            "high": number(value.high),
        }
    else:
        return {"": value.text}
    return out | {"words": value.as_printed}


def machine_value(value: Value) -> str:
    """The `value` attribute of `<data>`: a plain decimal where there is one, else the text."""
    if isinstance(value, CountValue):
        return f"{value.successes / value.n:.6g}"
    if isinstance(value, NumberValue):
        return f"{value.value:g}" if abs(value.value) < 1e6 else str(value.value)
    return forms(value)[""].replace(NBSP, " ")


def interval_text(interval: Interval | None, successes: int | None, n: int | None) -> str | None:
    """'22–61 % (95 %, Wilson…)'; at 0 or n of n only the bound that says something."""
    if interval is None:
        return None
    low, high = f"{100 * interval.lower:.0f}%", f"{100 * interval.upper:.0f}%"
    tail = f"({100 * interval.level:.0f}% interval, {interval.method})"
    if n is not None and successes == n:
        return f"at least {low} at n = {n} {tail}"
    if successes == 0:
        return f"at most {high} at n = {n} {tail}"
    return f"{low} to {high} {tail}"
