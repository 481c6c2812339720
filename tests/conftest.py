"""Fixtures that many tests share: a small project of our own making, and pages to expand in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docs.macros.page import PageContext
from docs.macros.site import Site

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def site() -> Site:
    """The site of this checkout, opened once."""
    opened = Site(ROOT)
    opened.open()
    return opened


@pytest.fixture
def page(site: Site) -> PageContext:
    """A page two folders deep in the site."""
    site.faults.clear()
    return PageContext(site, "experiments/try.md", "experiments/try/")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the record and the bibliography that a test may break."""
    for name in ("data", "bib"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def edit() -> Callable[[Path, Callable[[dict[str, Any]], None]], None]:
    """Change a JSON file in place."""

    def change(path: Path, how: Callable[[dict[str, Any]], None]) -> None:
        raw = json.loads(path.read_text(encoding="utf-8"))
        how(raw)
        path.write_text(json.dumps(raw, ensure_ascii=False, indent=1), encoding="utf-8")

    return change
