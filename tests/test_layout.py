"""The house: who may import whom, how long a file may be, and that tests are sentences."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.macros.chart import drawing

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("harness", "measure", "docs/macros", "tests", "notebooks")
MAX_LINES = 400

# What a room may import of ours; a prefix stands for everything beneath it.
ALLOWED = {
    "harness": ("harness",),
    "measure.record": ("measure.record", "harness.errors"),
    "measure": ("measure", "harness"),
    "docs.macros": ("docs.macros", "measure.record", "harness.errors"),
    "notebooks": ("measure", "harness"),
    "tests": ("tests", "docs.macros", "measure", "harness"),
}
# Inside measure, left never imports right.
ORDER = ["measure.record", "measure.stats", "measure.derive", "measure.transcribe", "measure.cli"]
# Imported only where they are used: start-up stays light.
HEAVY = {
    "matplotlib": ("docs.macros.chart.drawing",),
    "scipy": ("measure.stats",),
    "mkdocs": ("docs.macros.hook", "docs.macros.check"),
}


def modules() -> Iterator[tuple[str, Path]]:
    """Every Python file of ours as (dotted name, path)."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
            yield name.removesuffix(".__init__"), path


def imports(path: Path) -> Iterator[str]:
    """Dotted names that a file imports, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, prefix: str) -> bool:
    """Whether a dotted name is the prefix or stands beneath it."""
    return name == prefix or name.startswith(prefix + ".")


def room_of(name: str) -> str:
    """The most specific room of ALLOWED that holds a module."""
    return max((room for room in ALLOWED if within(name, room)), key=len)


def wrong_direction(name: str, imported: str) -> bool:
    """Whether an import of ours goes a way that the house forbids."""
    ours = any(within(imported, room.split(".")[0]) for room in ALLOWED)
    if not ours:
        return False
    if not any(within(imported, allowed) for allowed in ALLOWED[room_of(name)]):
        return True
    here = next((i for i, room in enumerate(ORDER) if within(name, room)), None)
    there = next((i for i, room in enumerate(ORDER) if within(imported, room)), None)
    return here is not None and there is not None and there > here


def test_imports_go_one_way() -> None:
    """notebooks → measure → harness; pages see the record's models and nothing else of measure."""
    wrong = [
        f"{name} imports {imported}"
        for name, path in modules()
        for imported in imports(path)
        if wrong_direction(name, imported)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "imported", "wrong"),
    [
        ("harness.cli", "measure.record", True),
        ("measure.record.read", "measure.stats", True),
        ("measure.record.whole", "measure.derive", True),
        ("docs.macros.page", "measure.stats.wilson", True),
        ("docs.macros.page", "measure.record.whole", False),
        ("measure.derive", "measure.stats.wilson", False),
        ("docs.macros.page", "json", False),
    ],
)
def test_the_rule_sees_a_wrong_import(name: str, imported: str, wrong: bool) -> None:
    """The check above can fail: it tells each forbidden direction from an allowed one."""
    assert wrong_direction(name, imported) is wrong


def test_heavy_libraries_are_met_in_one_place() -> None:
    """matplotlib, scipy and mkdocs are imported only by the modules that stand for them."""
    wrong = [
        f"{name} imports {imported}"
        for name, path in modules()
        if not name.startswith("tests")
        for imported in imports(path)
        for library, places in HEAVY.items()
        if within(imported, library) and name not in places
    ]
    assert wrong == []


def test_the_cache_of_charts_knows_all_code_that_draws() -> None:
    """Whatever of docs/macros the drawing imports, at any remove, is part of the cache's key."""
    ours = {name: path for name, path in modules() if path.name != "__init__.py"}
    found: set[str] = set()
    waiting = ["docs.macros.chart.drawing"]
    while waiting:
        found.add(name := waiting.pop())
        wanted = [other for i in imports(ours[name]) for other in ours if within(i, other)]
        waiting += set(wanted) - found
    assert found == {f"docs.macros.chart.{name}" for name in drawing.MODULES}


def test_files_stay_readable() -> None:
    """No Python file is above 400 lines, and each says in a docstring what it owns."""
    wrong = []
    for name, path in modules():
        text = path.read_text(encoding="utf-8")
        if len(text.splitlines()) > MAX_LINES:
            wrong.append(f"{name} has {len(text.splitlines())} lines")
        if text.strip() and not ast.get_docstring(ast.parse(text)):
            wrong.append(f"{name} has no docstring")
    assert wrong == []


def test_every_test_states_its_truth() -> None:
    """Every test function has a docstring."""
    wrong = [
        f"{path.name}:{node.lineno} {node.name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]
    assert wrong == []


def test_the_top_level_holds_no_other_room() -> None:
    """Folders at the top are those of the design card and of packaging, none besides."""
    known = {"harness", "measure", "docs", "data", "bib", "notebooks", "tests", "demo"}
    found = {p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(".")}
    built = {"site", "site.new", "build", "dist"} | {n for n in found if n.endswith(".egg-info")}
    assert found - built - {"__pycache__"} <= known
