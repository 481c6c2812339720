"""Owns one reading of a page in both schemes, for the many tests that only look at it.

Does not cover what the reading must show (`test_reading_pages`). Each page is loaded once: loading
and axe are what the browser's tests spend their time on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.browser import contrast
from tests.browser.watching import watch

if TYPE_CHECKING:
    from playwright.sync_api import Page

SAMPLE = (
    "",
    "status/",
    "numbers/",
    "experiments/the-wall/",
    "experiments/which-model/",
    "experiments/two-models/",
    "references/",
    "contradictions/",
)
SCHEMES = {"light": "default", "dark": "slate"}
GRAVE = {"serious", "critical"}
NUMBER = "article .num-link"
# Closed parts and images below the screen would otherwise be neither asked for nor looked at.
_OPEN = """() => {
  document.querySelectorAll('details').forEach((part) => { part.open = true; });
  document.querySelectorAll('article img').forEach((image) => { image.loading = 'eager'; });
}"""
_HEAD = """() => ({ scheme: document.body.dataset.mdColorScheme,
  ground: getComputedStyle(document.body).backgroundColor,
  twins: [...document.querySelectorAll('link[rel=alternate][type]')].map((l) => l.type) })"""


@dataclass(frozen=True)
class Reading:
    """What was seen of a page in one scheme, with its closed parts open.

    `scheme` and `ground` are the body's; `twins` the types of the alternates in the head;
    `numbers` the looks of its numbers; `grave` what axe finds, `card_grave` what it finds in the
    card of the first number; `troubles` what the page complained of.
    """

    scheme: str
    ground: str
    twins: list[str]
    numbers: list[contrast.Look]
    grave: list[str]
    card_grave: list[str]
    troubles: list[str]


def start_axe(page: Page, within: str = "html") -> None:
    """Let axe begin in a part of the page without waiting: another page may begin as well."""
    page.evaluate(
        "within => { window.found = axe.run(within, { resultTypes: ['violations'] }); }", within
    )


def violations(page: Page) -> list[str]:
    """What axe found of grave impact: a line for each rule, with the first elements and why."""
    found: list[dict[str, Any]] = page.evaluate("() => window.found.then((f) => f.violations)")
    lines: list[str] = []
    for rule in found:
        nodes = rule["nodes"]
        if rule["impact"] in GRAVE:
            lines.append(f"{rule['id']} ({rule['impact']}), {len(nodes)} elements: {rule['help']}")
            for node in nodes[:3]:
                lines.append(
                    f"  {node['target']}: {node['failureSummary'].splitlines()[1].strip()}"
                )
    return lines


class Reader:
    """Reads pages in two tabs, a scheme each, side by side, and remembers what it saw."""

    def __init__(self, tabs: dict[str, Page], root: str) -> None:
        from axe_playwright_python.sync_playwright import Axe

        self._tabs, self._root, self._axe = tabs, root, Axe().axe_script
        self._troubles = {scheme: watch(tab, root) for scheme, tab in tabs.items()}
        self._seen: dict[str, dict[str, Reading]] = {}

    def read(self, path: str, scheme: str) -> Reading:
        """The reading of an address below the root in a scheme of `SCHEMES`."""
        if path not in self._seen:
            self._seen[path] = self._look(path)
        return self._seen[path][scheme]

    def _look(self, path: str) -> dict[str, Reading]:
        seen: dict[str, dict[str, Any]] = {}
        for troubles in self._troubles.values():
            troubles.clear()
        for tab in self._tabs.values():
            tab.goto(self._root + path)
            tab.evaluate(_OPEN)
            tab.evaluate(self._axe)
            start_axe(tab)
        for scheme, tab in self._tabs.items():
            seen[scheme] = {"grave": violations(tab), **tab.evaluate(_HEAD)}
            seen[scheme]["numbers"] = contrast.looks(tab, "article .num")
            tab.locator(NUMBER).first.click()
            tab.locator(".card").wait_for()
            start_axe(tab, ".card")
        for scheme, tab in self._tabs.items():
            seen[scheme]["card_grave"] = violations(tab)
            tab.wait_for_load_state("networkidle")
            seen[scheme]["troubles"] = list(self._troubles[scheme])
        return {scheme: Reading(**parts) for scheme, parts in seen.items()}
