"""Takes the Markdown fence lines off a draft that starts or ends with one.

Leaves every text that parses, so a fence in a docstring stays, and drops nothing but fence lines.
"""

from __future__ import annotations

import re

from harness.fix import Mend
from harness.source import symbols
from harness.source.project import Project

STAGE = "draft"
EXAMPLES = (
    ("```python\nx = 1\n```\n", "x = 1\n"),
    ("x = 1\n```\n", "x = 1\n"),
    ("~~~~\ndef f():\n    return 1\n~~~~\n", "def f():\n    return 1\n"),
    ('"""Says\n```\nx\n```\n"""\n', '"""Says\n```\nx\n```\n"""\n'),
)

_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^`\n]*$")


def mend(path: str, text: str, project: Project) -> Mend:
    """The draft without the fence lines around it; unchanged where it parses with them."""
    bare = text
    while symbols.parses(bare):
        rows = bare.strip("\n").split("\n")
        first, last = bool(_FENCE.match(rows[0])), len(rows) > 1 and bool(_FENCE.match(rows[-1]))
        inner = rows[first : len(rows) - last]
        if not (first or last) or not any(row.strip() for row in inner):
            break
        bare = "\n".join(inner).strip("\n") + "\n"
        if not first and symbols.parses(bare):
            # The last line alone may stand inside a string that is not closed.
            return Mend(text)
    return Mend(bare, (f"{path}: took off the fence lines",)) if bare != text else Mend(text)
