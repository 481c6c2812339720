"""Owns how a function behaves: its outcomes on chosen inputs, and which drafts behave alike.

Does not cover which inputs are chosen (`arguments`, offered here as `inputs`) nor which draft is
then kept (`drafts`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from harness.suite.oracle import Oracle
from harness.trial.arguments import inputs

__all__ = ["Outcome", "Seen", "agreement", "alike", "inputs", "observe", "vote", "watch", "works"]

MARK = "py-harness-calls:"
CALL_S = 1.0
WHOLE_S = 10.0
VARIES = "varies"
_SCRIPT = Path(__file__).resolve().parents[1] / "suite" / "inside" / "py_harness_calls.py"


@dataclass(frozen=True)
class Outcome:
    """What one call gave."""

    kind: Literal["returns", "raises", "hangs", "varies", "unusable"]
    """`varies`: two equal calls differed; `unusable`: the input could not be made."""
    normal: str
    """In a form that is equal where a test would call the values equal."""
    shown: str = ""
    """The value as a literal; empty where none gives it back."""
    type: str = ""
    """Name of the value's or the exception's type."""
    own: bool = False
    """Of an exception: built in, and raised by a `raise` of the module itself."""
    mutates: bool = False
    """Whether the arguments were changed."""
    lines: tuple[int, ...] = ()
    """Lines of the module that ran, where they were asked for."""


@dataclass(frozen=True)
class Seen:
    """What was observed of one function."""

    reason: str
    """Why nothing could be observed; empty otherwise."""
    outcomes: tuple[Outcome, ...] = ()
    """One for each input."""
    variants: tuple[tuple[str, ...] | None, ...] = ()
    """Of each other text the normal outcomes; None for one that was not tried in time."""


@cache
def _script() -> str:
    """Text of the script that runs inside the project's interpreter."""
    return _SCRIPT.read_text(encoding="utf-8")


def watch(
    oracle: Oracle,
    tree: Path,
    module: str,
    qualname: str,
    given: Sequence[str],
    *,
    variants: Sequence[str] = (),
    lines: bool = False,
) -> Seen:
    """Call a function of a copy of the project, in a bounded process, with each of the inputs.

    `module` is its dotted name. `variants` are other texts of that module, each called likewise.
    A method is called on an instance made without arguments; where there is none, nothing is seen.
    """
    wanted = {
        "module": module,
        "qualname": qualname,
        "inputs": list(given),
        "seconds": CALL_S,
        "whole": WHOLE_S * (2 if variants else 1),
        "variants": list(variants),
        "trace": lines,
    }
    seconds = WHOLE_S * (3 if variants else 1.5)
    ran = oracle.python(tree, _script(), stdin=json.dumps(wanted), seconds=seconds)
    found = ran.stdout.rfind("\n" + MARK)
    if ran.timed_out or found < 0:
        why = "it did not end in time" if ran.timed_out else f"it ended with code {ran.exit_code}"
        return Seen(why)
    return _seen(json.loads(ran.stdout[found + 1 + len(MARK) :].splitlines()[0]))


def _seen(told: Mapping[str, Any]) -> Seen:
    """What the script told."""
    outcomes = tuple(
        Outcome(
            kind=o["kind"],
            normal=o["normal"],
            shown=o.get("repr", ""),
            type=o.get("type", ""),
            own=o.get("own", False),
            mutates=o.get("mutates", False),
            lines=tuple(o.get("lines", ())),
        )
        for o in told.get("outcomes", ())
    )
    others = tuple(None if v is None else tuple(v) for v in told.get("variants", ()))
    return Seen(told["reason"], outcomes, others)


def observe(
    oracle: Oracle, tree: Path, module: str, qualname: str, given: Sequence[str]
) -> tuple[str, ...]:
    """Outcomes in normal form, one for each input, such as `returns 3` or `raises ValueError`.

    Empty where nothing could be observed, and where no call came back: that tells nothing of
    what was meant, so two such drafts must not count as agreeing.
    """
    seen = watch(oracle, tree, module, qualname, given)
    outcomes = tuple(outcome.normal for outcome in seen.outcomes)
    return outcomes if works(outcomes) else ()


def works(outcomes: Sequence[str]) -> bool:
    """Whether at least one call came back with a value."""
    return any(outcome.startswith(("returns ", "yields ")) for outcome in outcomes)


def alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two drafts behave alike; inputs on which one of them varies are ignored."""
    if len(one) != len(other) or not one:
        return False
    return all(a == b or VARIES in (a, b) for a, b in zip(one, other, strict=True))


def _groups(behaviours: Sequence[Sequence[str]]) -> list[list[int]]:
    """Indices that agree with the first of their group."""
    groups: list[list[int]] = []
    for index, behaves in enumerate(behaviours):
        for group in groups:
            if alike(behaviours[group[0]], behaves):
                group.append(index)
                break
        else:
            groups.append([index])
    return groups


def vote(behaviours: Sequence[tuple[str, ...]]) -> tuple[int, ...]:
    """Indices in order of trust: the largest group that agrees first, ties by the lowest index.

    Behaviours that never come back with a value stand after all that do.
    """
    groups = _groups(behaviours)
    groups.sort(key=lambda g: (not works(behaviours[g[0]]), -len(g), g[0]))
    return tuple(index for group in groups for index in group)


def agreement(behaviours: Sequence[tuple[str, ...]]) -> str:
    """The vote in one line for a person."""
    order = vote(behaviours)
    if not order or not works(behaviours[order[0]]):
        return "no draft gives a value on the inputs that were tried"
    first = behaviours[order[0]]
    count = sum(alike(first, other) for other in behaviours)
    return f"{count} of {len(behaviours)} drafts behave alike on {len(first)} inputs"
