"""Owns how the tests find a number of a page and read its card.

Does not cover what the card must say or do (`test_card`, `test_card_says`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# The page under test: it explains each kind of number with a number of that kind.
NUMBERS = "numbers/"
DERIVED = "con-15-difference"
Fact = dict[str, Any]


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
