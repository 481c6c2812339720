"""`make picture`: the README's picture of a number's card, taken from the built site.

Not a test; run it after a change that a reader would see.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import launch, serving

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs/assets/card.png"
NUMBER = '.record-table [data-id="wall.llama3.1-8b.worked"]'


def main() -> int:
    """Open the wall's page, open the card of one number, and keep what a reader sees."""
    site = ROOT / "site"
    if not (site / "index.html").is_file():
        print("no site/; run make site first", file=sys.stderr)
        return 1
    with serving.served(site) as root, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=launch.executable(), args=list(launch.ARGUMENTS)
        )
        page = browser.new_page(viewport={"width": 1180, "height": 760})
        page.goto(f"{root}experiments/the-wall/")
        page.locator(NUMBER).first.scroll_into_view_if_needed()
        page.evaluate("window.scrollBy(0, 160)")
        page.locator(NUMBER).first.click()
        page.locator(".card").wait_for()
        page.wait_for_timeout(500)  # the card fades in
        page.screenshot(path=TARGET)
        browser.close()
    print(f"wrote {TARGET.relative_to(ROOT).as_posix()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
