"""Owns what every model of the record shares: strictness and small vocabularies; no file kinds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=120)]
"""Stable id of a figure, a table, an experiment; never reused, never renamed without a redirect."""

Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
"""A calendar day, ISO 8601."""

Timestamp = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$")]
"""A moment in UTC, RFC 3339, always with Z."""

Sha256 = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
"""sha256 over canonical JSON (RFC 8785) or over a file's bytes, as the field says."""

DecidedBy = Literal["model", "harness", "mixed"]
"""Who decided an outcome: the model's text, the harness without a model, or both."""


class Part(BaseModel):
    """A frozen piece of the record: unknown fields are refused, a string under each field."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        use_attribute_docstrings=True,
        populate_by_name=True,
        allow_inf_nan=False,
    )


class Interval(Part):
    """An interval estimate of a proportion."""

    lower: float = Field(ge=0, le=1)
    """Lower bound, as a proportion."""
    upper: float = Field(ge=0, le=1)
    """Upper bound, as a proportion."""
    level: float = Field(gt=0, lt=1)
    """Confidence level, 0.95 unless said."""
    method: str
    """The method by its usual name, with its assumption where one is made."""
