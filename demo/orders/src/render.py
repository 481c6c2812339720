"""How an order's report looks."""

from src import report


def as_text(prices: list[float]) -> str:
    """Return one line a price under the report's title."""
    return "\n".join([report.TITLE, *(f"{price:8.2f}" for price in prices)])
