"""Owns the exceptions that a user can act on; does not cover the model's mistakes (values)."""

from __future__ import annotations


class HarnessError(Exception):
    """What went wrong in one line, and what to do about it; printed without a traceback."""

    exit_code = 2
    """Exit code of the command that meets it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class EngineError(HarnessError):
    """A server or a model that did not answer as asked; `kind` tells which way."""

    exit_code = 3

    def __init__(self, kind: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.kind = kind
        """down, no-model, loading, timeout, silent, empty, cut, error-body, refused, unread,
        secret, template, truncated or unmatched."""
