"""Owns the statistics of the bench; scipy computes, this names. Does not cover verdicts."""

from __future__ import annotations

from scipy.stats import binomtest

from measure.record.shape import Interval

WILSON = "Wilson, runs taken as independent"


def wilson(successes: int, n: int, level: float = 0.95, method: str = WILSON) -> Interval:
    """Wilson score interval of a proportion (Wilson 1927), bounds rounded to 6 digits.

    Never the Wald interval: it covers far less than it claims at small n.
    """
    found = binomtest(successes, n).proportion_ci(confidence_level=level, method="wilson")
    return Interval(
        lower=round(float(found.low), 6),
        upper=round(float(found.high), 6),
        level=level,
        method=method,
    )
