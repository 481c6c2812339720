"""Replaces a misspelt name by the one near name that is bound where it stands.

Leaves names with no or several near ones, own names of functions, strings and comments, and what
was undefined before the draft.
"""

from __future__ import annotations

from harness.fix import Mend
from harness.source import importable, spelling
from harness.source.project import Project

STAGE = "draft"
EXAMPLES = (
    (
        "def total(prices):\n    subtotal = sum(prices)\n    return subtotl * 2\n",
        "def total(prices):\n    subtotal = sum(prices)\n    return subtotal * 2\n",
    ),
    (
        'def greet(name):\n    return f"Dear {naem}, not naem"\n',
        'def greet(name):\n    return f"Dear {name}, not naem"\n',
    ),
    (
        "def f(ns):\n    total = 0\n    for n in ns:\n        totl += n\n    return total\n",
        "def f(ns):\n    total = 0\n    for n in ns:\n        total += n\n    return total\n",
    ),
    ("def status(known):\n    return stauts\n", "def status(known):\n    return stauts\n"),
    (
        "def f(item1, item2):\n    return item3\n",
        "def f(item1, item2):\n    return item3\n",
    ),
    ("def f(price, prices):\n    return prics\n", "def f(price, prices):\n    return prics\n"),
)


def mend(path: str, text: str, project: Project) -> Mend:
    """The draft with each misspelt name replaced that has one near name in scope."""
    left = importable.known(path, text, project) | spelling.undefined_in(project.text(path))
    return spelling.respelt(path, text, left)
