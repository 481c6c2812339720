"""Owns small changes of one function, and how many of them a set of tests notices.

Does not cover which tests are run or when a grade is good enough (`checks`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from harness.source import syntax
from harness.trial import mutations
from harness.types import SuiteReport

UNSEEN = ("no-tests", "no-suite")
NAMED = 3


@dataclass(frozen=True)
class Mutant:
    """A file with one small change in it."""

    line: int
    """1-based, in the file as it was."""
    what: str
    """Such as: `<` becomes `<=`."""
    text: str
    """The whole file with the change."""

    def __str__(self) -> str:
        return f"line {self.line}, {self.what}"


@dataclass(frozen=True)
class Grade:
    """How many mutants some tests notice."""

    killed: int
    """Mutants under which the tests are not green; one that never ends is killed too."""
    survived: int
    """Mutants under which they stay green."""
    total: int
    """Mutants that were tried."""
    survivors: tuple[Mutant, ...]
    """Those that nobody noticed, in the order of their lines."""

    def __str__(self) -> str:
        said = f"kills {self.killed} of {self.total}"
        if not self.survivors:
            return said
        named = "; ".join(str(m) for m in self.survivors[:NAMED])
        more = len(self.survivors) - NAMED
        return f"{said}; not noticed: {named}" + (f" and {more} more" if more > 0 else "")


def of(text: str, qualname: str, limit: int = 12) -> tuple[Mutant, ...]:
    """At most `limit` mutants of one function or class, spread over its lines, by line.

    An empty `qualname` means every function of the file. Empty where the text does not parse or
    defines no such name. Changes that leave the parsed file as it was are left out.
    """
    found = [m for m in mutations.of(text, qualname) if m.start < m.end]
    by_line: dict[int, list[mutations.Mutation]] = {}
    for mutation in sorted(found, key=lambda m: (m.line, m.rank, m.start)):
        by_line.setdefault(mutation.line, []).append(mutation)
    chosen: list[Mutant] = []
    for mutation in _spread(list(by_line.values()), limit):
        if len(chosen) >= limit:
            break
        changed = text[: mutation.start] + mutation.new + text[mutation.end :]
        if _differs(text, changed):
            chosen.append(Mutant(mutation.line, mutation.what, changed))
    return tuple(sorted(chosen, key=lambda m: m.line))


def _spread(
    rows: Sequence[Sequence[mutations.Mutation]], limit: int
) -> Iterator[mutations.Mutation]:
    """The first of each line, then the second of each; lines evenly picked where they are many."""
    deepest = max((len(row) for row in rows), default=0)
    for depth in range(deepest):
        layer = [row[depth] for row in rows if len(row) > depth]
        step = -(-len(layer) // max(limit, 1))
        for start in range(step):
            yield from layer[start::step]


def _differs(before: str, after: str) -> bool:
    """Whether both parse and the parsed forms are not the same."""
    old, new = syntax.tree(before), syntax.tree(after)
    return old is not None and new is not None and mutations.dumped(old) != mutations.dumped(new)


def graded(
    run: Callable[[str], SuiteReport], mutants: Sequence[Mutant], seconds: float = float("inf")
) -> Grade:
    """What `run`, given a mutant's text, says of each; no further one is begun after `seconds`.

    A run without any test counts as not noticed.
    """
    killed, survivors = 0, []
    until = time.monotonic() + seconds
    for mutant in mutants:
        if time.monotonic() > until:
            break
        report = run(mutant.text)
        if report.green or report.status in UNSEEN:
            survivors.append(mutant)
        else:
            killed += 1
    total = killed + len(survivors)
    return Grade(killed, len(survivors), total, tuple(survivors))
