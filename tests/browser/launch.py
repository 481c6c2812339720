"""Owns where the browser is, how it starts, and what a test does where there is none.

Does not cover the site that the browser shows (`serving`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import NoReturn

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LIBRARIES = {"playwright": "playwright", "axe_playwright_python": "axe-playwright-python"}


class NoBrowserError(Exception):
    """Nothing to test with: the reason in one line, and how to get it."""


def executable(which: Callable[[str], str | None] = shutil.which) -> str:
    """The path of the first browser of `NAMES`; NoBrowserError where none is on the PATH."""
    for name in NAMES:
        if path := which(name):
            return path
    raise NoBrowserError(
        f"no browser: none of {', '.join(NAMES)} is on the PATH; install Chromium or Chrome "
        "(Debian: apt install chromium; elsewhere: put one of these names on the PATH)"
    )


def need_libraries(has: Callable[[str], object] = find_spec) -> None:
    """NoBrowserError where a library that drives the browser cannot be imported."""
    for module, package in LIBRARIES.items():
        if not has(module):
            raise NoBrowserError(
                f"no browser: {package} is not installed; run: "
                "pip install playwright axe-playwright-python (no browser download is needed)"
            )


def stop(reason: str, environ: Mapping[str, str]) -> NoReturn:
    """Skip the test with the reason, or fail it where REQUIRE_BROWSER=1 is set."""
    if environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(f"REQUIRE_BROWSER=1, but {reason}", pytrace=False)
    pytest.skip(reason)
