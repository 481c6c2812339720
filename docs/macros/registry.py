"""Owns the names that a page may use between `[[` and `]]`; does not cover how they are found."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from docs.macros import blocks, dictionary, listing, numbers, replay_index, tables
from docs.macros.chart import charts
from docs.macros.page import Fragment, MacroError, PageContext

Macro = Callable[..., Fragment]

MACROS: dict[str, Macro] = {
    "num": numbers.num,
    "cite": numbers.cite,
    "claim": numbers.claim,
    "references": numbers.references,
    "table": tables.table,
    "table_link": tables.table_link,
    "chart": charts.chart,
    "made": blocks.made,
    "numbers": blocks.numbers_list,
    "stat_cards": blocks.stat_cards,
    "contradictions": blocks.contradictions,
    "comparisons": blocks.comparisons,
    "sources": blocks.sources,
    "dictionary": dictionary.dictionary,
    "experiments": listing.experiments,
    "measured_here": listing.measured_here,
    "waivers": listing.waivers,
    "bibliography": listing.bibliography,
    "replay_entries": replay_index.replay_entries,
    "replay_overview": replay_index.replay_overview,
}


def call(
    page: PageContext, name: str, args: tuple[Any, ...], keywords: tuple[tuple[str, Any], ...]
) -> str:
    """Run a macro and return the word that stands for its fragment; a fault becomes a box."""
    if name not in MACROS:
        near = difflib.get_close_matches(name, MACROS, n=1, cutoff=0.3)
        tail = f"; did you mean {near[0]!r}?" if near else ""
        return page.fail(f"no macro {name!r}{tail}")
    try:
        return page.hold(MACROS[name](page, *args, **dict(keywords)))
    except MacroError as error:
        return page.fail(str(error))
    except TypeError as error:
        # A wrong number of arguments is the page's mistake; anything deeper is ours.
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise
        return page.fail(f"{name}: {error}")


def caller(page: PageContext) -> Callable[..., str]:
    """`call` for one page, as `expand` wants it."""

    def run(name: str, args: tuple[Any, ...], keywords: tuple[tuple[str, Any], ...]) -> str:
        return call(page, name, args, keywords)

    return run
