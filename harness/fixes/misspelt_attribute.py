"""Replaces a misspelt attribute of self by the one near attribute that the class assigns.

Leaves classes that inherit, or whose attributes may come from elsewhere.
"""

from __future__ import annotations

from harness.fix import Mend
from harness.source import spelling
from harness.source.project import Project

STAGE = "draft"
EXAMPLES = (
    (
        "class Order:\n    def __init__(self):\n        self.status = 1\n\n"
        "    def done(self):\n        return self.stauts\n",
        "class Order:\n    def __init__(self):\n        self.status = 1\n\n"
        "    def done(self):\n        return self.status\n",
    ),
    (
        "class Order:\n    def status(self):\n        return self.stauts\n",
        "class Order:\n    def status(self):\n        return self.stauts\n",
    ),
    (
        "class Order(Base):\n    def __init__(self):\n        self.status = 1\n\n"
        "    def done(self):\n        return self.stauts\n",
        "class Order(Base):\n    def __init__(self):\n        self.status = 1\n\n"
        "    def done(self):\n        return self.stauts\n",
    ),
)


def mend(path: str, text: str, project: Project) -> Mend:
    """The draft with each misspelt attribute replaced that has one near one in its class."""
    before = project.text(path)
    return spelling.respelt_attributes(
        path, text, project, lambda name, _: f".{name}" not in before
    )
