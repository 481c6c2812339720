"""Owns how a work is handed out as BibTeX: to copy on a page, and as a file.

Does not cover how BibTeX is read (`bib_files`).
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from pybtex.database.input.bibtex import month_names

from docs.macros.bib.works import STANDARD_FIELDS, Work


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


def all_bibtex(works: Iterable[Work]) -> str:
    """Return one downloadable file with every work, a blank line between, a newline at the end."""
    return "\n\n".join(bibtex(work) for work in works) + "\n"
