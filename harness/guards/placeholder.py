"""Refuses a text that stands for code that is left out, such as "rest unchanged"."""

from __future__ import annotations

import re

from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "placeholder"

_LEFT_OUT = re.compile(
    r"^\s*(?:#|//|<!--)?\s*(?:\.\.\.|…)?\s*[(\[]?\s*(?:"
    r"(?:the\s+)?(?:rest|remainder|remaining|other)\b[^\n]{0,40}\b(?:unchanged|same|as before|code|"
    r"file|here|methods?|functions?|tests?|stays?|remains?)"
    r"|(?:existing|previous|original|unchanged)\s+(?:code|content|functions?|methods?|tests?|imports?)"
    r"|(?:same|unchanged|identical)\s+(?:as\s+)?(?:before|above|existing|original)"
    r"|(?:your|add|more|insert)\s+(?:code|implementation|tests?|logic)\s+(?:goes\s+)?here"
    r"|<[a-z][a-z ,]{4,60}>)\b[^\n]{0,40}$",
    re.IGNORECASE | re.MULTILINE,
)
_GAP = re.compile(r"^\s*(?:#\s*)?<(?:the|lines|whole|new|one)\b[^<>\n]{3,60}>\s*$", re.MULTILINE)
_JOB = Job("fix", "mend f")


def check(moment: Moment) -> Refusal | None:
    """Sending only the changed definition, whole, is the way on."""
    for path, (before, after) in moment.changes.items():
        known = {line.strip() for line in (before or "").splitlines()}
        for line in (after or "").splitlines():
            # Only a comment or a bare line of dots stands for code; a text may speak of anything.
            plain = line.strip()
            if plain in known or not _stands_for_code(plain):
                continue
            onward = f"Action: patch\nPath: {path}\nSymbol: {moment.job.subject or '<name>'}\nBody:"
            onward += "\n```\n<that one definition, every line of it>\n```"
            return Refusal(BY, f"{path} would hold {plain[:80]!r} in place of code", onward)
    return None


def _stands_for_code(line: str) -> bool:
    """Whether a line is a comment, or no code at all, that says what is left out."""
    if _GAP.match(line):
        return True
    marked = line.startswith(("#", "//", "<!--", "...", "…", "[", "("))
    return marked and _LEFT_OUT.match(line) is not None


ACCEPTED = (
    Moment(_JOB, Action("write", {}), {"a.py": ("", "def f():\n    ...\n")}),
    Moment(_JOB, Action("write", {}), {"a.py": ("", "# the rest of the division is dropped\n")}),
    Moment(
        _JOB,
        Action("write", {}),
        {"a.py": ("# ... existing code ...\n", "# ... existing code ...\nx = 1\n")},
    ),
    Moment(_JOB, Action("write", {}), {"a.py": ("", 'TEXT = "rest unchanged"\n')}),
)
REFUSED = (
    Moment(_JOB, Action("write", {}), {"a.py": ("x = 1\n", "# ... existing code ...\nx = 2\n")}),
    Moment(
        _JOB, Action("write", {}), {"a.py": ("x = 1\n", "x = 2\n# rest of the file unchanged\n")}
    ),
    Moment(_JOB, Action("write", {}), {"a.py": ("x = 1\n", "x = 2\n# ... (same as before)\n")}),
    Moment(_JOB, Action("write", {}), {"a.py": (None, "<the new test>\n")}),
)
