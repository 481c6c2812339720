"""The pages of the site: links, twins, width on a phone, the search, the 404 page, BibTeX."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin

import pytest
from lxml import html

from tests.browser import serving
from tests.browser.conftest import Opener, Visitor
from tests.browser.reading import SAMPLE
from tests.browser.watching import watch

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser

PHONE_WIDTH = 360
TABS = 2
WAYS_ON = ("", "experiments/", "replay/", "references/")
# The page's width with every closed part open, and the start of what reaches furthest right: what
# scrolls inside a box of its own is no cause.
_WIDTH = """() => {
  document.querySelectorAll('details').forEach((part) => { part.open = true; });
  const width = document.documentElement.scrollWidth;
  if (width <= document.documentElement.clientWidth) return [width, ''];
  const reach = (element) => element.getBoundingClientRect().right;
  const boxed = (element) => element !== document.body
    && (getComputedStyle(element).overflowX !== 'visible' || boxed(element.parentElement));
  const all = [...document.querySelectorAll('body *')].filter((e) => !boxed(e.parentElement));
  return [width, all.reduce((a, b) => (reach(b) > reach(a) ? b : a)).outerHTML.slice(0, 120)];
}"""


@lru_cache(maxsize=256)
def read(url: str) -> html.HtmlElement:
    """The page at an address, parsed; it must be there."""
    status, body = serving.fetch(url)
    assert status == 200, f"{url} answers {status}"
    return html.document_fromstring(body.decode("utf-8"))


@lru_cache(maxsize=256)
def anchors(url: str) -> frozenset[str]:
    """Every id of the page at an address; none where it is missing."""
    status, _ = serving.fetch(url)
    return frozenset(str(i) for i in read(url).xpath("//@id")) if status == 200 else frozenset()


def test_every_number_leads_to_an_anchor_that_exists(root: str, site: Path) -> None:
    """On every page, each number links to a replay page that holds its anchor."""
    wrong: list[str] = []
    for path in serving.pages(site):
        found = read(root + path).xpath("//a[contains(@class, 'num-link')]/@href")
        if path in SAMPLE:
            assert found, f"{path or 'home'} holds no number"
        for href in dict.fromkeys(str(href) for href in found):
            target, anchor = urldefrag(urljoin(root + path, href))
            if not anchor or anchor not in anchors(target):
                wrong.append(f"{path or 'home'}: {href}")
    assert not wrong, "\n".join(wrong)


def test_the_twins_named_in_the_head_exist(root: str, site: Path) -> None:
    """Every page names a JSON and a Markdown twin that are there and belong to it."""
    for path in serving.pages(site):
        head = read(root + path)
        twins = {
            str(link.get("type")): urljoin(root + path, str(link.get("href")))
            for link in head.xpath("//head/link[@rel='alternate'][@type]")
        }
        status, body = serving.fetch(twins["application/json"])
        assert status == 200, f"{path or 'home'}: no {twins['application/json']}"
        twin: dict[str, Any] = json.loads(body)
        assert twin["page"] == path
        shown = {str(i) for i in head.xpath("//article//data[contains(@class, 'num')]/@data-id")}
        assert shown <= twin["numbers"].keys(), f"{path or 'home'}: the JSON twin lacks numbers"
        status, body = serving.fetch(twins["text/markdown"])
        assert status == 200, f"{path or 'home'}: no {twins['text/markdown']}"
        assert body.decode("utf-8").strip(), f"{path or 'home'}: the Markdown twin is empty"


def test_no_page_scrolls_sideways_on_a_phone(blank: Opener, site: Path, root: str) -> None:
    """Every page, the 404 page too, fits a screen of 360 by 740; only parts of it may scroll."""
    # Tabs load side by side: this test alone reads every page.
    tabs = [blank(viewport={"width": PHONE_WIDTH, "height": 740}) for _ in range(TABS)]
    paths = [*serving.pages(site), "no/such/page/"]
    too_wide: list[str] = []
    for at in range(0, len(paths), len(tabs)):
        pairs = list(zip(tabs, paths[at:], strict=False))
        for tab, path in pairs:
            tab.goto(root + path, wait_until="commit")
        for tab, path in pairs:
            tab.wait_for_load_state()
            width, culprit = tab.evaluate(_WIDTH)
            if width > PHONE_WIDTH:
                too_wide.append(f"{path or 'home'}: {width} px: {culprit}")
    assert not too_wide, "\n".join(too_wide)


@pytest.mark.parametrize("path", ["", "experiments/the-wall/"], ids=["home", "experiment"])
def test_the_search_finds_and_stays_silent(blank: Opener, root: str, path: str) -> None:
    """At any depth the search, asleep in the other tests, finds a page and causes no trouble."""
    page = blank(search=True)
    troubles = watch(page, root)
    page.goto(root + path)
    page.locator("input.md-search__input").fill("contradictions")
    page.locator(".md-search-result__link[href*='contradictions/']").first.wait_for()
    assert not troubles, "\n".join(troubles)


@pytest.mark.parametrize("missing", ["no-such-page/", "experiments/no/such/page"])
def test_a_missing_address_leads_on(blank: Opener, root: str, missing: str) -> None:
    """The 404 page links home, to the experiments, the replay index and the references."""
    page = blank()
    troubles = watch(page, root)
    answer = page.goto(root + missing)
    assert answer is not None
    assert answer.status == 404
    assert page.locator("h1").inner_text() == "This page is not here"
    hrefs = page.locator(".not-found a").evaluate_all("all => all.map(a => a.href)")
    assert [href for href in WAYS_ON if root + href not in hrefs] == []
    for href in hrefs:
        assert serving.fetch(href)[0] == 200, href
    # The missing address itself is the one thing to complain of: its styles are found at any depth.
    assert [trouble for trouble in troubles if root + missing not in trouble] == []


def test_bibtex_is_copied(visit: Visitor, root: str) -> None:
    """The button of a work copies its entry, the same that the work's file holds."""
    page = visit("references/", permissions=["clipboard-read", "clipboard-write"])
    work = page.locator("li.reference").first
    work.locator("summary").click()
    work.get_by_role("button", name="Copy BibTeX").click()
    work.locator(".copy__said", has_text="Copied").wait_for()
    copied: str = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("@")
    href = work.locator("a[download]").evaluate("a => a.href")
    assert serving.fetch(href)[1].decode("utf-8").strip() == copied.strip()


def test_no_page_is_wider_than_a_phone_without_javascript(
    root: str, site: Path, blank: Opener
) -> None:
    """With scripts off, where nothing folds itself away, every page still fits a phone."""
    page = blank(java_script_enabled=False, viewport={"width": PHONE_WIDTH, "height": 740})
    wide = []
    for path in serving.pages(site):
        page.goto(root + path)
        if (width := page.evaluate("document.documentElement.scrollWidth")) > PHONE_WIDTH:
            wide.append(f"{path} is {width} px wide")
    assert wide == []
