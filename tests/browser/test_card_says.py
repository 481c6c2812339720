"""The card of a number: what it says, what it lets a reader copy, and the link where it is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import serving
from tests.browser.card import (
    DERIVED,
    NUMBERS,
    Fact,
    closed,
    complete,
    focused,
    link,
    one,
    opened,
    planned,
    rows,
)
from tests.browser.conftest import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

CLIPBOARD = ["clipboard-read", "clipboard-write"]


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
    value = card.locator(".card__value").inner_text()
    assert value.split() == [*fact["text"].split(), fact["kind"]]
    assert said["n"] == str(fact["n"])
    for term in ("Interval", "Model", "Date", "Caveat", "Source"):
        assert said[term] == fact[term.lower()], term
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
