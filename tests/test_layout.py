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
# Inside harness, left never imports right; the doors of one line do not know each other.
HELPER = [
    ["types", "errors"],
    ["settings", "events", "normal", "parts", "fix"],
    ["reading", "tree", "model"],
    ["source", "suite"],
    ["trial"],
    ["road"],
    ["actions", "guards", "fixes", "engines", "drafters"],
    ["session"],
    ["person"],
    ["commands"],
    ["cli", "__main__"],
]
DOORS = {"actions", "guards", "fixes", "engines", "drafters", "commands"}
# Libraries of the helper are met where they are used, and inside functions.
WRITERS = {
    "harness.tree": "the person's files, the journal and the throw-away copy",
    "harness.model.recording": "recordings",
    "harness.model.download": "a model file that was asked for",
    "harness.source.roping": "a throw-away folder for rope",
    "harness.suite.sandbox": "a throw-away home",
    "harness.suite.oracle": "a folder for a run's report",
    "harness.suite.inside": "the rows of a suite's run",
    "harness.session": "a recording where it was asked for as well",
    "harness.commands.catalogue": "generated text",
}
# Imported only where they are used: start-up stays light.
HEAVY = {
    "ollama": ("harness.engines.ollama",),
    "httpx": (
        "harness.engines.openai",
        "harness.engines.ollama",
        "harness.model.download",
        "harness.model.stream",
        "harness.model.engine",
    ),
    "rope": ("harness.source.roping",),
    "pyflakes": ("harness.source.scope",),
    "rich": ("harness.person.show",),
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


def line_of(name: str) -> int:
    """Place of a module of the helper in HELPER; -1 for the package itself."""
    room = name.split(".")[1] if "." in name else ""
    return next((i for i, line in enumerate(HELPER) if room in line), -1)


def wrong_in_helper(name: str, imported: str) -> bool:
    """Whether an import inside the helper goes right, or from one door to its neighbour."""
    if not (within(name, "harness") and within(imported, "harness")):
        return False
    room, other = name.split(".")[1:2], imported.split(".")[1:2]
    if room == other:
        return bool(room) and room[0] in DOORS and name.count(".") == 2
    if not other or line_of(imported) < 0:
        return False
    return line_of(imported) > line_of(name) or (
        line_of(imported) == line_of(name) and other[0] in DOORS
    )


def test_the_helper_s_rooms_import_one_way() -> None:
    """Nouns first, then the rooms, then the doors, then session, person, commands."""
    wrong = [
        f"{name} imports {imported}"
        for name, path in modules()
        if within(name, "harness") and ".inside." not in name
        for imported in imports(path)
        if wrong_in_helper(name, imported)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "imported", "wrong"),
    [
        ("harness.tree.fence", "harness.types.Refusal", False),
        ("harness.types", "harness.errors.HarnessError", False),
        ("harness.tree.fence", "harness.road.desk", True),
        ("harness.road.loop", "harness.actions.patch", True),
        ("harness.actions.patch", "harness.actions.read", True),
        ("harness.actions.patch", "harness.guards.broke", True),
        ("harness.guards.broke", "harness.road.moment", False),
        ("harness.session", "harness.person.show", True),
        ("harness.commands.run", "harness.person.flags", False),
        ("harness.settings", "harness.__version__", False),
    ],
)
def test_the_helper_s_rule_sees_a_wrong_import(name: str, imported: str, wrong: bool) -> None:
    """A step to the right and a look at the neighbour are both told."""
    assert wrong_in_helper(name, imported) is wrong


def test_every_room_of_the_helper_has_its_place() -> None:
    """No module of the helper stands outside the order."""
    known = {room for line in HELPER for room in line}
    found = {name.split(".")[1] for name, _ in modules() if name.startswith("harness.")}
    assert found == known


def writes_files(path: Path) -> bool:
    """Whether a module calls something that changes the disk."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        if called.endswith((".write_text", ".write_bytes", ".unlink", ".mkdir", ".touch")):
            return True
        if called.startswith(("shutil.copy", "shutil.move", "shutil.rmtree", "os.replace")):
            return True
        modes = [a.value for a in node.args if isinstance(a, ast.Constant)]
        if called.endswith("open") and any(m in ("w", "wb", "a", "ab", "xb", "x") for m in modes):
            return True
    return False


def test_only_the_writers_write() -> None:
    """The person's files are written by `tree` alone; who else writes, and what, is listed."""
    wrong = [
        name
        for name, path in modules()
        if within(name, "harness") and writes_files(path)
        if not any(within(name, known) for known in WRITERS)
    ]
    assert wrong == []


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
