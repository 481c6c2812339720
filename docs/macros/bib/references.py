"""Owns references on pages: the marks that cite, a page's numbered list, all works by group.

Does not cover how a single work reads (`apa`, `bibtex`) nor how a page calls these functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

from docs.macros.bib.apa import apa
from docs.macros.bib.bibliography import Bibliography
from docs.macros.bib.bibtex import bibtex_details
from docs.macros.bib.works import Work


@dataclass(frozen=True)
class Citation:
    """One place on a page that cites a work: its number, its own id and where it leads."""

    key: str
    number: int
    anchor: str
    target: str


@dataclass
class Citations:
    """The citations of one page, numbered in the order in which works are first cited.

    `root` is the relative way to the site's root, such as `../../`.
    """

    bibliography: Bibliography
    root: str
    _places: dict[str, list[Citation]] = field(default_factory=dict)

    def cite(self, key: str) -> Citation:
        """Note one more place that cites a work; raise UnknownCitation for an unknown key."""
        self.bibliography.get(key)
        places = self._places.setdefault(key, [])
        number = list(self._places).index(key) + 1
        citation = Citation(key, number, f"cite-{key}-{len(places) + 1}", f"#ref-{key}")
        places.append(citation)
        return citation

    def cite_html(self, *keys: str) -> str:
        """Return one link a key, such as [3], side by side; no key is noted if one is unknown."""
        for key in keys:
            self.bibliography.get(key)
        return "".join(
            f'<a class="cite" href="{cited.target}" id="{cited.anchor}">[{cited.number}]</a>'
            for cited in map(self.cite, keys)
        )

    def list_html(self) -> str:
        """Return the page's references as an ordered list, empty where nothing was cited."""
        if not self._places:
            return ""
        items = [self._item(key, places) for key, places in self._places.items()]
        return "\n".join(['<ol class="references">', *items, "</ol>"])

    def _item(self, key: str, places: Sequence[Citation]) -> str:
        work = self.bibliography.get(key)
        back = " ".join(
            f'<a href="#{cited.anchor}" aria-label="Back to citation {count} of {key}">'
            f"\u21a9\ufe0e{count}</a>"
            for count, cited in enumerate(places, start=1)
        )
        return (
            f'<li class="reference" id="ref-{key}"><p class="reference__text">{apa(work)} '
            f'<span class="reference__back">{back}</span></p>{bibtex_details(work, self.root)}</li>'
        )


class PageLink(NamedTuple):
    """A page of the site, as a link to it."""

    href: str
    title: str


def _run_words(work: Work) -> str:
    if work.run_here is None:
        return ""
    words = "Run by the source project." if work.run_here else "Not run by the source project."
    return f' <span class="reference__run">{words}</span>'


def _bears_on(work: Work, bears_link: Callable[[str], PageLink | None]) -> str:
    pages = [bears_link(slug) for slug in work.bears_on]
    links = [f'<a href="{escape(p.href)}">{escape(p.title)}</a>' for p in pages if p is not None]
    return f'<p class="reference__bears">Bears on: {", ".join(links)}.</p>' if links else ""


def _grouped_item(work: Work, root: str, bears_link: Callable[[str], PageLink | None]) -> str:
    about = f"{escape(work.relation)}{_run_words(work)}".strip()
    return (
        f'<li class="reference" id="ref-{work.key}"><p class="reference__text">{apa(work)}</p>'
        + (f'<p class="reference__relation">{about}</p>' if about else "")
        + f"{_bears_on(work, bears_link)}{bibtex_details(work, root)}</li>"
    )


def grouped_html(
    bibliography: Bibliography, root: str, bears_link: Callable[[str], PageLink | None]
) -> str:
    """Return every work under its group, groups in the order first met.

    `root` is the relative way to the site's root. `bears_link` gives an experiment's
    page, or None where it has none, and then nothing is printed. The ids are
    those of `Citations.list_html`: put one of the two on a page.
    """
    groups: dict[str, list[Work]] = {}
    for work in bibliography:
        groups.setdefault(work.grouping or "Other works", []).append(work)
    lines: list[str] = []
    for name, works in groups.items():
        anchor = "group-" + re.sub(r"\W+", "-", name.lower()).strip("-")
        lines += [f'<section class="reference-group" aria-labelledby="{anchor}">']
        lines += [f'<h2 id="{anchor}">{escape(name)}</h2>', '<ul class="references">']
        lines += [_grouped_item(work, root, bears_link) for work in works]
        lines += ["</ul>", "</section>"]
    return "\n".join(lines)
