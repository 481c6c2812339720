"""Owns how English spells a number, as patterns for lowered text.

Does not cover digits, nor when such a word is a figure (`figures_in_text`).
"""

from __future__ import annotations

_UNITS = "two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|zero|nought"
_TENS = "(?:twen|thir|for|fif|six|seven|eigh|nine)ty"
_SCALES = "(?:hundred|thousand|million|billion)s?"
# Longer words first: "six" would else take the head of "sixteen".
SMALL = rf"(?:{_TENS}(?:[-\s](?:one|{_UNITS}))?|{_TEENS}|{_UNITS})"
"""Nought, and two to ninety-nine; "one" is more often a pronoun."""
_HUNDREDS = rf"{_SCALES}(?:\sand\s{SMALL})?"
COUNT = rf"(?:{SMALL}(?:[-\s]{_HUNDREDS})*|(?:a\s|one\s)?{_HUNDREDS}|(?:a\s)?dozens?)"
"""A number of any size."""
PARTS = (
    r"(?:a|one)[-\s]third(?=\sof\b|\s*[.,;:!?)]|\s*$)|one[-\s]third"
    r"|(?:(?:a|one|two|three)[-\s])?(?:quarters?|thirds)|(?:one[-\s])?half(?!-\w)|halves|twice|thrice"
)
"""Parts and multiples: a third, half, twice."""
_STEMS = (
    "tw|three|four|fort|five|fif|six|seven|eight|nine|ten|eleven|thir|thrice|zero|nought|hundred"
    "|thousand|illion|dozen|half|halves|quarter|one of|one out|one in|one-in|one-of"
)
STEMS = tuple(_STEMS.split("|"))
"""Where a text holds none of these, no number is spelled: a cheap look before the dear search."""
