"""A small project with this checkout's macros and record, for tests that build or serve a site."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("docs/macros", "docs/theme", "docs/assets", "data", "bib", "harness", "measure")
PAGE = """---
title: Try
---

# Try

Tier six: [[ num("wall.llama3.1-8b.worked") ]].
"""


def make(folder: Path, pages: dict[str, str] | None = None) -> Path:
    """Fill `folder` with a project whose docs are index.md and the pages given; returns it."""
    ignore = shutil.ignore_patterns("__pycache__", ".mypy_cache")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config = re.sub(r"^nav:\n(?:[ #].*\n|\n)*", "", config, flags=re.MULTILINE)
    # A small docs folder has no file for some of the site's own exclusions.
    (folder / "mkdocs.yml").write_text(config, encoding="utf-8")
    cache = ROOT / ".cache"
    if cache.is_dir():
        shutil.copytree(cache, folder / ".cache")
    for name, text in ({"index.md": PAGE} | (pages or {})).items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def environment(folder: Path) -> dict[str, str]:
    """The environment in which the project's own modules are found before this checkout's."""
    kept = {k: v for k, v in os.environ.items() if k not in {"CI", "PYTHONPATH"}}
    return kept | {"PYTHONPATH": str(folder), "NO_MKDOCS_2_WARNING": "1"}


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m command` in the project and wait for it."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
