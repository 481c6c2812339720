"""Owns which words of a text compare: better, lower, no effect and their like.

Does not cover whether they may stand where they do (`orphans`).
"""

from __future__ import annotations

import re

from docs.macros.orphan.figures_in_text import Found, lowered
from docs.macros.orphan.masks import CODE

COMPARISON = "comparison"

_WORDS = re.compile(
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
# A cheap look before the dear search: most texts compare nothing.
_LISTED = (
    "better|worse|the best|the worst|the very|beat|outperform|improv|higher|lower|faster|slower"
    "|raise|reverse|no effect|no difference|no gain|moves|moved|not move"
)
_STEMS = tuple(_LISTED.split("|"))


def find(text: str) -> list[Found]:
    """Return the comparative words of a text in order, with shape `comparison`."""
    if not any(map(lowered(text).__contains__, _STEMS)):
        return []
    return [Found(*match.span(), match[0], COMPARISON) for match in _WORDS.finditer(text)]
