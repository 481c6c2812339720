"""Owns the charts of the record."""

from __future__ import annotations

from docs.macros.page import Fragment, MacroError, PageContext


def chart(page: PageContext, name: str) -> Fragment:
    """A chart by name."""
    raise MacroError(f"no chart {name!r}")


def files(page_site: object) -> dict[str, str]:
    """Generated files."""
    return {}
