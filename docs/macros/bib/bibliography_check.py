"""Owns what makes an entry of a .bib file unfit, each fault with its place and its remedy.

Does not cover how the file is read (`bib_files`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

from pybtex.bibtex.utils import split_name_list
from pybtex.exceptions import PybtexError

from docs.macros.bib.bib_files import Entry, Problem, entries_of
from docs.macros.bib.latex import decode_commands, leftover_latex
from docs.macros.bib.works import KINDS, STANDARD_FIELDS, VERBATIM_FIELDS, author_from

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\\{}]+")
_ARXIV = re.compile(r"\d{2}(0[1-9]|1[0-2])\.\d{4,5}(v\d+)?|[a-z-]+(\.[A-Z]{2})?/\d{7}(v\d+)?")
_URL = re.compile(r"https?://[^\s\\{}\"<>]+")
_YEAR = re.compile(r"(1[5-9]|20)\d\d")
_SLUGS = re.compile(r"[a-z0-9-]+(\s*,\s*[a-z0-9-]+)*")
_SITE_FIELDS = frozenset({"grouping", "relation", "runhere", "bearson", "papernumber"})
_UNFOLLOWED = frozenset({"crossref", "xdata", "xref"})
_IGNORED = frozenset({"abstract", "isbn", "issn", "keywords", "language"})
_KNOWN = _SITE_FIELDS | _UNFOLLOWED | _IGNORED | frozenset(STANDARD_FIELDS)


def _check_type(entry: Entry) -> Iterator[str]:
    if not _KEY.fullmatch(entry.key):
        yield f"malformed key {entry.key!r}: use letters, digits, - and _, with a letter first"
    if entry.type not in KINDS:
        yield f"unknown entry type @{entry.type}: use one of {', '.join(KINDS)}"
        return
    for name in KINDS[entry.type].required:
        if name not in entry.values:
            yield f"missing field {name!r}, which @{entry.type} needs"


def _check_fields(entry: Entry) -> Iterator[str]:
    names = [name for name, _ in entry.fields]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            yield f"field {name!r} is given more than once: keep one"
        if name in _UNFOLLOWED:
            yield f"{name!r} is not followed: write the other entry's fields out here"
        if name not in _KNOWN:
            near = get_close_matches(name, sorted(_KNOWN), 1, 0.0)[0]
            yield f"unknown field {name!r}: did you mean {near!r}?"


def _check_values(entry: Entry) -> Iterator[str]:
    for name, value in entry.fields:
        if not value.strip("{} "):
            yield f"field {name!r} is empty: fill it in or take it out"
        elif re.search(r"\{\s*\}", decode_commands(value)):
            yield f"empty braces in {name!r}: take them out"
        raw = "" if name in _IGNORED | VERBATIM_FIELDS else leftover_latex(value)
        if raw:
            yield f"LaTeX {raw!r} in {name!r} would show raw: write the plain letters in UTF-8"


def _check_links(entry: Entry) -> Iterator[str]:
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


def _check_page_fields(entry: Entry) -> Iterator[str]:
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


def _check_authors(entry: Entry) -> Iterator[str]:
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


_CHECKS: tuple[Callable[[Entry], Iterator[str]], ...] = (
    _check_type,
    _check_fields,
    _check_values,
    _check_links,
    _check_page_fields,
    _check_authors,
)


def problems(entries: Iterable[Entry]) -> Iterator[Problem]:
    """Yield every problem of the entries in order; keys that differ in case alone count as one."""
    first: dict[str, Entry] = {}
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
    entries, unread = entries_of(path)
    return [*unread, *problems(entries)]
