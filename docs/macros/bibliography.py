"""Owns the bibliography: reading and checking .bib files, citing works, listing them on pages.

It does not cover how a single work reads (apa.py) or how a page calls these functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from pybtex.bibtex.utils import split_name_list
from pybtex.database.input.bibtex import LowLevelParser, month_names
from pybtex.exceptions import PybtexError
from pybtex.utils import CaseInsensitiveDict

from .apa import (
    KINDS,
    STANDARD_FIELDS,
    VERBATIM_FIELDS,
    Author,
    Bibliography,
    UnknownCitation,
    Work,
    apa,
    apa_text,
    author_from,
    bibtex,
    bibtex_details,
    decode_commands,
    leftover_latex,
    work_from,
)

__all__ = [
    "Author",
    "Bibliography",
    "BibliographyError",
    "Citation",
    "Citations",
    "Problem",
    "UnknownCitation",
    "Work",
    "all_bibtex",
    "apa",
    "apa_text",
    "bibtex",
    "grouped_html",
    "load",
    "validate",
]

_HEADER = re.compile(r"@\s*([^\s@{}(),=#\"]+)\s*\{\s*([^\s,}]*)")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\\{}]+")
_ARXIV = re.compile(r"\d{2}(0[1-9]|1[0-2])\.\d{4,5}(v\d+)?|[a-z-]+(\.[A-Z]{2})?/\d{7}(v\d+)?")
_URL = re.compile(r"https?://[^\s\\{}\"<>]+")
_YEAR = re.compile(r"(1[5-9]|20)\d\d")
_SLUGS = re.compile(r"[a-z0-9-]+(\s*,\s*[a-z0-9-]+)*")
_SITE_FIELDS = frozenset({"grouping", "relation", "runhere", "bearson", "papernumber"})
_UNFOLLOWED = frozenset({"crossref", "xdata", "xref"})
_IGNORED = frozenset({"abstract", "isbn", "issn", "keywords", "language"})
_COMMANDS = frozenset({"comment", "preamble", "string"})
_KNOWN = _SITE_FIELDS | _UNFOLLOWED | _IGNORED | frozenset(STANDARD_FIELDS)


@dataclass(frozen=True)
class Problem:
    """One fault of a .bib file. `line` is where the entry starts; 0 means the whole file."""

    path: Path
    line: int
    key: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.path.as_posix()}:{self.line}" if self.line else self.path.as_posix()
        return f"{place}: {self.key}: {self.reason}" if self.key else f"{place}: {self.reason}"


class BibliographyError(ValueError):
    """The files cannot be used; `problems` says why, a line each in the message."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, problems)))


@dataclass(frozen=True)
class _Entry:
    """An entry as written: names of fields in lower case, strings expanded."""

    path: Path
    line: int
    key: str
    type: str
    fields: tuple[tuple[str, str], ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, str]:
        return dict(self.fields)


def _fault(error: PybtexError, line: int) -> str:
    if getattr(error, "error_type", "") == "undefined string":
        name = error.args[0]
        return f"unknown @string macro {name!r}: define it above or put the value in braces"
    near = line + int(getattr(error, "lineno", 1)) - 1
    return f"BibTeX syntax error near line {near}: {error.args[0]}; look for a comma or brace there"


def _parse(text: str, macros: CaseInsensitiveDict, path: Path, line: int) -> _Entry:
    """Parse the text from one entry's @ up to the next entry's, so that no fault hides another."""
    head = _HEADER.match(text)
    if head is None:
        faults = (
            ("an @ outside any entry: write entries as @type{key, ...}",) if "@" in text else ()
        )
        return _Entry(path, line, "", "comment", (), faults)
    kind, key = head[1].lower(), head[2]
    if text.count("{") != text.count("}"):
        return _Entry(path, line, key, kind, (), ("unbalanced braces: count the { and } in it",))
    errors: list[PybtexError] = []
    found = list(LowLevelParser(text, macros=macros, handle_error=errors.append))
    reasons = [_fault(error, line) for error in errors]
    if len(found) > 1:
        reasons.append("a second @ inside it: write entries as @type{key, ...}")
    if kind in _COMMANDS or not found:
        return _Entry(path, line, key, kind, (), tuple(reasons))
    fields = [(name.lower(), " ".join("".join(parts).split())) for name, parts in found[0][1][1]]
    return _Entry(path, line, key, kind, tuple(fields), tuple(reasons))


def _read(path: Path) -> tuple[list[_Entry], list[Problem]]:
    """Return the entries of a file, and the problems that stand outside any entry's fields."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "") or "not UTF-8 text"
        return [], [Problem(path, 0, "", f"cannot be read ({why}): give a UTF-8 .bib file")]
    macros = CaseInsensitiveDict(month_names)
    starts = [0, *(match.start() for match in _HEADER.finditer(text)), len(text)]
    entries: list[_Entry] = []
    for start, end in pairwise(starts):
        entry = _parse(text[start:end], macros, path, text.count("\n", 0, start) + 1)
        # A @string counts only for its faults: its value is already in `macros`.
        if entry.type not in _COMMANDS or entry.faults:
            entries.append(entry)
    if not entries:
        return [], [Problem(path, 0, "", "holds no entry: write at least one @type{key, ...}")]
    return entries, []


def _check_type(entry: _Entry) -> Iterator[str]:
    if not _KEY.fullmatch(entry.key):
        yield f"malformed key {entry.key!r}: use letters, digits, - and _, with a letter first"
    if entry.type not in KINDS:
        yield f"unknown entry type @{entry.type}: use one of {', '.join(KINDS)}"
        return
    for name in KINDS[entry.type].required:
        if name not in entry.values:
            yield f"missing field {name!r}, which @{entry.type} needs"


def _check_fields(entry: _Entry) -> Iterator[str]:
    names = [name for name, _ in entry.fields]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            yield f"field {name!r} is given more than once: keep one"
        if name in _UNFOLLOWED:
            yield f"{name!r} is not followed: write the other entry's fields out here"
        if name not in _KNOWN:
            near = get_close_matches(name, sorted(_KNOWN), 1, 0.0)[0]
            yield f"unknown field {name!r}: did you mean {near!r}?"


def _check_values(entry: _Entry) -> Iterator[str]:
    for name, value in entry.fields:
        if not value.strip("{} "):
            yield f"field {name!r} is empty: fill it in or take it out"
        elif re.search(r"\{\s*\}", decode_commands(value)):
            yield f"empty braces in {name!r}: take them out"
        raw = "" if name in _IGNORED | VERBATIM_FIELDS else leftover_latex(value)
        if raw:
            yield f"LaTeX {raw!r} in {name!r} would show raw: write the plain letters in UTF-8"


def _check_links(entry: _Entry) -> Iterator[str]:
    values = entry.values
    links = [name for name in ("doi", "eprint", "url") if name in values]
    if len(links) > 1:
        yield f"more than one link ({', '.join(links)}): keep one, doi before eprint before url"
    if not links and entry.type in KINDS and KINDS[entry.type].needs_link:
        yield f"no link: @{entry.type} needs a doi, eprint or url"
    if "doi" in values and not _DOI.fullmatch(values["doi"]):
        yield f"malformed DOI {values['doi']!r}: write 10.NNNN/..., without https://doi.org/"
    if "eprint" in values and not _ARXIV.fullmatch(values["eprint"]):
        yield f"malformed arXiv id {values['eprint']!r}: write YYMM.NNNNN"
    if "eprint" in values and values.get("archiveprefix", "").lower() != "arxiv":
        yield "eprint without its archive: add archiveprefix = {arXiv}"
    if "url" in values and not _URL.fullmatch(values["url"]):
        yield f"malformed url {values['url']!r}: write the whole address with https://"


def _check_page_fields(entry: _Entry) -> Iterator[str]:
    values = entry.values
    if "year" in values and not _YEAR.fullmatch(values["year"]):
        yield f"malformed year {values['year']!r}: write four digits"
    if ("grouping" in values) != ("relation" in values):
        yield "grouping and relation go together: give both or neither"
    if values.get("runhere", "true") not in {"true", "false"}:
        yield f"malformed runhere {values['runhere']!r}: write true or false"
    if not _SLUGS.fullmatch(values.get("bearson", "none")):
        yield f"malformed bearson {values['bearson']!r}: write experiment names, comma between"
    if not re.fullmatch(r"[1-9]\d*", values.get("papernumber", "1")):
        yield f"malformed papernumber {values['papernumber']!r}: write a whole number"


def _check_authors(entry: _Entry) -> Iterator[str]:
    names = split_name_list(entry.values.get("author", ""))
    for position, name in enumerate(names, start=1):
        if name == "others" and 1 < position == len(names):
            continue
        try:
            nameless = name == "others" or not author_from(name).family
        except PybtexError:
            yield f"author {name!r} has too many commas: put 'and' between authors"
            continue
        if nameless:
            yield f"author {position} has no name: look for a stray 'and' or 'others'"


_CHECKS: tuple[Callable[[_Entry], Iterator[str]], ...] = (
    _check_type,
    _check_fields,
    _check_values,
    _check_links,
    _check_page_fields,
    _check_authors,
)


def _problems(entries: Iterable[_Entry]) -> Iterator[Problem]:
    """Check entries in order; keys that differ in case alone count as one."""
    first: dict[str, _Entry] = {}
    for entry in entries:
        reasons = entry.faults or [reason for check in _CHECKS for reason in check(entry)]
        earlier = first.setdefault(entry.key.casefold(), entry)
        if entry.key and earlier is not entry:
            place = f"{earlier.path.as_posix()}:{earlier.line}"
            reasons = [f"duplicate key, first used at {place}: choose another", *reasons]
        for reason in reasons:
            yield Problem(entry.path, entry.line, entry.key, reason)


def validate(path: Path) -> list[Problem]:
    """Return every problem of a .bib file in the order of its lines; an empty list if it is fit."""
    entries, problems = _read(path)
    return [*problems, *_problems(entries)]


def load(paths: Iterable[Path]) -> Bibliography:
    """Read .bib files into one bibliography; raise BibliographyError unless all are fit."""
    entries: list[_Entry] = []
    problems: list[Problem] = []
    for path in paths:
        read, unread = _read(path)
        entries += read
        problems += unread
    problems += _problems(entries)
    if problems:
        raise BibliographyError(problems)
    return Bibliography(tuple(work_from(e.key, e.type, e.values, e.line, e.path) for e in entries))


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


def all_bibtex(bibliography: Bibliography) -> str:
    """Return one downloadable file with every work, a blank line between, a newline at the end."""
    return "\n\n".join(bibtex(work) for work in bibliography) + "\n"
