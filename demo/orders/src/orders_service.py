"""Keeps orders by their number."""

from src.orders import compute_total


class OrdersService:
    """Orders in memory."""

    def __init__(self) -> None:
        self.orders: dict[int, list[float]] = {}

    def place(self, number: int, prices: list[float]) -> float:
        """Keep an order and return what it costs."""
        self.orders[number] = prices
        return compute_total(prices)
