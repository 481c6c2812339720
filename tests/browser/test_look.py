"""How the record looks as the browser computes it: cards, kinds, charts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser import contrast, serving
from tests.browser.conftest import Visitor
from tests.browser.reading import SCHEMES

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

NUMBERS = "numbers/"
KINDS = ("measured", "transcribed", "external", "derived")
# One number each: with a command, with a caveat, quoted from others, from before the repair.
CARDS = ("con-15-difference", "pap-nights-a", "ext-claw-full", "rep.5-september.worked")
# Each chart's images: what is seen is loaded at once, so that it need not be scrolled to.
_CHARTS = """async () => Promise.all([...document.querySelectorAll('figure.chart')].map((figure) =>
  Promise.all([...figure.querySelectorAll('img')].map(async (image) => {
    const seen = image.getClientRects().length > 0;
    image.loading = 'eager';
    if (seen) await image.decode().catch(() => null);
    return { seen, name: image.className, src: image.src, alt: image.alt,
      drawn: image.naturalWidth > 0 };
  }))))"""
both_schemes = pytest.mark.parametrize("scheme", list(SCHEMES))


def faint(page: Page, selector: str) -> list[str]:
    """The texts under the least contrast; the selector must find some text at all."""
    looks = contrast.looks(page, selector)
    assert looks, f"{selector} finds no text on {page.url}"
    return [f"{x.contrast:.2f} {x.text}" for x in looks if x.contrast < contrast.ENOUGH]


@both_schemes
def test_cards_can_be_read(visit: Visitor, scheme: str) -> None:
    """Every text of a card stands at 4.5:1 or better, whatever the kind of number."""
    page = visit(NUMBERS, color_scheme=scheme)
    found: list[str] = []
    for figure_id in CARDS:
        page.locator(f'article .num-link:has([data-id="{figure_id}"])').first.click()
        page.locator(".card").wait_for()
        found += faint(page, ".card, .card *")
        page.keyboard.press("Escape")
    assert not found, "\n".join(found)


def test_kinds_differ_by_more_than_colour(visit: Visitor) -> None:
    """Each kind has an underline style and a mark of its own; an unsafe number has one more."""
    page = visit(NUMBERS)
    looks: dict[str, list[str]] = page.evaluate(
        """kinds => Object.fromEntries(kinds.map((kind) => {
          // A kind that no number of the page has yet is tried on a number of another.
          const real = document.querySelector(`.num--${kind}:not(.num--unsafe)`);
          const element = real || document.querySelector('.num').cloneNode(true);
          if (!real) document.querySelector('article p').append(element);
          if (!real) element.className = `num num--${kind}`;
          const read = () => [getComputedStyle(element).textDecorationStyle,
            getComputedStyle(element, '::after').content];
          const look = read();
          element.classList.add('num--unsafe');
          return [kind, [...look, read()[1]]];
        }))""",
        list(KINDS),
    )
    styles = {kind: look[0] for kind, look in looks.items()}
    marks = {kind: look[1] for kind, look in looks.items()}
    assert len(set(styles.values())) == len(KINDS), styles
    assert len(set(marks.values())) == len(KINDS), marks
    assert not {"none", "normal", '""'} & set(marks.values()), marks
    for kind, (_, mark, unsafe) in looks.items():
        assert unsafe != mark, f"{kind}: an unsafe number has the mark of a safe one"
        assert "\u26a0" in unsafe


def with_charts(site: Path) -> list[str]:
    """The pages that show a chart; the site must have some."""
    texts = {p: (site / p / "index.html").read_text(encoding="utf-8") for p in serving.pages(site)}
    found = [path for path, text in texts.items() if '<figure class="chart"' in text]
    assert found, "no page of the site has a chart"
    return found


def charts(page: Page, scheme: str) -> list[str]:
    """What is wrong with the page's charts in this scheme, one line a chart."""
    wrong: list[str] = []
    for images in page.evaluate(_CHARTS):
        seen = [image for image in images if image["seen"]]
        classes = [image["name"] for image in seen]
        if len(images) != 2 or classes != [f"chart__{scheme}"]:
            wrong.append(f"{page.url}: shows {classes} of {len(images)} in {scheme}")
            continue
        image = seen[0]
        if not image["drawn"]:
            wrong.append(f"{page.url}: {image['src']} is no image")
        if not re.search(r"\d", image["alt"]):
            wrong.append(f"{page.url}: {image['src']} has no digit in its alt text")
    return wrong


@both_schemes
def test_charts_show_in_their_scheme(visit: Visitor, root: str, site: Path, scheme: str) -> None:
    """Of each pair exactly one image shows, the scheme's own, drawn, with its numbers in words."""
    first, *others = with_charts(site)
    page = visit(first, color_scheme=scheme)
    wrong = charts(page, scheme)
    for path in others:
        page.goto(root + path)
        wrong += charts(page, scheme)
    assert not wrong, "\n".join(wrong)


def test_charts_follow_the_switch(visit: Visitor, site: Path) -> None:
    """A reader who switches the page to dark gets the dark charts."""
    page = visit(with_charts(site)[0], color_scheme="light")
    page.locator("label[title='Switch to dark mode']:visible").click()
    page.locator("body[data-md-color-scheme=slate]").wait_for()
    wrong = charts(page, "dark")
    assert not wrong, "\n".join(wrong)
