"""Owns the exchange of a misspelt name, or attribute of self, for the one near name that fits.

Does not cover names that an import would define (`importable`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from harness.fix import Carried, Mend, Question
from harness.source import attributes, scope, symbols, syntax
from harness.source.attributes import Misspelt
from harness.source.project import Project
from harness.source.scope import UndefinedName

ROUNDS = 4


@dataclass(frozen=True)
class Place:
    """A token to exchange."""

    line: int
    column: int
    """0-based, characters."""
    old: str
    new: str


def exchanged(text: str, places: Iterable[Place]) -> str:
    """The text with tokens exchanged; a place where the old token does not stand is left."""
    rows = syntax.lines(text)
    for place in sorted(set(places), key=lambda p: (-p.line, -p.column)):
        row = rows[place.line - 1]
        end = place.column + len(place.old)
        if row[place.column : end] == place.old:
            rows[place.line - 1] = row[: place.column] + place.new + row[end:]
    return "".join(rows)


def undefined_in(text: str) -> frozenset[str]:
    """Undefined names of a text, without their places."""
    return frozenset(one.name for one in scope.undefined(text))


def unknown(text: str, left: Collection[str] = ()) -> list[list[UndefinedName]]:
    """Undefined names of a text but those left out, a name and a function at a time, in order."""
    found: dict[tuple[str, str], list[UndefinedName]] = {}
    for one in scope.undefined(text):
        if one.name not in left:
            found.setdefault((one.name, _function_at(text, one.line)), []).append(one)
    return list(found.values())


def _function_at(text: str, line: int) -> str:
    """Qualified name of the innermost function at a line; empty outside one."""
    around = [
        s
        for s in symbols.everything(text)
        if s.kind in ("function", "method") and s.first_line <= line <= s.end_line
    ]
    return min(around, key=lambda s: s.end_line - s.first_line).qualname if around else ""


def respelt(path: str, text: str, left: Collection[str] = ()) -> Mend:
    """The text with each undefined name exchanged that has exactly one near name where it stands.

    A name is exchanged at all its places in a function or at none; names in `left` stay.
    """
    notes: list[str] = []
    # `totl += 1` hides a later `totl` until it is put right: hence more than one round.
    for _ in range(ROUNDS):
        places: list[Place] = []
        said: list[str] = []
        for uses in unknown(text, left):
            if all(len(u.in_scope) == 1 for u in uses):
                places += [Place(u.line, u.column, u.name, u.in_scope[0]) for u in uses]
                said.append(_said(path, uses))
        changed = exchanged(text, places)
        if changed == text or symbols.parses(changed):
            break
        text, notes = changed, [*notes, *said]
    asked = (_which(path, text, uses) for uses in unknown(text, left))
    return Mend(text, tuple(notes), next((q for q in asked if q is not None), None))


def _said(path: str, uses: list[UndefinedName]) -> str:
    """What was exchanged, in one line."""
    right = ", ".join(dict.fromkeys(u.in_scope[0] for u in uses))
    lines = ", ".join(str(line) for line in dict.fromkeys(u.line for u in uses))
    return f"{path} line {lines}: {uses[0].name} -> {right}"


def _which(path: str, text: str, uses: list[UndefinedName]) -> Question | None:
    """What to ask where several near names fit, or only names that do not fit are near."""
    one = max(uses, key=lambda u: len(u.in_scope))
    where = f"{path}, line {one.line}: {one.name} is not defined"
    own = attributes.meant(text, one.name, one.line)
    options = (*one.in_scope, *own)

    def put(answer: str) -> Carried | None:
        return answered(path, text, uses, answer)

    if len(one.in_scope) > 1:
        return Question(f"{where}. Which name is meant?", options, put)
    if not one.elsewhere and not own:
        return None
    near_by = ", ".join(one.elsewhere)
    known = f"; {near_by} is near but not usable there" if near_by else ""
    return Question(f"{where}{known}. What shall stand there?", options, put)


def answered(path: str, text: str, uses: Sequence[UndefinedName], answer: str) -> Carried | None:
    """The text with an answer in the place of an undefined name; None where it does not do.

    It does if it is a literal or a name (or an attribute of one) that is defined at every place.
    """
    name = uses[0].name
    if not _is_value(answer) or answer == name:
        return None
    own = _function_at(text, uses[0].line).rpartition(".")[2]
    if answer == own and any(u.use != "call" for u in uses):
        return None
    changed = exchanged(text, [Place(u.line, u.column, name, answer) for u in uses])
    if changed == text or symbols.parses(changed):
        return None
    before = {u.name for u in scope.undefined(text)}
    head = answer.partition(".")[0]
    after = {(u.name, u.line) for u in scope.undefined(changed)}
    lines = {u.line for u in uses}
    if any(n not in before or (n == head and line in lines) for n, line in after):
        return None
    lines_said = ", ".join(str(line) for line in sorted(lines))
    return Carried({path: changed}, (f"{path}:{lines_said}: {answer} for {name}, as answered",))


def _is_value(answer: str) -> bool:
    """Whether an answer is a literal, a name, or a dotted name."""
    if re.fullmatch(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*", answer):
        return not symbols.parses(answer)
    try:
        ast.literal_eval(answer)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return "\n" not in answer and bool(answer)


def respelt_attributes(
    path: str, text: str, project: Project, wants: Callable[[str, int], bool]
) -> Mend:
    """The text with each misspelt attribute of self exchanged that has exactly one near one.

    `wants` says of a name at a line whether to look at it.
    """
    places: list[Place] = []
    notes: list[str] = []
    question: Question | None = None
    for one in attributes.misspelt(path, text, project, wants):
        if len(one.fits) == 1:
            places += _attribute_places(one, one.fits[0], text)
            line = one.reads[0].lineno
            notes.append(f"{path} line {line}: self.{one.name} -> self.{one.fits[0]}")
        elif question is None:
            question = _which_attribute(path, text, one)
    return Mend(exchanged(text, places), tuple(notes), question)


def _which_attribute(path: str, text: str, one: Misspelt) -> Question:
    """What to ask where a class gives several near attributes."""
    options = tuple(f"self.{name}" for name in one.fits)

    def put(answer: str) -> Carried | None:
        name = answer.removeprefix("self.")
        if name not in one.fits:
            return None
        changed = exchanged(text, _attribute_places(one, name, text))
        return Carried({path: changed}, (f"{path}: self.{one.name} -> self.{name}",))

    said = f"{path}, line {one.reads[0].lineno}: {one.owner} has no {one.name}. Which is meant?"
    return Question(said, options, put)


def _attribute_places(one: Misspelt, new: str, text: str) -> list[Place]:
    """The tokens of an attribute's name wherever it is read."""
    rows = syntax.lines(text)
    found = []
    for read in one.reads:
        line = read.end_lineno or read.lineno
        column = syntax.column(rows[line - 1], read.end_col_offset or 0) - len(read.attr)
        found.append(Place(line, column, read.attr, new))
    return found
