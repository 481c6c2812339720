"""The card of a number: how it opens and closes, what it says, what it lets a reader copy."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import serving
from tests.browser.conftest import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

NUMBERS = "numbers/"
DERIVED = "con-15-difference"
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
CLIPBOARD = ["clipboard-read", "clipboard-write"]
AWAY = (5, 890)
CLOSING_MS = 600
TABS_AT_MOST = 200
ON_NUMBER = "document.activeElement.matches('.num-link')"
Fact = dict[str, Any]


@pytest.fixture
def facts(root: str) -> dict[str, Fact]:
    """What the JSON twin of the page under test says of each number, by id."""
    status, body = serving.fetch(f"{root}{NUMBERS}numbers.json")
    assert status == 200
    numbers: dict[str, Fact] = json.loads(body)["numbers"]
    return numbers


def one(facts: dict[str, Fact], fits: Callable[[Fact], object]) -> str:
    """The id of the first number that fits; the page must have one."""
    found = [figure_id for figure_id, fact in facts.items() if fits(fact)]
    assert found, f"{NUMBERS} holds no number to test this with"
    return found[0]


def complete(facts: dict[str, Fact]) -> str:
    """A number of which every fact is known that a card can show."""
    needed = ("n", "interval", "model", "date", "caveat")
    return one(facts, lambda fact: all(fact[name] for name in needed))


def planned(facts: dict[str, Fact]) -> str:
    """A number with a command of the source and none of ours."""
    return one(facts, lambda f: f["replay"]["source_command"] and not f["replay"]["command"])


def link(page: Page, figure_id: str) -> Locator:
    """The first link in the page's own text that carries the number."""
    return page.locator(f'article .num-link:has([data-id="{figure_id}"])').first


def opened(page: Page) -> Locator:
    """The card, waited for."""
    card = page.locator(".card")
    card.wait_for()
    return card


def closed(page: Page) -> None:
    """Wait until no card is there."""
    page.locator(".card").wait_for(state="detached")


def focused(locator: Locator) -> bool:
    """Whether the keyboard is on the element."""
    return bool(locator.evaluate("element => element === document.activeElement"))


def rows(card: Locator) -> dict[str, str]:
    """The card's list of facts: term to text."""
    pairs: list[tuple[str, str]] = card.locator("dt").evaluate_all(
        "terms => terms.map(t => [t.textContent, t.nextElementSibling.textContent])"
    )
    return dict(pairs)


def test_pointing_at_a_number_shows_all_that_is_known(
    visit: Visitor, facts: dict[str, Fact]
) -> None:
    """The card shows value, n, interval, kind, decider, model, date, caveat, source, replay."""
    figure_id = complete(facts)
    fact = facts[figure_id]
    page = visit(NUMBERS)
    link(page, figure_id).hover()
    card = opened(page)
    said = rows(card)
    assert card.locator(".card__value").inner_text().split() == [
        *fact["text"].split(),
        fact["kind"],
    ]
    assert said["n"] == str(fact["n"])
    for term, name in (("Interval", "interval"), ("Model", "model"), ("Date", "date")):
        assert said[term] == fact[name], term
    assert said["Caveat"] == fact["caveat"]
    assert said["Source"] == fact["source"]
    assert said["Decided by"] == fact["decided_by"] + fact["decided_note"]
    text = card.inner_text()
    for known in (fact["label"], fact["kind_note"], fact["replay"]["note"], fact["src"]):
        assert known in text
    assert fact["replay"]["status"].replace("-", " ") in card.locator(".card__replay").inner_text()
    assert card.get_attribute("role") == "dialog"
    assert fact["text"] in str(card.get_attribute("aria-label"))


def test_the_card_leads_to_the_replay_entry_and_the_record(
    visit: Visitor, facts: dict[str, Fact], root: str
) -> None:
    """Its two links are the number's own replay entry and the record's file, both there."""
    figure_id = complete(facts)
    page = visit(NUMBERS)
    link(page, figure_id).click()
    hrefs = opened(page).locator(".card__links a").evaluate_all("all => all.map(a => a.href)")
    fact = facts[figure_id]
    assert hrefs == [root + fact["replay_href"], root + fact["json_href"]]
    assert [serving.fetch(href.partition("#")[0])[0] for href in hrefs] == [200, 200]


def test_what_is_not_known_has_no_row(visit: Visitor, facts: dict[str, Fact]) -> None:
    """Where the record has no n and no interval, the card names neither."""
    bare = one(facts, lambda fact: fact["n"] is None and fact["interval"] is None)
    page = visit(NUMBERS)
    link(page, bare).click()
    said = rows(opened(page))
    assert not {"n", "Interval"} & said.keys()
    assert said["Source"] == facts[bare]["source"]


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
        # By script: the first card may lie over the second number.
        number = link(page, figure_id)
        number.scroll_into_view_if_needed()
        if way == "hover":
            number.hover(force=True)
        else:
            number.evaluate("element => element.click()")
        page.locator(".card", has_text=facts[figure_id]["label"]).wait_for()
        assert page.locator(".card").count() == 1
    assert link(page, first).get_attribute("aria-expanded") == "false"


def test_the_commands_are_copied(visit: Visitor, facts: dict[str, Fact]) -> None:
    """The button copies our command for a derived number, the source's own for a planned one."""
    page = visit(NUMBERS, permissions=CLIPBOARD)
    source_command = facts[planned(facts)]["replay"]["source_command"]
    wanted = {DERIVED: f"py-measure replay {DERIVED}", planned(facts): source_command}
    for figure_id, command in wanted.items():
        link(page, figure_id).click()
        card = opened(page)
        assert card.locator("code.card__command").inner_text() == command
        card.locator(".card__copy").click()
        card.locator(".copy__said", has_text="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == command
        page.keyboard.press("Escape")
        closed(page)


def test_the_sources_command_is_not_passed_off_as_ours(
    visit: Visitor, facts: dict[str, Fact]
) -> None:
    """Over a command of the source stands that it is the source's; over ours stands "Replay"."""
    page = visit(NUMBERS)
    for figure_id, head in ((planned(facts), "The source's own command"), (DERIVED, "Replay")):
        link(page, figure_id).click()
        assert opened(page).locator(".card__replay h3").inner_text().startswith(head)
        page.keyboard.press("Escape")
        closed(page)


def test_copying_works_where_the_clipboard_is_refused(visit: Visitor) -> None:
    """A browser that refuses the clipboard still copies, by selection, and the focus stays."""
    page = visit(NUMBERS, permissions=CLIPBOARD)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    link(page, DERIVED).click()
    button = opened(page).locator(".card__copy")
    button.click()
    page.locator(".card .copy__said", has_text="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == f"py-measure replay {DERIVED}"
    assert focused(button)


def lands_on_entry(page: Page, address: str, figure_id: str) -> None:
    """The page is at the number's replay entry, and the entry is in sight."""
    page.wait_for_url(address)
    entry = page.locator(f'[id="{figure_id}"]')
    entry.wait_for()
    assert "replay-entry" in str(entry.get_attribute("class"))
    box = entry.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 900


def test_without_javascript_a_number_is_a_link(
    visit: Visitor, facts: dict[str, Fact], root: str
) -> None:
    """A click leads to the replay page, at the anchor of that number."""
    figure_id = complete(facts)
    page = visit(NUMBERS, java_script_enabled=False)
    link(page, figure_id).click()
    lands_on_entry(page, root + facts[figure_id]["replay_href"], figure_id)
    assert page.locator(".copy:visible").count() == 0


def test_without_the_facts_a_number_is_a_link(
    visit: Visitor, facts: dict[str, Fact], root: str
) -> None:
    """Where the JSON twin cannot be had, a click leads to the replay entry as well."""
    figure_id = complete(facts)
    page = visit(NUMBERS)
    page.route("**/numbers.json", lambda route: route.abort())
    link(page, figure_id).click()
    lands_on_entry(page, root + facts[figure_id]["replay_href"], figure_id)
