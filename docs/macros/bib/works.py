"""Owns cited works: what kinds there are, and a work with its authors as decoded from its entry.

Does not cover how an entry is read (`bib_files`) or checked, nor how a work is shown (`apa`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pybtex.bibtex.utils import split_name_list
from pybtex.database import Person

from docs.macros.bib.latex import decode

# The order in which a copied entry lists its fields; a field not named here is ours alone.
STANDARD_FIELDS = (
    *("author", "title", "editor", "journal", "booktitle", "series", "chapter", "organization"),
    *("publisher", "school", "institution", "howpublished", "address", "year", "month", "day"),
    *("volume", "number", "pages", "edition", "version", "license"),
    *("doi", "eprint", "archiveprefix", "primaryclass", "url", "note"),
)

VERBATIM_FIELDS = frozenset({"doi", "eprint", "url"})


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
