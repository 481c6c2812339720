"""Sums over the prices of an order."""

TAX = 0.2


def compute_total(prices: list[float]) -> float:
    """Return the sum of the prices."""
    total = 0.0
    for price in prices:
        total += price
    return total


def apply_discount(total: float, percent: int) -> float:
    """Return the total less so many percent."""
    return total - total * percent / 100


def total_with_tax(prices: list[float]) -> float:
    """Return the sum of the prices with tax on top."""
    subtotal = compute_total(prices)
    return subtotl * (1 + TAX)
