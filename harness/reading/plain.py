"""Owns the plain form of an Action: header, one label a line, bodies in a fence; read and written.

Does not cover any other form (`labels`, `calls`, `diffs`); here nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from harness.reading import fenced
from harness.reading.verbs import ActionSpec, FieldSpec
from harness.types import Action, Fault

_HEADER = re.compile(r"^Action: (?P<verb>[a-z][a-z-]*)[ \t]*$")
_LABEL = re.compile(r"^(?P<name>[A-Z][A-Za-z]*):(?:[ \t]+(?P<value>\S.*?)?)?[ \t]*$")
_DRESSED = re.compile(r"[`\"'<>*:,;()\s]")
_NOT_PLAIN = Fault("the reply is not in plain form", "")


def write(action: Action, spec: ActionSpec) -> str:
    """An Action in plain form, fields in the declared order; `read` gives it back unchanged.

    A body, and a value that one line cannot hold, stands in a fence longer than any inside it.
    """
    lines = [f"Action: {action.verb}"]
    for field in spec.fields:
        if field.name not in action.fields:
            continue
        value = action.fields[field.name]
        if field.body or not value or _needs_fence(value):
            lines.extend([f"{field.name}:", *_fence(value)])
        else:
            lines.append(f"{field.name}: {value}")
    return "\n".join(lines)


def _needs_fence(value: str) -> bool:
    """Whether a value would not come back from one line."""
    return value != value.strip() or "\n" in value or fenced.opening(value) is not None


def _fence(text: str) -> list[str]:
    """A text in a fence that no line of it can close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    marks = "`" * (longest + 1)
    return [marks, text, marks] if text else [marks, marks]


def read(text: str, specs: Mapping[str, ActionSpec]) -> Action | Fault:
    """A reply that is one Action in plain form and nothing else; a Fault for every other reply."""
    lines = text.strip("\n").rstrip().split("\n")
    header = _HEADER.match(lines[0])
    if header is None or header["verb"] not in specs:
        return _NOT_PLAIN
    spec = specs[header["verb"]]
    names = {field.name: field for field in spec.fields}
    values: dict[str, str] = {}
    at = 1
    while at < len(lines):
        label = _LABEL.match(lines[at])
        field = names.get(label["name"]) if label else None
        if label is None or field is None or field.name in values:
            return _NOT_PLAIN
        value, at = _value(lines, at, field, label["value"] or "", frozenset(names))
        if value is None:
            return _NOT_PLAIN
        values[field.name] = value
    if any(field.name not in values for field in spec.required()):
        return _NOT_PLAIN
    if any(not values[f.name] for f in spec.fields if f.name in values and not f.body):
        return _NOT_PLAIN
    whole = spec.whole_body()
    python = values.get("Path", "").endswith(".py") and whole in values
    if python and fenced.moved_left(values[whole]) != values[whole]:
        return _NOT_PLAIN
    return Action(spec.verb, values)


def _value(
    lines: Sequence[str], at: int, field: FieldSpec, value: str, names: frozenset[str]
) -> tuple[str | None, int]:
    """A field's value and the line after it; None where it is not in plain form."""
    start = fenced.opening(lines[at + 1]) if at + 1 < len(lines) else None
    if not value and start is not None and not start.indent:
        return _fenced_value(lines, at + 1, start)
    if value:
        dressed = _DRESSED.search(value) if field.name == "Path" else fenced.opening(value)
        return (None if field.body or dressed else value), at + 1
    if not field.body:
        return None, at + 1
    end = at + 1
    while end < len(lines) and not _ends_raw(lines[end], names):
        if fenced.opening(lines[end]):
            return None, end
        end += 1
    body = "\n".join(lines[at + 1 : end]).rstrip()
    return (body if fenced.code_part(body) == body else None), end


def _ends_raw(line: str, names: frozenset[str]) -> bool:
    """Whether a line ends a body without a fence: a label of this action, or a header."""
    label = _LABEL.match(line)
    return bool(label and label["name"] in names) or line.startswith("Action:")


def _fenced_value(lines: Sequence[str], at: int, start: fenced.Opening) -> tuple[str | None, int]:
    """A value in a fence: the first closing fence ends it, and a label or nothing follows."""
    for end in range(at + 1, len(lines)):
        if start.closed_by(lines[end]):
            following = lines[end + 1] if end + 1 < len(lines) else ""
            if following and not _LABEL.match(following):
                return None, end
            return "\n".join(lines[at + 1 : end]), end + 1
    return None, len(lines)
