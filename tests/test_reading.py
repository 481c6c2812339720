"""Bad files of the record: each is refused in one line that names file, pointer and reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from measure.cli import main
from measure.record.read import RecordError, read
from measure.record.whole import load

WALL = "data/published/the-wall.json"
ID = "wall.llama3.1-8b.worked"
Edit = Callable[[Path, Callable[[dict[str, Any]], None]], None]


def figure(raw: dict[str, Any], figure_id: str = ID) -> dict[str, Any]:
    """A figure inside a file's JSON."""
    found: dict[str, Any] = raw["figures"][figure_id]
    return found


def refused(project: Path) -> RecordError:
    """The error that loading the project gives."""
    with pytest.raises(RecordError) as caught:
        load(project)
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_truncated_file_is_named_with_line_and_column(project: Path) -> None:
    """A file that was cut off is refused, and where it stops is said."""
    path = project / WALL
    path.write_text(path.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    error = refused(project)
    assert error.file == WALL
    assert "not JSON" in error.reason
    assert "line" in error.reason


def test_a_key_that_stands_twice_is_refused(project: Path) -> None:
    """JSON parsers keep the last of two equal keys in silence; the reader does not."""
    path = project / WALL
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"tables": {', '"kind": "published", "tables": {', 1), "utf-8")
    assert "'kind' stands twice" in refused(project).reason


MISTYPED: list[tuple[str, Callable[[dict[str, Any]], Any], str, str]] = [
    ("count as text", lambda r: figure(r)["value"].update(successes="8"), "value/successes",
     "integer"),
    ("more than n", lambda r: figure(r)["value"].update(successes=21), "value", "exceed n 20"),
    ("unknown field", lambda r: figure(r).update(mood="good"), "mood", "Extra"),
    ("unknown kind", lambda r: figure(r).update(kind="guessed"), "kind", "transcribed"),
    ("bad date", lambda r: figure(r).update(date="6 Sep"), "date", "pattern"),
    ("no label", lambda r: figure(r).pop("label"), "label", "required"),
    ("other id", lambda r: figure(r).update(id="wall.other"), "id", "not the key"),
    ("lost source", lambda r: figure(r)["source"].update(ref="nowhere"), "source/ref",
     "no source 'nowhere'"),
    ("command without status", lambda r: figure(r)["replay"].update(command="py-measure check"),
     "replay", "status 'command'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "how", "where", "why"), MISTYPED, ids=[m[0] for m in MISTYPED])
def test_a_mistyped_figure_is_named_by_pointer(
    project: Path,
    edit: Edit,
    name: str,
    how: Callable[[dict[str, Any]], None],
    where: str,
    why: str,
) -> None:
    """Whatever is wrong inside a figure, the error points at it in RFC 6901."""
    edit(project / WALL, how)
    error = refused(project)
    assert (error.file, error.pointer) == (WALL, f"/figures/{ID}/{where}"), name
    assert why in error.reason


def test_figures_of_one_fact_must_agree(project: Path, edit: Edit) -> None:
    """A figure that repeats another one cannot be changed alone."""
    path = project / "data/published/status-board.json"
    repeated = "status-wall.llama3.1-8b.worked"
    edit(path, lambda raw: figure(raw, repeated)["value"].update(successes=9))
    error = refused(project)
    assert error.pointer == f"/figures/{repeated}/value"
    assert ID in error.reason


def test_a_lost_primary_is_named(project: Path, edit: Edit) -> None:
    """A figure that says it repeats another one names one that exists."""
    path = project / "data/published/status-board.json"
    repeated = "status-wall.llama3.1-8b.worked"
    edit(path, lambda raw: figure(raw, repeated).update(same_as="nobody"))
    assert refused(project).reason == "no figure 'nobody'"


def test_an_id_in_two_files_is_refused(project: Path, edit: Edit) -> None:
    """An id is unique over the whole record."""
    wall = json.loads((project / WALL).read_text(encoding="utf-8"))
    path = project / "data/published/two-models.json"
    edit(path, lambda raw: raw["figures"].update({ID: figure(wall)}))
    assert "also stands in" in refused(project).reason


def test_a_cell_must_hold_a_figure_of_its_own_row(project: Path, edit: Edit) -> None:
    """Swapping two figures between rows of a table is seen."""

    def swap(raw: dict[str, Any]) -> None:
        rows = raw["tables"]["t-wall"]["rows"]
        rows[0][1], rows[1][1] = rows[1][1], rows[0][1]

    edit(project / WALL, swap)
    assert refused(project).pointer == "/tables/t-wall/rows/0/1/figure"


def test_a_flipped_verdict_is_refused(project: Path, edit: Edit) -> None:
    """The verdict of a comparison follows from its basis and cannot be set against it."""
    path = project / "data/published/comparisons.json"

    def flip(raw: dict[str, Any]) -> None:
        entry = next(e for e in raw["comparisons"].values() if e["verdict"] == "as-stated")
        entry["verdict"] = "inside-noise"

    edit(path, flip)
    error = refused(project)
    assert error.pointer.endswith("/verdict")
    assert "its basis gives 'as-stated'" in error.reason


def test_a_file_of_unknown_kind_is_refused(project: Path) -> None:
    """A stray file under data/published does not pass as part of the record."""
    path = project / "data/published/stray.json"
    path.write_text('{"kind": "diary"}', encoding="utf-8")
    with pytest.raises(RecordError, match="unknown kind 'diary'"):
        read(path, project)


def test_a_file_that_is_not_utf8_is_refused(project: Path) -> None:
    """Bytes that are no UTF-8 are named, not replaced."""
    path = project / WALL
    path.write_bytes(path.read_bytes() + b"\xff")
    assert "not UTF-8" in refused(project).reason


def test_the_command_line_prints_one_line_and_fails(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A broken record makes `py-measure check` exit 1 with one line on stderr."""
    path = project / WALL
    path.write_text("{", encoding="utf-8")
    assert main(["--root", str(project), "check"]) == 1
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.count("\n") == 1
    assert out.err.startswith(f"py-measure: {WALL}: not JSON")


def test_every_file_fits_its_published_schema(project: Path) -> None:
    """The JSON Schema that we publish accepts the record that we publish."""
    for path in sorted((project / "data/published").glob("*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        schema_path = project / "data/schema" / f"{raw['kind']}.schema.json"
        jsonschema.validate(raw, json.loads(schema_path.read_text(encoding="utf-8")))
