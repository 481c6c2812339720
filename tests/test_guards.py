"""The guards are guarded: each way to falsify the site must turn a check red; prints the score.

What can be falsified so far: the record, the rendered pages, the pages' sources, the bibliography.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from docs.macros.check import check
from harness.errors import HarnessError
from measure.cli import main
from measure.record import schema
from tests import small_project

WALL = "data/published/the-wall.json"
TWO = "data/published/two-models.json"
PAGE = """---
title: Try
---

# Try

Tier six: [[ num("wall.llama3.1-8b.worked") ]], and derived [[ num("con-15-difference") ]],
and one of before the repair [[ num("rep.5-september.worked") ]].

[[ claim("wall-32b-over-8b") ]]

[[ table("t-wall") ]]

[[ chart("wall") ]]

As others found [[ cite("yao2023react") ]].

[[ references() ]]
"""

# Without a page of its own an experiment is called by its slug, and this slug holds a number.
TITLED = "---\ntitle: Level\nexperiment: two-models\n---\n\n# Level\n"


@dataclass(frozen=True)
class Forgery:
    """One way to falsify: which file, and what becomes of its text."""

    name: str
    file: str
    change: Callable[[str], str]


def put(old: str, new: str, times: int = 1) -> Callable[[str], str]:
    """Replace text; a forgery that changes nothing would prove nothing."""

    def change(text: str) -> str:
        assert old in text, f"{old!r} is not there to be falsified"
        return text.replace(old, new, times)

    return change


def in_json(how: Callable[[dict[str, Any]], Any]) -> Callable[[str], str]:
    """Change a JSON file through its values."""

    def change(text: str) -> str:
        raw = json.loads(text)
        how(raw)
        return json.dumps(raw, ensure_ascii=False)

    return change


def swap_arms(raw: dict[str, Any]) -> None:
    """Set two models' figures into each other's rows."""
    rows = raw["tables"]["t-wall"]["rows"]
    rows[1][1], rows[2][1] = rows[2][1], rows[1][1]


def flip_verdict(raw: dict[str, Any]) -> None:
    """Call a gap inside the noise as stated."""
    entry = next(e for e in raw["comparisons"].values() if e["verdict"] == "inside-noise")
    entry["verdict"] = "as-stated"


def swap_basis(raw: dict[str, Any]) -> None:
    """Set the two sides of a comparison into each other's place."""
    basis = raw["comparisons"]["wall-32b-over-8b"]["basis"]
    basis["a"], basis["b"] = basis["b"], basis["a"]


def figure(raw: dict[str, Any], name: str) -> dict[str, Any]:
    """A figure of a published file."""
    found: dict[str, Any] = raw["figures"][name]
    return found


COMPARISONS = "data/published/comparisons.json"
DECIDER = "data/published/later-decider.json"
INDEX = "site/index.html"
REPLAY = "site/replay/the-wall/index.html"

RECORD = [
    Forgery("edit a value that another figure repeats", WALL, in_json(
        lambda r: figure(r, "wall.llama3.1-8b.worked")["value"].update(successes=9))),
    Forgery("edit a value that its interval was computed from", TWO, in_json(
        lambda r: figure(r, "two-tier.1.llama3.1-8b")["value"].update(successes=5))),
    Forgery("edit an interval", WALL, in_json(
        lambda r: figure(r, "wall-case.retry.qwen2.5-coder-7b")["interval"].update(lower=0.9))),
    Forgery("edit a derived figure", DECIDER, in_json(
        lambda r: figure(r, "con-15-difference")["value"].update(value=156))),
    Forgery("edit an addend of a derived figure", DECIDER, in_json(
        lambda r: figure(r, "con-15-kept")["value"].update(value=1045))),
    Forgery("swap two arms of a table", WALL, in_json(swap_arms)),
    Forgery("flip a verdict", COMPARISONS, in_json(flip_verdict)),
    Forgery("swap the sides of a comparison", COMPARISONS, in_json(swap_basis)),
    Forgery("turn a planned replay into a command without one", WALL, in_json(
        lambda r: figure(r, "wall.llama3.1-8b.worked")["replay"].update(status="command"))),
    Forgery("drop a figure that a table holds", WALL, in_json(
        lambda r: r["figures"].pop("wall.qwen2.5-coder-7b.worked"))),
    Forgery("drop a cell", WALL, in_json(lambda r: r["tables"]["t-wall"]["rows"][0].pop())),
    Forgery("change the shape without the schema", "data/schema/published.schema.json",
            put('"minLength": 1', '"minLength": 2')),
]  # fmt: skip

BIBLIOGRAPHY = [
    Forgery("break a BibTeX key", "bib/references.bib", put("{yao2023react,", "{yao 2023 react,")),
    Forgery("rename a BibTeX key that a page cites", "bib/references.bib",
            put("{yao2023react,", "{yao2023reakt,")),
    Forgery("drop a required field", "bib/references.bib",
            lambda text: re.sub(r"\n  year *= *[^\n]*", "", text, count=1)),
    Forgery("let two entries share a key", "bib/references.bib",
            put("{yang2024sweagent,", "{yao2023react,")),
]  # fmt: skip

RENDERED = [
    Forgery("type over a number", INDEX, put("8\u00a0/\u00a020</data>", "9\u00a0/\u00a020</data>")),
    Forgery("type over a table cell", INDEX, put(">18/20</data>", ">19/20</data>")),
    Forgery("type over a row's name", INDEX, put(">llama3.1:8b</th>", ">llama3.1:70b</th>")),
    Forgery("change a claim's verdict", INDEX, put("claim--as-stated", "claim--inside-noise")),
    Forgery("unbind a number", INDEX, lambda text: re.sub(
        r'<a class="num-link"[^>]*><data[^>]*>(8[^<]*)</data></a>', r"\1", text, count=1)),
    Forgery("point a number at another figure's place", INDEX, put(
        "#/figures/wall.llama3.1-8b.worked", "#/figures/wall.qwen2.5-coder-7b.worked")),
    Forgery("point a number at another replay entry", INDEX, put(
        'the-wall/#wall.llama3.1-8b.worked"', 'the-wall/#wall.qwen2.5-coder-7b.worked"')),
    Forgery("edit a number's machine-readable value", INDEX, put('value="0.4"', 'value="0.9"')),
    Forgery("mark a transcribed number as measured", INDEX, put(
        "num num--transcribed", "num num--measured")),
    Forgery("take the badge off an unsafe number", INDEX, put(" num--unsafe", "")),
    Forgery("type a number into the text", INDEX, put("Tier six:", "Tier six, 3 of 4:")),
    Forgery("type a comparison into the text", INDEX, put("Tier six:", "Tier six is better:")),
    Forgery("type over a number of the replay index", REPLAY,
            put("11\u00a0/\u00a020</data>", "12\u00a0/\u00a020</data>")),
    Forgery("break the link to a replay entry", REPLAY, put(
        '<section class="replay-entry" id="wall.llama3.1-8b.worked"',
        '<section class="replay-entry" id="gone"')),
]  # fmt: skip

SOURCES = [
    Forgery("quote an unknown figure", "docs/index.md", put("wall.llama3.1-8b.worked", "wall.8b")),
    Forgery("quote an unknown claim", "docs/index.md", put("wall-32b-over-8b", "wall-32b")),
    Forgery("cite an unknown work", "docs/index.md", put("yao2023react", "yao2023")),
    Forgery("type the record's marks by hand", "docs/index.md",
            put("Tier six:", '<data data-id="x" data-src="y">9 / 9</data>')),
    Forgery("print a table twice", "docs/index.md",
            put('[[ table("t-wall") ]]', '[[ table("t-wall") ]]\n\n[[ table("t-wall") ]]')),
    Forgery("waive a fraction", "docs/index.md", put(
        "title: Try", "title: Try\nwaivers: [{text: 3 of 4, reason: because it looks well}]")),
]  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small project, built once and clean by every check."""
    pages = {"index.md": PAGE, "experiments/two-models.md": TITLED}
    folder = small_project.make(tmp_path_factory.mktemp("guarded"), pages)
    found = small_project.run(folder, "docs.macros.build")
    assert found.returncode == 0, found.stderr
    assert site_faults(folder) == []
    assert record_is_fine(folder)
    return folder


def record_is_fine(folder: Path) -> bool:
    """What `py-measure check` says of a project."""
    return main(["--root", str(folder), "check"]) == 0 and not schema.stale(folder)


def site_faults(folder: Path) -> list[str]:
    """What the checks on the built site say; links into pages that were not made are left out."""
    try:
        faults = check(folder, folder / "site")
    except HarnessError as error:
        return [str(error)]
    return [f for f in faults if "there is no such file in the site" not in f]


def builds(folder: Path) -> bool:
    """Whether the site still builds, and is clean once it is built."""
    other = folder / "try"
    shutil.rmtree(other, ignore_errors=True)
    found = small_project.run(folder, "docs.macros.build", "--site-dir", str(other))
    if found.returncode:
        return False
    kept, built = folder / "site.kept", folder / "site"
    built.rename(kept)
    other.rename(built)
    clean = site_faults(folder) == []
    shutil.rmtree(built)
    kept.rename(built)
    return clean


def caught(folder: Path, forgery: Forgery, fine: Callable[[Path], bool]) -> bool:
    """Whether a check that was green turns red when the file is falsified."""
    path = folder / forgery.file
    before = path.read_text(encoding="utf-8")
    after = forgery.change(before)
    assert after != before, forgery.name
    path.write_text(after, encoding="utf-8")
    try:
        return not fine(folder)
    finally:
        path.write_text(before, encoding="utf-8")


def test_every_forgery_turns_a_check_red(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Falsify each part in turn; the score is printed and must be full."""
    rounds: list[tuple[list[Forgery], Callable[[Path], bool]]] = [
        (RECORD, record_is_fine),
        (BIBLIOGRAPHY, lambda folder: site_faults(folder) == [] and builds(folder)),
        (RENDERED, lambda folder: site_faults(folder) == []),
        (SOURCES, builds),
    ]
    missed, total = [], 0
    for forgeries, fine in rounds:
        for forgery in forgeries:
            total += 1
            if not caught(project, forgery, fine):
                missed.append(forgery.name)
    capsys.readouterr()
    with capsys.disabled():
        print(f"\nguards: caught {total - len(missed)} / {total}")
    assert missed == []
