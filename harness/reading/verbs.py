"""Owns the declaration of an action as the reader needs it: its verb, its fields, its other names.

Does not cover what an action does (`actions/`), nor how a reply is read (`reply`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_PAIRS = (("Find", "Replace"),)
"""Optional bodies that say a change only together."""


@dataclass(frozen=True)
class FieldSpec:
    """One labelled field of an action."""

    name: str
    """Label as it is written, such as `Path`."""
    required: bool = True
    """Whether the action is a fault without it."""
    body: bool = False
    """Whether it may have many lines: a fenced text, kept raw."""
    help: str = ""
    """What to write there, a few words; fills the gap in a fault's next action."""
    aliases: tuple[str, ...] = ()
    """Other labels for it, in any case."""


@dataclass(frozen=True)
class Alias:
    """Another word for a verb."""

    word: str
    """What models write, such as `grep`."""
    verb: str
    """The verb that is meant."""
    rename: Mapping[str, str] = field(default_factory=dict)
    """Their label to ours, where the word calls its fields otherwise."""


@dataclass(frozen=True)
class ActionSpec:
    """What the reader knows of an action."""

    verb: str
    """Lower case, one word."""
    fields: tuple[FieldSpec, ...] = ()
    """In the order in which they are written."""
    aliases: tuple[Alias, ...] = ()
    """Other words for the verb."""

    def field(self, name: str) -> FieldSpec:
        """The field of that very name; KeyError where the action has none."""
        for spec in self.fields:
            if spec.name == name:
                return spec
        raise KeyError(name)

    def names(self) -> frozenset[str]:
        """Names of its fields."""
        return frozenset(spec.name for spec in self.fields)

    def required(self) -> Iterator[FieldSpec]:
        """Fields that it cannot do without, in order."""
        return (spec for spec in self.fields if spec.required)

    def missing(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """What values lack: required fields; where all bodies are optional, one of those."""
        lacking = tuple(
            f.name
            for f in self.required()
            if f.name not in values or (not f.body and not values[f.name].strip())
        )
        if lacking or any(f.body and f.required for f in self.fields):
            return lacking
        bodies = [f.name for f in self.fields if f.body]
        pairs = [pair for pair in _PAIRS if pair[1] in bodies and set(pair) <= self.names()]
        paired = {name for pair in pairs for name in pair}
        given = {name for name in self.names() if values.get(name, "").strip()}
        given |= {"Replace"} & set(values)
        if (
            not bodies
            or any(set(pair) <= given for pair in pairs)
            or given & (set(bodies) - paired)
        ):
            return lacking
        for first, second in pairs:
            if first in given or second in given:
                return (second,) if first in given else (first,)
        ways = [" and ".join(pair) for pair in pairs] + [b for b in bodies if b not in paired]
        return (", or ".join(ways),)

    def whole_body(self) -> str:
        """Name of the one body that it must have (a whole file); empty where there is none."""
        bodies = [spec for spec in self.fields if spec.body]
        return bodies[0].name if len(bodies) == 1 and bodies[0].required else ""
