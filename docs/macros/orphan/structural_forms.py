"""Owns the structural forms: numbers in a text that measure nothing, and so are no figures.

Does not cover figures themselves (`figures_in_text`). The forms are:

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
from functools import cache

from docs.macros.orphan.number_words import SMALL

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
    rf"|\s(?:out\s)?of\s(?:the\s|those\s|these\s)?(?:\d|(?i:{SMALL})\b))"
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
    rf"(?<!\w)(?i:tiers?|sections?|chapter|phase|stage|step)[\s-](?i:{SMALL})\b"
    rf"(?:\s(?:and|to|or)\s(?i:{SMALL})\b)?{_MEASURED}"
)
_LIST_NUMBER = re.compile(r"\s*\d{1,2}[.)]\s+(?=\S)")
_DIGIT_RUN = re.compile(r"\d+")
_WORD = re.compile(r"(?<!\w)(?:\w+|#|\u00a7+)")
_WORDS_BEFORE_DIGIT = 2  # of the longest form, "pull request #12"
_LISTED = "|".join(listed for listed, _ in (*_FROM_WORD, *_FROM_ANY_CASE)).lower()
_FIRST_WORDS = frozenset(re.findall(r"(?:^|\|)(\w+|#|\u00a7+)", _LISTED))


def structural_spans(text: str, spelled: bool) -> list[tuple[int, int]]:
    """Return the spans (start, end) of a text's structural forms, in order.

    `spelled` tells whether the text may hold number words at all; without, none is sought.
    """
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
