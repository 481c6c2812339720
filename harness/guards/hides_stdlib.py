"""Refuses a new module or package that would hide one of the standard library's."""

from __future__ import annotations

import sys

from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "hides-stdlib"

_JOB = Job("other", "add a module")


def check(moment: Moment) -> Refusal | None:
    """Another name is the way on; inside a package nothing is hidden."""
    for path, (before, after) in moment.changes.items():
        name = _module(path, moment.roots)
        if before is None and after is not None and name in sys.stdlib_module_names:
            other = path.replace(name, f"{name}_tools", 1)
            onward = f"the same step with\nPath: {other}"
            return Refusal(BY, f"{path} would hide Python's own module {name}", onward)
    return None


def _module(path: str, roots: frozenset[str]) -> str:
    """Name by which a file, or the package that it starts, is imported from a root; else empty."""
    folder, _, base = path.removesuffix("/__init__.py").rpartition("/")
    return base.removesuffix(".py") if folder in roots and path.endswith(".py") else ""


ACCEPTED = (
    Moment(_JOB, Action("write", {}), {"orders.py": (None, "x = 1\n")}),
    Moment(_JOB, Action("write", {}), {"shop/json.py": (None, "x = 1\n")}),
    Moment(_JOB, Action("patch", {}), {"json.py": ("x = 1\n", "x = 2\n")}),
)
REFUSED = (
    Moment(_JOB, Action("write", {}), {"json.py": (None, "x = 1\n")}),
    Moment(
        _JOB, Action("write", {}), {"src/types.py": (None, "x = 1\n")}, roots=frozenset({"", "src"})
    ),
    Moment(_JOB, Action("write", {}), {"random/__init__.py": (None, "x = 1\n")}),
)
