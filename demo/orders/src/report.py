"""What an order's report says."""

from src import render

TITLE = "Order"


def report(prices: list[float]) -> str:
    """Return the report of an order as text."""
    return render.as_text(prices)
