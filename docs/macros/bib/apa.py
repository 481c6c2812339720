"""Owns how a work reads as a reference in the manner of APA 7, as HTML or as plain text.

Does not cover lists of references (`references`) nor the BibTeX beneath one (`bibtex`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Literal

from docs.macros.bib.works import KINDS, Author, Work


@dataclass(frozen=True)
class _Run:
    """A stretch of a reference in one style."""

    text: str
    style: Literal["plain", "italic", "link"] = "plain"

    def html(self) -> str:
        text = escape(self.text)
        if self.style == "italic":
            return f"<em>{text}</em>"
        return f'<a href="{text}">{text}</a>' if self.style == "link" else text


def _initials(name: str) -> str:
    spaced = re.sub(r"\.(?=\w)", ". ", name).split()
    return " ".join(
        "-".join(f"{part[0].upper()}." for part in word.split("-") if part) for word in spaced
    )


def _author(author: Author) -> str:
    if author.corporate or not author.given:
        return author.family
    name = f"{author.family}, {' '.join(_initials(given) for given in author.given)}"
    return f"{name}, {author.suffix}" if author.suffix else name


def _authors(work: Work) -> str:
    """Join the authors: all up to 20, else the first 19 and the last (APA 7, section 9.8)."""
    names = [_author(author) for author in work.authors]
    if work.et_al:
        return ", ".join([*names, "et al."])
    if len(names) > 20:
        return ", ".join(names[:19]) + f", . . . {names[-1]}"
    return ", ".join(names[:-1]) + f", & {names[-1]}" if len(names) > 1 else names[0]


def _closed(text: str) -> str:
    return "" if text.endswith((".", "?", "!")) else "."


def _date(work: Work) -> str:
    month, day = work.field("month"), work.field("day")
    return f"{work.year}, {month} {day}".rstrip() if month else work.year


def _title(work: Work) -> Iterator[_Run]:
    kind = KINDS[work.type]
    yield _Run(work.title, "plain" if kind.contained else "italic")
    version = work.field("version")
    notes = [text for text in (work.field("note"), kind.described_as) if text]
    tail = f" (Version {version})" if version else ""
    tail += "".join(f" [{text}]" for text in notes)
    yield _Run(tail + _closed(tail or work.title))


def _container(work: Work) -> Iterator[_Run]:
    if not work.venue:
        return
    if not KINDS[work.type].contained:
        yield _Run(f" {work.venue}{_closed(work.venue)}")
        return
    yield _Run(" In " if work.type == "inproceedings" else " ")
    yield _Run(work.venue, "italic")
    pages = work.field("pages")
    if work.type == "article":
        volume, number = work.field("volume"), work.field("number")
        if volume:
            yield _Run(", ")
            yield _Run(volume, "italic")
        yield _Run((f"({number})" if number else "") + (f", {pages}" if pages else "") + ".")
    else:
        yield _Run(f" (pp. {pages})." if pages else _closed(work.venue))


def _runs(work: Work) -> Iterator[_Run]:
    authors = _authors(work)
    yield _Run(f"{authors}{_closed(authors)} ({_date(work)}). ")
    yield from _title(work)
    yield from _container(work)
    if work.link:
        yield _Run(" ")
        yield _Run(work.link, "link")


def apa(work: Work) -> str:
    """Return the reference as inline HTML in the manner of APA 7, titles as they are stored."""
    return "".join(run.html() for run in _runs(work))


def apa_text(work: Work) -> str:
    """Return the same reference as plain text."""
    return "".join(run.text for run in _runs(work))
