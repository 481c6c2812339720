"""Owns the marks laid over text that is accounted for, one a letter, so that every offset holds.

Does not cover which text that is (`rendered_text`, `structural_forms`).
"""

from __future__ import annotations

BOUND = "\ue000"
CODE = "\ue001"
CITE = "\ue002"
STRUCTURAL = "\ue003"


def laid_over(text: str, spans: list[tuple[int, int]], mask: str) -> str:
    """Return the text with a mask over each span (start, end)."""
    for start, end in spans:
        text = text[:start] + mask * (end - start) + text[end:]
    return text
