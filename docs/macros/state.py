"""Owns the one site of this process, which mkdocs' hook and mkdocs-macros share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from docs.macros.site import Site


@cache
def site(root: Path) -> Site:
    """The site of a project folder; the same object for every caller."""
    return Site(root)
