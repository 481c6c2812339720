"""Owns the LaTeX of a .bib field: the few commands that are understood, as letters.

Does not cover which fields are read so (`works`) nor what is said of any other command
(`bibliography_check`).
"""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308"}
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
}  # fmt: skip
_ACCENTED = re.compile(r"\\([`'^~\"])\s*(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))")
_LETTER = re.compile(r"\\(ss|ae|AE|aa|AA|o|O|l|L)(?![A-Za-z])(?:\{\}|\s+)?")
_ESCAPED = re.compile(r"\\([&%#_])")


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
