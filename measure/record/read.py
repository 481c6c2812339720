"""Owns the way from a file under `data/` to a model: parse, refuse what does not fit, say where.

Does not cover what only several files together can show (`whole`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from harness.errors import HarnessError
from measure.record.comparison import ComparisonsFile
from measure.record.published import (
    ContradictionsFile,
    MovedFile,
    PublishedFile,
    SourcesFile,
)
from measure.record.recording import RecordingRow
from measure.record.result import ResultFile
from measure.record.shape import Part

KINDS: dict[str, type[Part]] = {
    "published": PublishedFile,
    "sources": SourcesFile,
    "contradictions": ContradictionsFile,
    "moved": MovedFile,
    "comparisons": ComparisonsFile,
    "result": ResultFile,
}
"""Every kind of JSON file under `data/published` and `data/results`."""

Model = TypeVar("Model", bound=Part)
_recording_row: TypeAdapter[RecordingRow] = TypeAdapter(RecordingRow)


class RecordError(HarnessError):
    """A file of the record that does not fit: names file, pointer (RFC 6901) and reason."""

    def __init__(self, file: str, pointer: str, reason: str, hint: str = "") -> None:
        where = f"{file}#{pointer}" if pointer else file
        super().__init__(f"{where}: {reason}", hint)
        self.file = file
        self.pointer = pointer
        self.reason = reason


def pointer(parts: tuple[int | str, ...]) -> str:
    """An RFC 6901 pointer from the steps that lead to a value."""
    return "".join("/" + str(p).replace("~", "~0").replace("/", "~1") for p in parts)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out:
            raise ValueError(f"the key {key!r} stands twice in one object")
        out[key] = value
    return out


def parse(text: str, file: str) -> Any:
    """JSON text as Python values; RecordError on a syntax error or a key that stands twice."""
    try:
        return json.loads(text, object_pairs_hook=_no_duplicates)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise RecordError(file, "", f"not JSON: {error.msg} at {where}", "cut off?") from None
    except ValueError as error:
        raise RecordError(file, "", str(error), "keep one of them") from None


def _first(error: ValidationError, value: Any) -> tuple[str, str]:
    """Pointer and reason of the first thing that does not fit in the parsed value."""
    detail = error.errors(include_url=False)[0]
    steps: list[int | str] = []
    for number, step in enumerate(detail["loc"]):
        inside = isinstance(value, dict) and step in value
        if inside or (isinstance(value, list) and isinstance(step, int) and step < len(value)):
            value = value[step]
            steps.append(step)
        elif detail["type"] == "missing" and number == len(detail["loc"]) - 1:
            steps.append(step)
        # Every other step is pydantic's tag of a union, not a step in the file.
    return pointer(tuple(steps)), detail["msg"].removeprefix("Value error, ")


def validate(model: type[Model], text: str, file: str) -> Model:
    """The text as a model; RecordError with pointer and reason when it does not fit."""
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        where, reason = _first(error, parse(text, file))
        more = error.error_count() - 1
        tail = f" (and {more} more)" if more else ""
        raise RecordError(file, where, reason + tail) from None


def _text(path: Path, file: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(file, "", f"not UTF-8 at byte {error.start}") from None
    except OSError as error:
        raise RecordError(file, "", f"cannot be read: {error.strerror}") from None


def read(path: Path, root: Path) -> Part:
    """One JSON file of the record as the model that its `kind` names.

    `root` is the project's folder; errors name the file relative to it, with forward slashes.
    """
    file = path.relative_to(root).as_posix()
    text = _text(path, file)
    raw = parse(text, file)
    kind = raw.get("kind") if isinstance(raw, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        known = ", ".join(KINDS)
        raise RecordError(file, "/kind", f"unknown kind {kind!r}", f"one of {known}")
    return validate(KINDS[kind], text, file)


def read_as(model: type[Model], path: Path, root: Path) -> Model:
    """As `read`, where the kind is known beforehand."""
    found = read(path, root)
    if not isinstance(found, model):
        file = path.relative_to(root).as_posix()
        raise RecordError(file, "/kind", f"expected {model.__name__}, got {type(found).__name__}")
    return found


def read_recording(path: Path, root: Path) -> list[RecordingRow]:
    """A recording, one row a line; the first row is its head."""
    file = path.relative_to(root).as_posix()
    rows: list[RecordingRow] = []
    for number, line in enumerate(_text(path, file).splitlines(), start=1):
        value = parse(line, f"{file} line {number}")
        try:
            rows.append(_recording_row.validate_json(line))
        except ValidationError as error:
            where, reason = _first(error, value)
            raise RecordError(f"{file} line {number}", where, reason) from None
    if not rows or rows[0].row != "head":
        raise RecordError(file, "", "the first line is not a head row")
    return rows
