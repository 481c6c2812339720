"""Owns the check that every internal link of the built site leads to a file and an anchor.

mkdocs checks the links that stand in Markdown; this one sees those that macros made, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import etree, html

_ATTRIBUTES = {"a": "href", "link": "href", "img": "src", "script": "src"}


@dataclass
class Links:
    """What one page offers (ids) and what it points to (hrefs)."""

    ids: set[str] = field(default_factory=set)
    hrefs: list[str] = field(default_factory=list)


def read(path: Path) -> Links:
    """Ids and internal hrefs of a built page."""
    out = Links()
    for element in html.fromstring(path.read_bytes()).iter(etree.Element):
        out.ids.update(i for i in (element.get("id"), element.get("name")) if i)
        value = element.get(_ATTRIBUTES.get(str(element.tag), "no-link"))
        parts = urlsplit(value or "https:")
        if value and not parts.scheme and not parts.netloc:
            out.hrefs.append(value)
    return out


def broken(site: Path) -> Iterator[str]:
    """One line a link that leads nowhere: page, link, what is missing."""
    pages = {path: read(path) for path in sorted(site.rglob("*.html"))}

    @cache
    def target(base: Path, way: str) -> Path | None:
        # 404.html is served for any address, so mkdocs gives it links from the site's root.
        start = site if way.startswith("/") else base
        found = (start / unquote(way).lstrip("/")).resolve() if way else base
        if found.is_dir():
            found = found / "index.html"
        return found if found.is_file() else None

    for path, links in pages.items():
        page = path.relative_to(site).as_posix()
        for href in dict.fromkeys(links.hrefs):
            parts = urlsplit(href)
            found = target(path.parent, parts.path) if parts.path else path
            if found is None:
                yield f"{page}: link {href!r}: there is no such file in the site"
            elif parts.fragment and found in pages:
                anchor = unquote(parts.fragment)
                if anchor not in pages[found].ids and anchor != "__skip":
                    yield f"{page}: link {href!r}: the page has no anchor {anchor!r}"
