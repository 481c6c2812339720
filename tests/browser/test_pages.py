"""The pages of the site in a browser: links, twins, width, silence, accessibility, the 404 page."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin

import pytest
from lxml import html

from tests.browser import serving
from tests.browser.conftest import Opener, Visitor
from tests.browser.watching import watch

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SAMPLE = (
    "",
    "status/",
    "numbers/",
    "experiments/the-wall/",
    "experiments/which-model/",
    "experiments/day-of-repairs/",
    "references/",
    "contradictions/",
)
SCHEMES = ("light", "dark")
PHONE_WIDTH = 360
GRAVE = {"serious", "critical"}
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
NUMBER = "article .num-link"
both_schemes = pytest.mark.parametrize("scheme", SCHEMES)


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


def test_the_twins_are_still_named_when_the_scripts_have_run(visit: Visitor) -> None:
    """The page as a browser leaves it names its two twins as plain alternates."""
    page = visit("experiments/the-wall/")
    named = page.eval_on_selector_all("link[rel=alternate][type]", "all => all.map(l => l.type)")
    assert sorted(named) == ["application/json", "text/markdown"]


def test_no_page_scrolls_sideways_on_a_phone(blank: Opener, site: Path, root: str) -> None:
    """Every page, the 404 page too, fits a screen of 360 by 740; only parts of it may scroll."""
    # Two tabs load side by side: this test alone reads every page.
    tabs = [blank(viewport={"width": PHONE_WIDTH, "height": 740}) for _ in range(2)]
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


@both_schemes
def test_pages_are_silent_and_keep_to_themselves(blank: Opener, root: str, scheme: str) -> None:
    """Read with a card opened, no page errs, has a request fail, or asks another host."""
    page = blank(color_scheme=scheme, search=True)
    troubles = watch(page, root)
    found: list[str] = []
    for path in SAMPLE:
        page.goto(root + path)
        for image in page.locator("article img:visible").all():
            image.scroll_into_view_if_needed()
        assert page.locator(NUMBER).count(), f"{path or 'home'} holds no number"
        page.locator(NUMBER).first.click()
        page.locator(".card").wait_for()
        page.wait_for_load_state("networkidle")
        found += [f"{path or 'home'}: {trouble}" for trouble in troubles]
        troubles.clear()
    assert not found, "\n".join(found)


def violations(page: Page) -> list[str]:
    """What axe finds of grave impact: a line for each rule, with the first elements and why."""
    from axe_playwright_python.sync_playwright import Axe

    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    lines: list[str] = []
    for rule in found:
        nodes = rule["nodes"]
        if rule["impact"] in GRAVE:
            lines.append(f"{rule['id']} ({rule['impact']}), {len(nodes)} elements: {rule['help']}")
            lines += [
                f"  {n['target']}: {n['failureSummary'].split(chr(10))[1]}" for n in nodes[:3]
            ]
    return lines


@both_schemes
def test_axe_finds_nothing_grave(blank: Opener, root: str, scheme: str) -> None:
    """No page violates a rule of serious or critical impact, with its closed parts opened."""
    page = blank(color_scheme=scheme)
    found: list[str] = []
    for path in SAMPLE:
        page.goto(root + path)
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        found += [f"{path or 'home'}: {line}" for line in violations(page)]
    assert not found, "\n".join(found)


@both_schemes
def test_axe_finds_nothing_grave_in_a_card(visit: Visitor, scheme: str) -> None:
    """Nor does a page with an open card."""
    page = visit("numbers/", color_scheme=scheme)
    page.locator(NUMBER).first.click()
    page.locator(".card").wait_for()
    found = violations(page)
    assert not found, "\n".join(found)


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
