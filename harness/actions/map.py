"""Shows the project's files with the signatures of what they define."""

from __future__ import annotations

from harness.normal import bounded
from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.road import excerpt
from harness.road.desk import Desk
from harness.types import Action, Observation

SPEC = ActionSpec(
    "map",
    (
        FieldSpec(
            "Scope",
            required=False,
            help="a folder or file, else all",
            aliases=("Path", "Folder", "Directory", "File"),
        ),
    ),
    (
        Alias("outline", "map"),
        Alias("tree", "map"),
        Alias("overview", "map"),
        Alias("structure", "map"),
        Alias("symbols", "map"),
    ),
)
WRITES = False
EXAMPLES = ("Action: map", "Action: map\nScope: src")
MAX_FILES = 80
MAX_LINES = 120
LIMIT = 4_000


def act(action: Action, desk: Desk) -> Observation:
    """Files in scope, source before tests, each with its outline as far as there is room."""
    scope = action.fields.get("Scope", "").strip().replace("\\", "/").removeprefix("./").rstrip("/")
    everything = scope in ("", ".", "*")
    files = [p for p in desk.files() if everything or p == scope or p.startswith(scope + "/")]
    if not files:
        return Observation(f"There is no file under {scope}.", ok=False)
    project = desk.project
    files.sort(key=lambda p: (not p.endswith(".py"), project.is_test(p), p))
    lines, outlined = [], 0
    for path in files[:MAX_FILES]:
        lines.append(path)
        for symbol in project.outline(path) if path.endswith(".py") else ():
            if symbol.kind != "assignment" and outlined < MAX_LINES:
                lines.append("    " + excerpt.signature(symbol))
                outlined += 1
    if len(files) > MAX_FILES:
        lines.append(f"and {len(files) - MAX_FILES} more files; ask for a Scope")
    return Observation(bounded("\n".join(lines), LIMIT))
