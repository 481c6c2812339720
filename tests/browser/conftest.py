"""Owns the fixtures of the browser tests: one browser, one served site, a context for each test.

Does not cover how the browser is found (`launch`) nor how the site is built (`serving`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.browser import card, launch, serving
from tests.browser.reading import SCHEMES, Reader

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

MISSING = pytest.StashKey[str]()
TIMEOUT_MS = 10_000
# The search builds its index in a worker on every load, which takes longer than all the rest.
NO_SEARCH = """window.Worker = class extends EventTarget {
  postMessage() {}
  terminate() {}
};"""


class Opener(Protocol):
    """Opens a blank page in a context of its own, with Playwright's options for contexts.

    The search stays asleep unless `search` is true.
    """

    def __call__(self, *, search: bool = False, **options: Any) -> Page: ...


class Visitor(Protocol):
    """Opens an address below the site's root in a context of its own."""

    def __call__(self, path: str, **options: Any) -> Page: ...


@pytest.fixture(scope="session")
def browser(pytestconfig: pytest.Config) -> Iterator[Browser]:
    """The one browser of the run; where there is none, its tests skip or fail (`launch.stop`)."""
    try:
        launch.need_libraries()
        path = launch.executable()
    except launch.NoBrowserError as error:
        pytestconfig.stash[MISSING] = str(error)
        launch.stop(str(error), os.environ)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(launch.ARGUMENTS))
        yield started
        started.close()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say once why the browser tests did not run: a quiet run shows no reasons of its own."""
    if MISSING in config.stash:
        terminalreporter.write_line(f"browser tests did not run: {config.stash[MISSING]}")


@pytest.fixture(scope="session")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the real site; asks for the browser first, so that nothing is built in vain."""
    return serving.folder(tmp_path_factory.mktemp("browser") / "site", os.environ)


@pytest.fixture(scope="session")
def root(site: Path) -> Iterator[str]:
    """The address of the served site, ending in a slash."""
    with serving.served(site) as address:
        yield address


def new_page(browser: Browser, *, search: bool = False, **options: Any) -> Page:
    """A blank page in a context of its own; see `Opener`."""
    # Less motion: the card must not be measured halfway through its fade.
    usual = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
    context = browser.new_context(**(usual | options))
    context.set_default_timeout(TIMEOUT_MS)
    if not search:
        context.add_init_script(NO_SEARCH)
    return context.new_page()


@pytest.fixture
def blank(browser: Browser) -> Iterator[Opener]:
    """Blank pages, one context each, closed when the test ends."""
    contexts: list[BrowserContext] = []

    def open_blank(*, search: bool = False, **options: Any) -> Page:
        page = new_page(browser, search=search, **options)
        contexts.append(page.context)
        return page

    yield open_blank
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def reader(browser: Browser, root: str) -> Iterator[Reader]:
    """The one reader of the run: the pages it reads are looked at, never changed."""
    tabs = {scheme: new_page(browser, color_scheme=scheme) for scheme in SCHEMES}
    yield Reader(tabs, root)
    for tab in tabs.values():
        tab.context.close()


@pytest.fixture
def visit(blank: Opener, root: str) -> Visitor:
    """Pages of the site, each in a context of its own, loaded."""

    def go(path: str, **options: Any) -> Page:
        page = blank(**options)
        page.goto(root + path)
        return page

    return go


@pytest.fixture
def facts(root: str) -> dict[str, card.Fact]:
    """What the JSON twin of the page `card.NUMBERS` says of each number, by id."""
    status, body = serving.fetch(f"{root}{card.NUMBERS}numbers.json")
    assert status == 200
    numbers: dict[str, card.Fact] = json.loads(body)["numbers"]
    return numbers
