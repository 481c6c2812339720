"""Owns the one exception that a user can act on; does not cover the model's mistakes (values)."""

from __future__ import annotations


class HarnessError(Exception):
    """What went wrong in one line, and what to do about it; printed without a traceback."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message
