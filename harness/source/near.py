"""Owns which names are near a misspelt one, and which of them fit the place where it stands.

Does not cover finding the misspelt name (`scope`) nor putting another in its place (`fixes`).
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable

from harness.source.bindings import Kind, Scope, Usage, Use

LONG = 6
"""Letters that both names need for two mistakes to be allowed."""
SHORT = 4
"""Letters that the longer name needs for one mistake to be allowed."""

_FITS: dict[Use, frozenset[Kind]] = {
    "call": frozenset({"function", "class", "value", "unknown"}),
    "attribute": frozenset({"module", "class", "value", "unknown"}),
    "argument": frozenset({"function", "class", "value", "unknown"}),
    "callback": frozenset({"function", "class", "value", "unknown"}),
    "annotation": frozenset({"class", "value", "unknown"}),
    "exception": frozenset({"class", "value", "unknown"}),
    "plain": frozenset({"value", "unknown"}),
    "del": frozenset({"value", "unknown"}),
}
_CONSTANTS = ("True", "False", "None")


def distance(a: str, b: str, limit: int = 2) -> int:
    """Damerau-Levenshtein distance (adjacent letters swapped count 1); limit + 1 where larger.

    F. J. Damerau, 1964; here in its restricted form, in which no part is edited twice.
    """
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    older: list[int] = []
    old = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            best = min(old[j] + 1, new[j - 1] + 1, old[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, older[j - 2] + 1)
            new.append(best)
        older, old = old, new
        if min(old) > limit:
            return limit + 1
    return min(old[-1], limit + 1)


def is_near(wrong: str, right: str) -> bool:
    """Whether one name may be a slip for another: case aside by one mistake, in long names two."""
    if wrong == right or (wrong.startswith("__") != right.startswith("__")):
        return False
    if wrong.lower() == right.lower():
        return len(wrong) > 1
    if (
        _numbered(wrong)
        and _numbered(right)
        and re.sub(r"\d", "", wrong) == re.sub(r"\d", "", right)
    ):
        return False
    if max(len(wrong), len(right)) < SHORT or min(len(wrong), len(right)) < SHORT - 1:
        return False
    short, long = sorted((wrong.lower(), right.lower()), key=len)
    if len(long) - len(short) > 1 and (long.startswith(short) or long.endswith(short)):
        return False
    allowed = 2 if len(short) >= LONG else 1
    return distance(wrong.lower(), right.lower(), allowed) <= allowed


def _numbered(name: str) -> bool:
    """Whether a name carries a number: `x1` is no slip for `x2`."""
    return any(letter.isdigit() for letter in name)


def nearest(wrong: str, names: Iterable[str]) -> tuple[str, ...]:
    """The near ones of some names, nearest first."""
    near = {name for name in names if is_near(wrong, name)}
    return tuple(sorted(near, key=lambda n: (distance(wrong.lower(), n.lower()), n)))


def fitting(usage: Usage) -> tuple[str, ...]:
    """Near names that are bound where a name is read and can stand there, nearest first."""
    return nearest(usage.node.id, _bound(usage) | _builtin(usage))


def unfit(usage: Usage) -> tuple[str, ...]:
    """Near names of the enclosing scopes that do not fit: own name, bound later, another class."""
    around: set[str] = set()
    scope: Scope | None = usage.scope
    while scope is not None:
        around |= set(scope.bound)
        scope = scope.parent
    good = set(fitting(usage))
    return tuple(name for name in nearest(usage.node.id, around) if name not in good)


def _bound(usage: Usage) -> set[str]:
    """Names bound at the place of use whose kind can stand there; never the function's own."""
    found: set[str] = set()
    seen: set[str] = set()
    direct = True
    own = {s.name for s in usage.scope.chain() if s.kind == "function"}
    for scope in usage.scope.chain():
        for name, bindings in scope.bound.items():
            if name in seen:
                continue
            seen.add(name)
            there = [b for b in bindings if not direct or b.since <= usage.node.lineno]
            fits = any(b.kind in _FITS[usage.use] for b in there)
            recursion = usage.use == "call" and scope.kind != "class"
            if there and fits and name not in scope.deleted and (name not in own or recursion):
                found.add(name)
        # What lies around a function is bound by the time that the function runs.
        direct = direct and scope.kind in ("comprehension", "class")
    return found


def _builtin(usage: Usage) -> set[str]:
    """Builtins that can stand at a place: what is called, types, exceptions, constants."""
    shadowed = {name for scope in usage.scope.chain() for name in scope.bound}
    kinds = {n: getattr(builtins, n) for n in dir(builtins) if not n.startswith("_")}
    kinds = {n: v for n, v in kinds.items() if n not in shadowed}
    kinds = {n: v for n, v in kinds.items() if distance(usage.node.id.lower(), n.lower(), 1) < 2}
    types = {n for n, v in kinds.items() if isinstance(v, type)}
    raised = {n for n in types if issubclass(kinds[n], BaseException)}
    found: set[str] = set()
    if usage.use in ("call", "callback"):
        found = {n for n, v in kinds.items() if callable(v)}
    elif usage.use in ("annotation", "attribute"):
        found = types
    elif usage.use == "exception":
        found = raised
    wrong = usage.node.id
    return found | {c for c in _CONSTANTS if sorted(c.lower()) == sorted(wrong.lower())}
