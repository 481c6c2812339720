"""Answers what the shop's front page asks."""

from src.orders_service import OrdersService


class OrdersController:
    """Speaks for the service."""

    def __init__(self, service: OrdersService) -> None:
        self.service = service

    def status(self, number: int) -> str:
        """Say how an order stands."""
        known = number in self.service.orders
        return stauts if known else "unknown"
