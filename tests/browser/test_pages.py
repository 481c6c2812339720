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
sample = pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path or "home")
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
    assert wrong == []


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


def test_no_page_scrolls_sideways_on_a_phone(visit: Visitor, site: Path, root: str) -> None:
    """Every page, the 404 page too, fits a screen of 360 by 740; only parts of it may scroll."""
    page = visit("", viewport={"width": PHONE_WIDTH, "height": 740})
    too_wide: list[str] = []
    for path in [*serving.pages(site), "no/such/page/"]:
        page.goto(root + path)
        # A closed part is read on a phone as well.
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > PHONE_WIDTH:
            too_wide.append(f"{path or 'home'}: {width} px, {widest(page)}")
    assert too_wide == []


def widest(page: Page) -> str:
    """The element that reaches furthest to the right, to name the cause."""
    return str(
        page.evaluate(
            """() => {
              const reach = (e) => e.getBoundingClientRect().right;
              const all = [...document.querySelectorAll('article *')];
              const far = all.reduce((a, b) => (reach(b) > reach(a) ? b : a), document.body);
              return far.outerHTML.slice(0, 120);
            }"""
        )
    )


@both_schemes
@sample
def test_a_page_is_silent_and_keeps_to_itself(
    blank: Opener, root: str, path: str, scheme: str
) -> None:
    """Read to its end, with a card opened: no error, no failed request, no other host."""
    page = blank(color_scheme=scheme)
    troubles = watch(page, root)
    page.goto(root + path)
    for image in page.locator("article img:visible").all():
        image.scroll_into_view_if_needed()
    page.locator("article .num-link").first.click()
    page.locator(".card").wait_for()
    page.wait_for_load_state("networkidle")
    assert troubles == []


def violations(page: Page) -> list[str]:
    """What axe finds of grave impact, one line a rule with the first elements."""
    from axe_playwright_python.sync_playwright import Axe

    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {rule['help']}: "
        + "; ".join(str(node["target"]) for node in rule["nodes"][:3])
        for rule in found
        if rule["impact"] in GRAVE
    ]


@both_schemes
@sample
def test_axe_finds_nothing_grave(visit: Visitor, path: str, scheme: str) -> None:
    """No violation of serious or critical impact, with closed parts opened and a card shown."""
    page = visit(path, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert violations(page) == []


@both_schemes
def test_axe_finds_nothing_grave_in_a_card(visit: Visitor, scheme: str) -> None:
    """No violation of serious or critical impact while a card is open."""
    page = visit("numbers/", color_scheme=scheme)
    page.locator("article .num-link").first.click()
    page.locator(".card").wait_for()
    assert violations(page) == []


@pytest.mark.parametrize("missing", ["no-such-page/", "experiments/no/such/page"])
def test_a_missing_address_leads_on(blank: Opener, root: str, missing: str) -> None:
    """The 404 page links home, to the experiments, the replay index and the references."""
    page = blank()
    answer = page.goto(root + missing)
    assert answer is not None
    assert answer.status == 404
    assert page.locator("h1").inner_text() == "This page is not here"
    hrefs = page.locator(".not-found a").evaluate_all("all => all.map(a => a.href)")
    assert [href for href in WAYS_ON if root + href not in hrefs] == []
    for href in hrefs:
        assert serving.fetch(href)[0] == 200, href
    broken = page.evaluate("[...document.styleSheets].filter(s => !s.cssRules.length).length")
    assert broken == 0


def test_bibtex_is_copied(visit: Visitor, root: str) -> None:
    """The button of a work copies its entry, the same that the work's file holds."""
    page = visit("references/", permissions=["clipboard-read", "clipboard-write"])
    work = page.locator("li.reference").first
    work.locator("summary").click()
    work.get_by_role("button", name="Copy BibTeX").click()
    work.get_by_text("Copied", exact=True).wait_for()
    copied: str = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("@")
    href = work.locator("a[download]").evaluate("a => a.href")
    assert serving.fetch(href)[1].decode("utf-8").strip() == copied.strip()
