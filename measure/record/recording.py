"""Owns the model of a recording: every model turn of a result, one JSON object a line.

Does not cover how a session is recorded (the helper) nor how it is replayed (the bench).
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from measure.record.shape import DecidedBy, Identifier, Part, Sha256, Timestamp


class RecordingHead(Part):
    """First line of a recording."""

    schema_version: Literal[1]
    """Version of this shape."""
    kind: Literal["recording"]
    """Kind of file."""
    row: Literal["head"]
    """Discriminator of the line."""
    result_id: Identifier
    """Result that it belongs to."""
    python: str
    """Python version, minor included: tool output depends on it."""
    platform: str
    """Operating system and machine type."""


class Usage(Part):
    """Tokens of one exchange, as the server counts them."""

    input_tokens: int | None = Field(default=None, ge=0)
    """Prompt tokens."""
    output_tokens: int | None = Field(default=None, ge=0)
    """Reply tokens."""


class TurnVolatile(Part):
    """What cannot repeat."""

    started_at: Timestamp
    """When the request was sent."""
    duration_s: float = Field(ge=0)
    """Until the reply was complete."""
    load_s: float | None = Field(default=None, ge=0)
    """Of it, loading the model, where the server says."""


class TurnRow(Part):
    """One exchange with a model."""

    row: Literal["turn"]
    """Discriminator of the line."""
    sample: Identifier
    """Sample that it belongs to."""
    turn: int = Field(ge=0)
    """0-based within the sample."""
    request: dict[str, Any]
    """The request body verbatim, model digest and options included."""
    request_sha256: Sha256
    """Over the whole canonical body."""
    attempt: int = Field(ge=1)
    """1 for the first request with this hash within the sample, 2 for the second, and so on."""
    reply: str
    """The reply verbatim."""
    chunks: list[str] = []
    """Its pieces, if streamed."""
    finish_reason: str | None
    """Why it ended, as the server says."""
    usage: Usage
    """Tokens."""
    volatile: TurnVolatile
    """Times."""


class LeftBehindRow(Part):
    """What a sample left behind, and what the judges said to it."""

    row: Literal["left-behind"]
    """Discriminator of the line."""
    sample: Identifier
    """Sample that it belongs to."""
    decided_by: DecidedBy
    """Who decided the outcome."""
    base_sha256: Sha256
    """Tree that the run started from."""
    files: dict[str, str | None]
    """Files changed, by relative path with forward slashes; None: deleted."""
    judge_output: dict[str, str]
    """Normalised output of each judge, by scorer name."""


RecordingRow = RecordingHead | TurnRow | LeftBehindRow
