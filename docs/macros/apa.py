"""Owns cited works, and how each reads as an APA reference and as a BibTeX entry.

It does not cover reading or checking .bib files, numbering, or pages: see bibliography.py.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from html import escape
from pathlib import Path
from typing import Literal

from pybtex.bibtex.utils import split_name_list
from pybtex.database import Person
from pybtex.database.input.bibtex import month_names

# The order in which a copied entry lists its fields; a field not named here is ours alone.
STANDARD_FIELDS = (
    *("author", "title", "editor", "journal", "booktitle", "series", "chapter", "organization"),
    *("publisher", "school", "institution", "howpublished", "address", "year", "month", "day"),
    *("volume", "number", "pages", "edition", "version", "license"),
    *("doi", "eprint", "archiveprefix", "primaryclass", "url", "note"),
)

VERBATIM_FIELDS = frozenset({"doi", "eprint", "url"})

_ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308"}
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
}  # fmt: skip
_ACCENTED = re.compile(r"\\([`'^~\"])\s*(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))")
_LETTER = re.compile(r"\\(ss|ae|AE|aa|AA|o|O|l|L)(?![A-Za-z])(?:\{\}|\s+)?")
_ESCAPED = re.compile(r"\\([&%#_])")


@dataclass(frozen=True)
class Kind:
    """What one entry type must have, and how APA sets it."""

    required: tuple[str, ...]
    venue: str = ""
    contained: bool = False
    described_as: str = ""
    needs_link: bool = False


KINDS: dict[str, Kind] = {
    "article": Kind(("author", "title", "journal", "year"), "journal", contained=True),
    "book": Kind(("author", "title", "publisher", "year"), "publisher"),
    "dataset": Kind(("author", "title", "year"), "publisher", False, "Data set", True),
    "inproceedings": Kind(("author", "title", "booktitle", "year"), "booktitle", contained=True),
    "misc": Kind(("author", "title", "year"), "howpublished", needs_link=True),
    "online": Kind(("author", "title", "year"), "organization", needs_link=True),
    "phdthesis": Kind(("author", "title", "school", "year"), "school", False, "Doctoral thesis"),
    "software": Kind(("author", "title", "year"), "publisher", False, "Computer software"),
    "techreport": Kind(
        ("author", "title", "institution", "year"), "institution", False, "Technical report"
    ),
}


@dataclass(frozen=True)
class Author:
    """A person, or a body whose name stays as it is written."""

    family: str
    given: tuple[str, ...] = ()
    suffix: str = ""
    corporate: bool = False


@dataclass(frozen=True)
class Work:
    """One entry of a .bib file, decoded to plain text.

    `fields` keeps the entry as it was written, strings expanded, so that it can be copied.
    `et_al` is true where the entry ends its authors with "and others". `link` is the one
    address of the work, empty where it has none. `grouping`, `relation`, `run_here`,
    `bears_on` and `paper_number` are this site's own fields; `run_here` says what the source
    project ran, and is None where the question does not arise.
    """

    key: str
    type: str
    authors: tuple[Author, ...]
    et_al: bool
    title: str
    year: str
    venue: str
    link: str
    doi: str
    eprint: str
    grouping: str
    relation: str
    run_here: bool | None
    bears_on: tuple[str, ...]
    paper_number: int | None
    line: int
    path: Path
    fields: tuple[tuple[str, str], ...]

    def field(self, name: str) -> str:
        """Return one field as plain text, empty where the entry does not have it."""
        raw = dict(self.fields).get(name, "")
        return raw if name in VERBATIM_FIELDS else decode(raw)


class UnknownCitation(KeyError):
    """No work has this key; `nearest` is the existing key most like it, empty if there is none."""

    def __init__(self, key: str, nearest: str) -> None:
        self.key, self.nearest = key, nearest
        super().__init__(key)

    def __str__(self) -> str:
        advice = f"did you mean {self.nearest!r}?" if self.nearest else "the bibliography is empty"
        return f"no work has the key {self.key!r}: {advice}"


@dataclass(frozen=True)
class Bibliography:
    """The works in the order of their files."""

    works: tuple[Work, ...]

    def __iter__(self) -> Iterator[Work]:
        return iter(self.works)

    def __len__(self) -> int:
        return len(self.works)

    def keys(self) -> tuple[str, ...]:
        """Return every key, in order."""
        return tuple(work.key for work in self.works)

    def get(self, key: str) -> Work:
        """Return the work of a key, or raise UnknownCitation with the nearest key."""
        for work in self.works:
            if work.key == key:
                return work
        raise UnknownCitation(key, "".join(get_close_matches(key, self.keys(), 1, 0.0)))


def decode_commands(raw: str) -> str:
    """Turn the few LaTeX commands that are understood into letters; leave every other."""

    def accented(match: re.Match[str]) -> str:
        letter = match[2] or match[3]
        composed = unicodedata.normalize("NFC", letter + _ACCENTS[match[1]])
        return composed if len(composed) == 1 else match[0]

    text = _ACCENTED.sub(accented, raw)
    text = _LETTER.sub(lambda match: _LETTERS[match[1]], text)
    return _ESCAPED.sub(r"\1", text)


def leftover_latex(raw: str) -> str:
    """Return the first piece of LaTeX that a page would show raw, empty where there is none."""
    match = re.search(r"\\(?:[A-Za-z]+|(?!\$).|$)|(?<!\\)\$", decode_commands(raw))
    return match[0] if match else ""


def decode(raw: str) -> str:
    """Return a field's value as plain text: commands, dashes, quotes, ties, then no braces."""
    text = decode_commands(raw).replace("\\$", "$").replace("~", "\u00a0")
    text = text.replace("---", "\u2014").replace("--", "\u2013")
    text = text.replace("``", "\u201c").replace("''", "\u201d")
    return text.replace("{", "").replace("}", "")


def author_from(name: str) -> Author:
    """Read one BibTeX name; raise pybtex's InvalidNameString where it has too many commas."""
    if name.startswith("{") and name.endswith("}"):
        return Author(decode(name), corporate=True)
    person = Person(name)
    family = decode(" ".join([*person.prelast_names, *person.last_names]))
    given = tuple(decode(part) for part in [*person.first_names, *person.middle_names])
    return Author(family, given, decode(" ".join(person.lineage_names)))


def _link(values: dict[str, str]) -> str:
    if "doi" in values:
        return f"https://doi.org/{values['doi']}"
    if "eprint" in values:
        return f"https://arxiv.org/abs/{values['eprint']}"
    return values.get("url", "")


def work_from(key: str, kind: str, values: dict[str, str], line: int, path: Path) -> Work:
    """Build a work from the raw fields of an entry that was found fit."""
    names = split_name_list(values["author"])
    venue = decode(values.get(KINDS[kind].venue, ""))
    return Work(
        key=key,
        type=kind,
        authors=tuple(author_from(name) for name in names if name != "others"),
        et_al=names[-1] == "others",
        title=decode(values["title"]),
        year=values["year"],
        venue=venue or ("arXiv" if "eprint" in values else ""),
        link=_link(values),
        doi=values.get("doi", ""),
        eprint=values.get("eprint", ""),
        grouping=decode(values.get("grouping", "")),
        relation=decode(values.get("relation", "")),
        run_here=values["runhere"] == "true" if "runhere" in values else None,
        bears_on=tuple(slug.strip() for slug in values.get("bearson", "").split(",") if slug),
        paper_number=int(values["papernumber"]) if "papernumber" in values else None,
        line=line,
        path=path,
        fields=tuple(values.items()),
    )


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


def bibtex(work: Work) -> str:
    """Return an entry to copy: standard fields alone, always in the same order, no last newline."""
    fields = dict(work.fields)
    macros = {full: short for short, full in month_names.items()}
    lines = [f"@{work.type}{{{work.key},"]
    for name in STANDARD_FIELDS:
        value = fields.get(name, "")
        if name == "month" and value in macros:
            lines.append(f"  month = {macros[value]},")
        elif value:
            lines.append(f"  {name} = {{{value}}},")
    return "\n".join([*lines, "}"])


def bibtex_details(work: Work, root: str) -> str:
    """Return the folded BibTeX entry with its copy button and its download link as HTML.

    `root` is the relative way to the site's root. The button's `data-copy` is the text to copy.
    """
    entry = escape(bibtex(work))
    copied = entry.replace("\n", "&#10;")
    return (
        '<details class="reference__bibtex"><summary>BibTeX</summary>'
        f'<button class="copy" type="button" data-copy="{copied}">Copy BibTeX</button> '
        f'<a href="{escape(root)}bib/{work.key}.bib" download>Download {work.key}.bib</a>'
        f'<pre><code class="bibtex">{entry}</code></pre></details>'
    )
