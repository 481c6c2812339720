"""Refuses a change that brings in a name which nothing defines."""

from __future__ import annotations

from harness.road.moment import Moment
from harness.source import scope
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "undefined-names"

_JOB = Job("fix", "mend f", subject="f")
_OLD = "def f(prices):\n    return sum(prices)\n"


def check(moment: Moment) -> Refusal | None:
    """A name in scope, or an import, is the way on."""
    for path, (before, after) in moment.changes.items():
        if not path.endswith(".py") or not after:
            continue
        known = {found.name for found in scope.undefined(before or "")}
        new = [found for found in scope.undefined(after) if found.name not in known]
        if new:
            return Refusal(BY, _reason(path, new[0].name, new[0].line), _onward(path, new[0]))
    return None


def _reason(path: str, name: str, line: int) -> str:
    return f"{name} in line {line} of the new {path} is defined nowhere"


def _onward(path: str, found: scope.UndefinedName) -> str:
    """The name that was probably meant, or the import."""
    if found.in_scope:
        return f"write {path} again with {found.in_scope[0]} instead of {found.name}"
    return f"write {path} again with a line that imports or defines {found.name}"


ACCEPTED = (
    Moment(_JOB, Action("patch", {}), {"a.py": (_OLD, _OLD.replace("sum", "max"))}),
    Moment(_JOB, Action("patch", {}), {"a.py": ("x = missing\n", "x = missing + 1\n")}),
    Moment(_JOB, Action("patch", {}), {"a.md": ("", "total\n")}),
)
REFUSED = (
    Moment(_JOB, Action("patch", {}), {"a.py": (_OLD, _OLD.replace("sum(prices)", "prces"))}),
    Moment(_JOB, Action("write", {}), {"b.py": (None, "x = np.zeros(3)\n")}),
)
