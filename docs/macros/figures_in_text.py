"""Finds figures, structural forms, comparative words and sentences in plain text.

It knows nothing of HTML or of the record: whether a figure may stand is settled in `orphans.py`.

**Figures** are fractions (7 / 54, 7 of 54, seven of the nine, one in ten, none of twelve),
percentages (13 %, 13 percent, 13.5 points), ranges (6-9, six to nine), ratios (x4, 1.5x),
decimals, integers, and spelled counts (nought, two ... ninety-nine, hundred, thousand, a dozen,
half, a third of, quarter, twice, thrice). **Structural forms** are no figures:

- years 1900 to 2099, their spans and decades, unless a counted noun follows ("2048 tokens") or a
  word before says that it is an amount ("about 2000"); dates in words or ISO form; clock times;
- versions: v1.2, 1.2.3, 1.6.x, and the number after a product's name (Python 3.11, macOS 26);
- identifiers: section, table, Figure, tier, step, phase, stage, line, row, column, page, chapter,
  equation, listing, footnote, rule, port, exit code, RFC, PEP, ISO and the like with their number
  ("tier 3", "tiers 1 to 4", "tier six"); issue numbers (#206, issue 339); commit hashes;
- names that mix letters and digits (0.5B, llama3.1:8b, Q4_K_M, sha256, M3, utf-8, pass@1, 4-bit),
  but not an amount with its unit (12s, 4.9GB, 3x, 20-step) or a word before one (top-5, up-to-4);
- web addresses, host:port, arXiv and DOI identifiers;
- ordinals (first, 3rd) and the number that opens a text as a list does ("2. Measure");
- "one" as a pronoun: it counts only in "one of N" and "one in N".

An identifier that a measure follows ("step 3 of 12", "macOS 14 %") is a figure all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

# Callers lay these over text that is already accounted for; lengths, and so offsets, stay equal.
BOUND = "\ue000"
CODE = "\ue001"
CITE = "\ue002"
_STRUCTURAL = "\ue003"

FRACTION, PERCENTAGE, RANGE, RATIO = "fraction", "percentage", "range", "ratio"
DECIMAL, INTEGER, SPELLED, COMPARISON = "decimal", "integer", "spelled", "comparison"


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


def _words(listed: str) -> tuple[str, ...]:
    return tuple(listed.split("|"))


_UNITS = "two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|zero|nought"
_TENS = "(?:twen|thir|for|fif|six|seven|eigh|nine)ty"
_SCALES = "(?:hundred|thousand|million|billion)s?"
# Longer words first: "six" would else take the head of "sixteen".
_SMALL = rf"(?:{_TENS}(?:[-\s](?:one|{_UNITS}))?|{_TEENS}|{_UNITS})"
_HUNDREDS = rf"{_SCALES}(?:\sand\s{_SMALL})?"
_COUNT = rf"(?:{_SMALL}(?:[-\s]{_HUNDREDS})*|(?:a\s|one\s)?{_HUNDREDS}|(?:a\s)?dozens?)"
_PARTS = (
    r"(?:a|one)[-\s]third(?=\sof\b|\s*[.,;:!?)]|\s*$)|one[-\s]third"
    r"|(?:(?:a|one|two|three)[-\s])?(?:quarters?|thirds)|(?:one[-\s])?half(?!-\w)|halves|twice|thrice"
)
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
    rf"{_DIGITS}|(?<![a-z\d_]){_NO_NAME_BEFORE}(?:(?P<parts>{_PARTS})|(?P<count>{_COUNT})"
    r"|(?P<lone>one|none))(?![a-z\d_])(?!-(?:shot|width)\b)"
)
# A cheap look before the dear search: most blocks of a page spell no number.
_NUMBER_STEMS = _words(
    "tw|three|four|fort|five|fif|six|seven|eight|nine|ten|eleven|thir|thrice|zero|nought|hundred"
    "|thousand|illion|dozen|half|halves|quarter|one of|one out|one in|one-in|one-of"
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

_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
)
_COUNTED = (
    r"(?![\s-](?:run|case|task|test|token|step|turn|passe?|repeat|sample|row|file|line|script|draft"
    r"|write|patche?|model|byte|character|word|weight|core|question|call|request|repl(?:y|ie)|time"
    r"|attempt|failure|error|fixe?|fault|figure|table|page|session|second|minute|hour|day|week|month"
    r"|year|function|prompt|point|percent|job|change|commit|record|finding|fold)s?\b)"
)
_MEASURED = (
    r"(?!\d|[.,]\d|\s?(?:[%\u2030\u00d7]|/\s?\d|x\b|x\d)|\s?(?:per\s?cent|percentage|points?|pp"
    r"|[kKMGT]i?B|bytes|[mun]?s|sec(?:onds?)?|min(?:utes?)?|h|hours?|[kMG]?Hz)\b"
    rf"|\s(?:out\s)?of\s(?:the\s|those\s|these\s)?(?:\d|(?i:{_SMALL})\b))"
)
_ID = r"\d+(?:\.\d+)*[a-z]?(?!\w)"
_ONE_ID = (
    "section|sec.|\u00a7|chapter|appendix|table|fig.|equation|eq.|listing|tier|step|phase|stage"
    "|level|line|row|column|page|p.|footnote|rule|contradiction|issue|pull request|PR|version"
    "|release|schema|port|exit code|exit status|status code|HTTP|RFC|PEP|ISO|IEC"
)
_MANY_IDS = (
    "sections|\u00a7\u00a7|chapters|tables|figs.|equations|eqs.|tiers|levels|lines|rows|columns"
    "|pages|pp.|footnotes|rules|versions|pull requests"
)
# This project calls its numbers figures, so only the capital makes "Figure 2" a picture's name.
_PICTURES = "Figure|Figures"
_PRODUCTS = (
    "Python|CPython|PyPy|Ollama|macOS|Mac OS|Windows|Ubuntu|Debian|Fedora|Linux|Node|Node.js|Git"
    "|MkDocs|mkdocs|Material|pytest|Ruff|ruff|mypy|pip|uv|SciPy|scipy|NumPy|numpy|pandas|matplotlib"
    "|Matplotlib|Jinja|lxml|MLX|Jupyter|Chrome|Firefox|Safari|JSON Schema|WCAG|Unicode|CC BY"
    "|CC BY-SA|Apache|Apache License|Llama|Qwen|Gemma|Phi|Mistral|DeepSeek|GPT|Claude|Codex"
)
# Known by one whole number too; for the others "Linux 12 passed" would hide a count.
_WHOLE_PRODUCTS = "Python|macOS|Windows|Node|Material|WCAG|Llama|Qwen|Gemma|Phi|GPT|Claude"
_DOTTED = r"\d+(?:\.\d+)+(?:\.x)?\+?(?!\w)"
_AND = r"(?:,?\s(?:and|or|to)\s|\s?[-\u2013+/]\s?|,\s)"
_YEAR = r"(?:19|20)\d{2}"
_AMOUNT_WORDS = (
    "about|over|than|least|most|nearly|roughly|exactly|only|limit|window|context|context of"
    "|window of|limit of|budget of|="
)
_NO_AMOUNT_BEFORE = "".join(f"(?<!{word} )" for word in _AMOUNT_WORDS.split("|"))

_FROM_DIGIT = (
    # DOI, address of a host
    r"10\.\d{4,9}/\S+",
    r"(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?\b",
    # dates and times
    rf"{_YEAR}-(?:0[1-9]|1[0-2])(?:-\d\d(?:[T\s]\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
    r"(?:Z|[+-]\d\d:\d\d)?)?)?\b",
    r"\d{1,2}(?:st|nd|rd|th)?(?:(?:\s?[-\u2013]\s?|\s(?:and|to|or)\s)\d{1,2})?\s(?:of\s)?"
    rf"(?:{_MONTHS})\b\.?(?:\s{_YEAR}\b{_MEASURED})?",
    r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?\b(?!:)|\d{1,2}\s?[ap]\.?m\b\.?",
    # versions
    r"\d+(?:\.\d+){2,}(?:[-.+]?[A-Za-z]\w*)*\b|\d+(?:\.\d+)*\.x\b",
    # years
    rf"(?={_YEAR})(?<![.,$~\u2248/])(?<!/ )(?<!\d of ){_NO_AMOUNT_BEFORE}"
    rf"{_YEAR}(?:s|\s?[-\u2013]\s?(?:(?:19|20)?\d{{2}}))?(?!\w){_MEASURED}{_COUNTED}",
    # commit hashes, sizes of models, widths, ordinals
    r"(?=\d*[a-f])[0-9a-f]{7,64}\b",
    r"(?<!\.)(?:\d+(?:\.\d+)?[-\u2013])?\d+(?:\.\d+)?(?:[bB](?:-[A-Za-z]\w*(?:[-.]\w+)*)?|-bit|st|nd|rd|th)\b",
)
# Each pair: the words that a form begins with, and what follows them.
_FROM_WORD = (
    ("#", r"\d+\b"),
    (
        _MONTHS,
        rf"\b\.?\s(?:{_YEAR}|\d{{1,2}}(?:st|nd|rd|th)?(?:[-\u2013]\d{{1,2}})?(?:,?\s{_YEAR})?)\b"
        rf"{_MEASURED}{_COUNTED}",
    ),
    (_PICTURES, rf"\s{_ID}(?:{_AND}{_ID})?{_MEASURED}{_COUNTED}"),
    (_PRODUCTS, rf"(?:\sversion)?[\s/-]{_DOTTED}(?:{_AND}{_DOTTED})*{_MEASURED}"),
    (_WHOLE_PRODUCTS, rf"\s\d{{1,2}}(?:\.x|\+)?(?!\w){_MEASURED}{_COUNTED}"),
)
_FROM_ANY_CASE = (
    (_MANY_IDS, rf"\s(?:{_ID},\s)*{_ID}(?:{_AND}{_ID})?{_MEASURED}{_COUNTED}"),
    (_ONE_ID, rf"(?:\s?#|\s|(?<=\u00a7))(?:no\.\s)?{_ID}{_MEASURED}"),
    ("arxiv", r"[:\s]\s?\d{4}\.\d{4,5}(?:v\d+)?\b"),
    ("localhost", r":\d{2,5}\b"),
    ("http|https|www.|mailto|doi", r"\S+"),
)
# A commit hash, then a name of letters and digits; its word part may not be an amount's ("top-5").
_NAME = (
    r"(?=[a-f]*\d)[0-9a-f]{7,64}\b"
    r"|(?<![.:@-])(?=[A-Za-z_.:@-]+\d)(?!x\d+\b|(?i:up-to|under|over|plus|minus|about|by|all|top"
    r"|first|last|best-of|of|at|to|sub|n|k)-?\d)"
    r"[A-Za-z_](?:[A-Za-z_.@-]|:(?=\d*[A-Za-z]))*+\d(?:[\w.@-]|:(?=\d*[A-Za-z]))*(?<=\w)(?!\w)"
    r"(?!\s?%|[.,]\d|/\d|\s(?:per\s?cent|points?)\b)"
)
_SPELLED_ID = re.compile(
    rf"(?<!\w)(?i:tiers?|sections?|chapter|phase|stage|step)[\s-](?i:{_SMALL})\b"
    rf"(?:\s(?:and|to|or)\s(?i:{_SMALL})\b)?{_MEASURED}"
)
_LIST_NUMBER = re.compile(r"\s*\d{1,2}[.)]\s+(?=\S)")
_DIGIT_RUN = re.compile(r"\d+")
_WORD = re.compile(r"(?<!\w)(?:\w+|#|\u00a7+)")
_WORDS_BEFORE_DIGIT = 2  # of the longest form, "pull request #12"
_LISTED = "|".join(listed for listed, _ in (*_FROM_WORD, *_FROM_ANY_CASE)).lower()
_FIRST_WORDS = frozenset(re.findall(r"(?:^|\|)(\w+|#|\u00a7+)", _LISTED))

_COMPARISON = re.compile(
    r"(?<![\w-])(?:"
    r"better|worse|the\s(?:very\s)?(?:best|worst)|beats?|beaten|outperform\w*"
    r"|improv(?:e|es|ed|ing|ements?)"
    r"|(?<!or\s)(?:higher|lower)(?![-\s](?:case|bound|bounds|level|order|limit|end)\b)"
    r"|(?:faster|slower)(?!-whisper)"
    rf"|(?:raises|raised)(?!\s(?:(?:an?|the|no)\s)?(?:{CODE}|\w*(?:[Ee]rror|[Ee]xception|Exit|Interrupt)"
    r"s?\b))"
    r"|lowers|lowered|(?:reverses|reversed)(?!\s(?:an?|the|each)\s(?:string|list|word|line|text)s?\b)"
    r"|no\s(?:effect|difference|gain)"
    r"|mov(?:es|ed)\s(?:the\sscores?|nothing)|did\snot\smove"
    r")(?!\w)",
    re.IGNORECASE,
)

_COMPARISON_STEMS = _words(
    "better|worse|the best|the worst|the very|beat|outperform|improv|higher|lower|faster|slower"
    "|raise|reverse|no effect|no difference|no gain|moves|moved|not move"
)

_STOP = re.compile(
    rf"[.!?]+[\"'\u2019\u201d)\]]*(?:\s?{CITE}+)*\s+(?=[\"'\u2018\u201c(\[]?[A-Z\d{BOUND}{CODE}])"
)
_ABBREVIATED = re.compile(
    r"(?<![\w.])(?:(?i:e\.g|i\.e|vs|al|cf|ca|approx|dr|prof|resp|incl)|[A-Z]"
    r"|(?P<numbered>(?i:no|figs?|eqs?|sec|vol|pp?|ch)))$"
)


def find(text: str) -> list[Found]:
    """Return the figures of a text in order; structural forms are none."""
    return read(text).figures


def read(text: str) -> Reading:
    """Return the figures of a text in order, and the spans of its structural forms."""
    lowered = _lower(text)
    spelled = _holds_any(lowered, _NUMBER_STEMS)
    if not spelled and not _DIGIT_ATOM.search(text):
        return Reading([], [])
    structural = _structural(text, spelled)
    if structural:
        lowered = _cover(lowered, structural)
    clusters = _clusters(lowered, _ATOM if spelled else _DIGIT_ATOM)
    return Reading([_found(text, lowered, *cluster) for cluster in clusters], structural)


def comparisons(text: str) -> list[Found]:
    """Return the comparative words of a text in order, with shape `comparison`."""
    if not _holds_any(_lower(text), _COMPARISON_STEMS):
        return []
    return [Found(*match.span(), match[0], COMPARISON) for match in _COMPARISON.finditer(text)]


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of a text's sentences; they leave no gap.

    A full stop ends one before a space and a capital, a digit or a laid-over mark; a citation
    that follows the stop belongs to the sentence before it.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _STOP.finditer(text):
        if text[match.start()] == "." and _abbreviated(text, match):
            continue
        spans.append((start, match.end()))
        start = match.end()
    spans.append((start, len(text)))
    return spans


def _lower(text: str) -> str:
    lowered = text.lower()
    # A few letters of other scripts grow when lowered, which would shift every offset.
    return lowered if len(lowered) == len(text) else "".join(c.lower()[0] for c in text)


def _holds_any(text: str, stems: tuple[str, ...]) -> bool:
    return any(map(text.__contains__, stems))


def _abbreviated(text: str, stop: re.Match[str]) -> bool:
    match = _ABBREVIATED.search(text[max(0, stop.start() - 8) : stop.start()])
    if match is None or match["numbered"] is None:
        return match is not None
    return text[stop.end() : stop.end() + 1].isdigit()


def _structural(text: str, spelled: bool) -> list[tuple[int, int]]:
    spans = [match.span() for match in _SPELLED_ID.finditer(text)] if spelled else []
    floor = end = 0
    if opening := _LIST_NUMBER.match(text):
        spans.append(opening.span())
        floor = end = opening.end()
    while run := _DIGIT_RUN.search(text, end):
        end = run.end()
        if form := _form_near(text, floor, run.start()):
            spans.append(form.span())
            floor = end = form.end()
    return sorted(spans)


def _form_near(text: str, floor: int, digit: int) -> re.Match[str] | None:
    start = chunk = max(text.rfind(" ", 0, digit) + 1, floor)
    for _ in range(_WORDS_BEFORE_DIGIT):
        start = max(text.rfind(" ", 0, max(start - 1, 0)) + 1, floor)
    for word in _WORD.finditer(text, start, digit + 1):
        at = word.start()
        # A word that ends before the digit's own begins a form only when the lists have it.
        if at >= chunk or word[0].lower() in _FIRST_WORDS:
            form = _forms(text[at]).match(text, at)
            if form and form.end() > digit:
                return form
    return None


@cache
def _forms(first: str) -> re.Pattern[str]:
    """Return the forms that can begin with this character; few for most, so the search is quick."""
    if first.isdigit():
        return re.compile("|".join(_FROM_DIGIT))
    forms = [
        f"(?:{words}){tail}"
        for listed, tail in _FROM_WORD
        if (words := _beginning_with(first, listed.split("|")))
    ]
    forms += [
        f"(?i:{words}){tail}"
        for listed, tail in _FROM_ANY_CASE
        if (words := _beginning_with(first.lower(), listed.lower().split("|")))
    ]
    return re.compile("|".join([*forms, _NAME]))


def _beginning_with(first: str, words: list[str]) -> str:
    chosen = sorted((word for word in words if word[0] == first), key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s") for word in chosen)


def _cover(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + _STRUCTURAL * (end - start) + text[end:]
    return text


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


def _found(text: str, lowered: str, atoms: list[re.Match[str]], shape: str) -> Found:
    """Add the sign, percent sign or times sign around a cluster, and name its shape."""
    start, end = atoms[0].start(), atoms[-1].end()
    if _SIGN_BEFORE.search(lowered[max(0, start - 2) : start]):
        start -= 1
    if shape != FRACTION and (percent := _PERCENT_AFTER.match(lowered, end)):
        end, shape = percent.end(), PERCENTAGE
    elif not shape and (times := _TIMES_AFTER.match(lowered, end)):
        end, shape = times.end(), RATIO
    elif not shape and (times := _TIMES_BEFORE.search(lowered[max(0, start - 3) : start])):
        start, shape = start - len(times[0]), RATIO
    return Found(start, end, text[start:end], shape or _plain_shape(atoms[0]))


def _plain_shape(atom: re.Match[str]) -> str:
    if atom.lastgroup != "digits":
        return SPELLED
    return DECIMAL if re.search(r"[^\d,\u2009\u202f]", atom[0].split(" ")[0]) else INTEGER
