"""Owns the memory of a run's steps, and the moment that the guards are shown of the next one.

Does not cover what follows from a refusal (`loop`).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType

from harness.road.desk import Desk
from harness.road.moment import Moment, Pair, Tried, fingerprint
from harness.types import Action, Refusal

MAX_TESTS = 200
"""Test files whose text the guards of stage done are shown at most."""


@dataclass
class Memory:
    """What was asked for so far and what it gave."""

    said: list[str]
    """Texts that the model was given."""
    tried: list[Tried] = field(default_factory=list)
    """Writes that were asked for."""
    looked: dict[tuple[str, str], tuple[str, int, int]] = field(default_factory=dict)
    """Steps that looked, by action and tree: what they gave, the number of that message, times."""
    states: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """How often each action came in each state."""

    def wrote(self, action: Action, gave: str) -> None:
        """Keep a write with what it gave."""
        self.tried.append(Tried(fingerprint(action), gave.strip().split("\n", 1)[0][:200]))

    def saw(self, action: Action, desk: Desk, gave: str, number: int) -> None:
        """Keep a step that looked with what it gave, and in which message."""
        key = (fingerprint(action), tree_of(desk))
        times = self.looked.get(key, ("", 0, 0))[2]
        self.looked[key] = (gave, number, times + 1)

    def known(self, action: Action, desk: Desk, kept: Callable[[int], bool]) -> tuple[str, int]:
        """What this step gave on this very tree and how often; ("", 0) if never or out of view."""
        gave, number, times = self.looked.get((fingerprint(action), tree_of(desk)), ("", 0, 0))
        return (gave, times) if times and kept(number) else ("", 0)


def tree_of(desk: Desk) -> str:
    """Hash of the staged files: the same while nothing is written."""
    digest = hashlib.sha256()
    for path, text in sorted(desk.overlay.items()):
        digest.update(f"{path}\x00{text}\x00".encode("utf-8", "replace"))
    return digest.hexdigest()


def state_of(action: Action, desk: Desk) -> tuple[str, ...]:
    """Tree, files shown, failing tests, first error and action: one must differ to go on."""
    suite = desk.suite_now
    failing = ",".join(sorted(suite.failing())) if suite else ""
    error = suite.failures[0].error if suite and suite.failures else suite.status if suite else ""
    shown = ",".join(sorted(desk.reads))
    return (tree_of(desk), shown, str(desk.stale), failing, error, fingerprint(action))


def moment_of(
    desk: Desk, memory: Memory, action: Action, step: int, kept: Callable[[int], bool]
) -> Moment:
    """The step as the guards of stage action see it."""
    known, repeats = memory.known(action, desk, kept)
    path = action.fields.get("Path", "").strip().removeprefix("./")
    project, job = desk.project, desk.job
    wanted = {*desk.reads, *desk.overlay, job.path, job.test_path, *job.files, path} - {""}
    found = {p: text for p in sorted(wanted) if (text := desk.text(p)) is not None}
    return Moment(
        job=job,
        action=action,
        texts=found,
        files=frozenset(desk.files()),
        existing=frozenset(desk.workspace.files()),
        tests=frozenset(project.tests()) | {p for p in wanted if project.is_test(p)},
        roots=frozenset(project.source_roots()) | {""},
        reads=frozenset(desk.reads),
        writes=tuple(desk.writes) if desk.staged() else (),
        tried=tuple(memory.tried),
        repeats=repeats,
        known=known,
        states=memory.states[state_of(action, desk)],
        suite_before=desk.suite_before,
        suite_now=desk.suite_now,
        named_now=desk.named_now,
        stale=desk.stale,
        said=tuple(memory.said),
        asked=len(desk.asked),
        step=step,
        steps=desk.settings.steps,
    )


def with_changes(moment: Moment, changes: Mapping[str, Pair], desk: Desk) -> Moment:
    """The moment at stage write: with the files as they would be."""
    tests = {path for path in changes if desk.project.is_test(path)}
    protected = {path for path in changes if desk.is_protected(path)}
    return replace(
        moment, changes=changes, tests=moment.tests | tests, protected=frozenset(protected)
    )


def at_the_end(moment: Moment, desk: Desk) -> Moment:
    """The moment at stage done: all changes against the person's tree, and the tests' texts."""
    changes = {path: (desk.original(path), text) for path, text in desk.staged().items()}
    tests = {p: desk.text(p) or "" for p in desk.project.tests()[:MAX_TESTS]}
    moment = replace(
        moment,
        texts={**tests, **moment.texts},
        suite_now=desk.suite_now,
        named_now=desk.named_now,
        stale=desk.stale,
    )
    return with_changes(moment, changes, desk)


def in_order(guards: Mapping[str, ModuleType], off: Sequence[str]) -> dict[str, ModuleType]:
    """Guards that are not switched off, those with a low ORDER first, then by name."""
    on = [(getattr(part, "ORDER", 50), name) for name, part in guards.items() if name not in off]
    return {name: guards[name] for _, name in sorted(on)}


def refusal_of(guards: Mapping[str, ModuleType], stage: str, moment: Moment) -> Refusal | None:
    """What the first guard of a stage that objects says."""
    for part in guards.values():
        refusal: Refusal | None = part.check(moment) if stage == part.STAGE else None
        if refusal is not None:
            return refusal
    return None
