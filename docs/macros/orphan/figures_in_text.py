"""Owns which figures stand in a plain text: fractions, percentages, counts in digits or words.

Does not cover numbers that are no figures (`structural_forms`), nor HTML, nor whether a figure may
stand where it does (`orphans`).

Figures are fractions (7 / 54, 7 of 54, seven of the nine, one in ten, none of twelve),
percentages (13 %, 13 percent, 13.5 points), ranges (6-9, six to nine), ratios (x4, 1.5x),
decimals, integers, and spelled counts (nought, two ... ninety-nine, hundred, thousand, a dozen,
half, a third of, quarter, twice, thrice).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docs.macros.orphan.masks import STRUCTURAL, laid_over
from docs.macros.orphan.number_words import COUNT, PARTS, STEMS
from docs.macros.orphan.structural_forms import structural_spans

FRACTION, PERCENTAGE, RANGE, RATIO = "fraction", "percentage", "range", "ratio"
DECIMAL, INTEGER, SPELLED = "decimal", "integer", "spelled"


class Found(NamedTuple):
    """One find: `text` is the slice `start:end` of the text searched, `shape` names its class."""

    start: int
    end: int
    text: str
    shape: str


class Reading(NamedTuple):
    """All figures of a text, and the spans (start, end) of its structural forms."""

    figures: list[Found]
    structural: list[tuple[int, int]]


_DIGITS = (
    r"(?P<digits>[\d\u00bc-\u00be\u2150-\u215e]\d*(?:[,\u2009\u202f]\d{3}(?!\d))*(?:\.\d+)?"
    r"(?:e[-+]?\d+)?(?:\s(?:hundred|thousand|million|billion)\b)?)"
)
_DIGIT_ATOM = re.compile(_DIGITS)
# A hyphen makes a number part of a name ("demo-eleven", "non-zero"), but not in "up-to-ten".
_NO_NAME_BEFORE = (
    r"(?:(?<![a-z]-)|(?<=-to-)|(?<=-of-)|(?<=-in-)|(?<=under-)|(?<=over-)|(?<=top-)|(?<=all-)"
    r"|(?<=sub-))"
)
_ATOM = re.compile(
    rf"{_DIGITS}|(?<![a-z\d_]){_NO_NAME_BEFORE}(?:(?P<parts>{PARTS})|(?P<count>{COUNT})"
    r"|(?P<lone>one|none))(?![a-z\d_])(?!-(?:shot|width)\b)"
)
_OF = re.compile(r"[\s-](?:out\s)?of[\s-](?:(?:the|those|these|all|its|their|our)\s)*")
_IN = re.compile(r"[\s-]in[\s-](?:every\s)?")
_SLASH = re.compile(r"\s?/\s?")
_TO = re.compile(r"\s?[-\u2010-\u2015\u2212]\s?|\sto\s")
_PERCENT_AFTER = re.compile(
    r"\s?[%\u2030]|[\s-]?per\s?cent\b|[\s-]?(?:percentage[\s-])?points?\b|\s?pp\b"
)
_TIMES_AFTER = re.compile(r"\s?(?:\u00d7|x(?![a-z\d]))")
_TIMES_BEFORE = re.compile(r"(?:\u00d7|(?<![a-z\d])x)\s?$")
_SIGN_BEFORE = re.compile(r"(?:^|[\s(\[])[+\-\u2212\u00b1]$")


def find(text: str) -> list[Found]:
    """Return the figures of a text in order; structural forms are none."""
    return read(text).figures


def read(text: str) -> Reading:
    """Return the figures of a text in order, and the spans of its structural forms."""
    searched = lowered(text)
    spelled = any(map(searched.__contains__, STEMS))
    if not spelled and not _DIGIT_ATOM.search(text):
        return Reading([], [])
    structural = structural_spans(text, spelled)
    if structural:
        searched = laid_over(searched, structural, STRUCTURAL)
    clusters = _clusters(searched, _ATOM if spelled else _DIGIT_ATOM)
    return Reading([_found(text, searched, *cluster) for cluster in clusters], structural)


def lowered(text: str) -> str:
    """Return the text in lower case, every letter at its offset."""
    lower = text.lower()
    # A few letters of other scripts grow when lowered, which would shift every offset.
    return lower if len(lower) == len(text) else "".join(c.lower()[0] for c in text)


def _clusters(text: str, atom_form: re.Pattern[str]) -> Iterator[tuple[list[re.Match[str]], str]]:
    """Yield neighbouring atoms that make one figure, with the shape their joints give."""
    atoms: list[re.Match[str]] = []
    shape = ""
    for atom in atom_form.finditer(text):
        joint = _joint(text, atoms[-1], atom) if atoms else ""
        if joint == FRACTION or (joint == RANGE and shape != FRACTION):
            atoms.append(atom)
            shape = joint
            continue
        if _counts(atoms, shape):
            yield atoms, shape
        atoms, shape = [atom], ""
    if _counts(atoms, shape):
        yield atoms, shape


def _counts(atoms: list[re.Match[str]], shape: str) -> bool:
    return bool(atoms) and (shape == FRACTION or any(atom.lastgroup != "lone" for atom in atoms))


def _joint(text: str, left: re.Match[str], right: re.Match[str]) -> str:
    if right.lastgroup in ("lone", "parts") or left.lastgroup == "parts":
        return ""
    between = text[left.end() : right.start()]
    lone = left.lastgroup == "lone"
    if _OF.fullmatch(between) or (not lone and _SLASH.fullmatch(between)):
        return FRACTION
    if left[0] in ("one", "1") and _IN.fullmatch(between):
        return FRACTION
    return RANGE if not lone and _TO.fullmatch(between) else ""


def _found(text: str, searched: str, atoms: list[re.Match[str]], shape: str) -> Found:
    """Add the sign, percent sign or times sign around a cluster, and name its shape."""
    start, end = atoms[0].start(), atoms[-1].end()
    if _SIGN_BEFORE.search(searched[max(0, start - 2) : start]):
        start -= 1
    if shape != FRACTION and (percent := _PERCENT_AFTER.match(searched, end)):
        end, shape = percent.end(), PERCENTAGE
    elif not shape and (times := _TIMES_AFTER.match(searched, end)):
        end, shape = times.end(), RATIO
    elif not shape and (times := _TIMES_BEFORE.search(searched[max(0, start - 3) : start])):
        start, shape = start - len(times[0]), RATIO
    return Found(start, end, text[start:end], shape or _plain_shape(atoms[0]))


def _plain_shape(atom: re.Match[str]) -> str:
    if atom.lastgroup != "digits":
        return SPELLED
    return DECIMAL if re.search(r"[^\d,\u2009\u202f]", atom[0].split(" ")[0]) else INTEGER
