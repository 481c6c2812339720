"""The card of a number: how it opens and closes, by pointer, touch and keyboard."""

from __future__ import annotations

import pytest

from tests.browser.card import DERIVED, NUMBERS, Fact, closed, complete, focused, link, opened
from tests.browser.conftest import Visitor

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
AWAY = (5, 890)
CLOSING_MS = 600
TABS_AT_MOST = 200
ON_NUMBER = "document.activeElement.matches('.num-link')"


def test_a_card_from_pointing_goes_with_the_pointer(visit: Visitor, facts: dict[str, Fact]) -> None:
    """It stays while the pointer is on the card, goes when it leaves, and never takes the focus."""
    page = visit(NUMBERS)
    link(page, complete(facts)).hover()
    card = opened(page)
    card.hover()
    page.wait_for_timeout(CLOSING_MS)
    assert card.is_visible()
    assert page.evaluate("document.activeElement === document.body")
    page.mouse.move(*AWAY)
    closed(page)


def test_a_card_from_a_click_stays(visit: Visitor, facts: dict[str, Fact], root: str) -> None:
    """A click opens the card without leaving the page; only a click elsewhere closes it."""
    page = visit(NUMBERS)
    link(page, complete(facts)).click()
    card = opened(page)
    assert page.url == root + NUMBERS
    page.mouse.move(*AWAY)
    page.wait_for_timeout(CLOSING_MS)
    assert card.is_visible()
    page.mouse.click(*AWAY)
    closed(page)


def test_a_tap_opens_a_sheet_and_a_tap_elsewhere_closes_it(
    visit: Visitor, facts: dict[str, Fact], root: str
) -> None:
    """On a phone the card lies at the lower edge, as wide as the screen, and never off it."""
    page = visit(NUMBERS, **PHONE)
    link(page, complete(facts)).tap()
    box = opened(page).bounding_box()
    assert box is not None
    assert (box["x"], box["width"]) == (0, 360)
    assert box["y"] > 0
    assert box["y"] + box["height"] == pytest.approx(740, abs=1)
    assert page.url == root + NUMBERS
    page.touchscreen.tap(180, 100)
    closed(page)


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_keyboard_opens_the_card_and_escape_gives_the_focus_back(
    visit: Visitor, key: str
) -> None:
    """Tab reaches a number, the key opens its card and moves into it, Escape returns to it."""
    page = visit(NUMBERS)
    for _ in range(TABS_AT_MOST):
        page.keyboard.press("Tab")
        if page.evaluate(ON_NUMBER):
            break
    number = page.locator(".num-link:focus")
    assert number.count() == 1, f"no number within {TABS_AT_MOST} presses of Tab"
    number = link(page, str(number.locator("data").get_attribute("data-id")))
    page.keyboard.press(key)
    card = opened(page)
    assert focused(card)
    assert number.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Escape")
    closed(page)
    assert focused(number)
    assert number.get_attribute("aria-expanded") == "false"


def test_tab_walks_through_the_card_and_out(visit: Visitor) -> None:
    """Every button and link of the card is reached by Tab; one more Tab closes the card."""
    page = visit(NUMBERS)
    link(page, DERIVED).focus()
    page.keyboard.press("Enter")
    card = opened(page)
    stops = card.locator("a[href], button")
    assert stops.count() >= 4
    for at in range(stops.count()):
        page.keyboard.press("Tab")
        assert focused(stops.nth(at)), f"stop {at} of the card"
    page.keyboard.press("Tab")
    closed(page)


@pytest.mark.parametrize("way", ["hover", "click"])
def test_there_is_one_card_at_a_time(visit: Visitor, facts: dict[str, Fact], way: str) -> None:
    """The card of a second number takes the place of the first one's."""
    first, second = complete(facts), DERIVED
    page = visit(NUMBERS)
    for figure_id in (first, second):
        number = link(page, figure_id)
        number.scroll_into_view_if_needed()
        if way == "hover":
            number.hover(force=True)
        else:
            # By script: the first card may lie over the second number.
            number.evaluate("element => element.click()")
        page.locator(".card", has_text=facts[figure_id]["label"]).wait_for()
        assert page.locator(".card").count() == 1
    assert link(page, first).get_attribute("aria-expanded") == "false"
