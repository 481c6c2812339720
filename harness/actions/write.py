"""Writes a whole file: a new one, or a small one anew."""

from __future__ import annotations

import ast

from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.road.desk import Desk
from harness.source import edits, symbols
from harness.types import Action, Fault, Observation, Refusal

SPEC = ActionSpec(
    "write",
    (
        FieldSpec("Path", help="path of the file", aliases=("File", "Filename", "Name")),
        FieldSpec(
            "Body",
            body=True,
            help="the whole text of the file",
            aliases=("Content", "Contents", "Code", "Text", "Source"),
        ),
    ),
    (
        Alias("create", "write"),
        Alias("new", "write"),
        Alias("save", "write"),
        Alias("overwrite", "write"),
        Alias("write_file", "write"),
        Alias("create_file", "write"),
    ),
)
WRITES = True
EXAMPLES = (
    "Action: write\nPath: src/greeting.py\nBody:\n```\n"
    '"""Greets."""\n\n\ndef greet(name):\n    return f"Hello {name}"\n```',
)


def act(action: Action, desk: Desk) -> Observation | Refusal:
    """The file laid into the throw-away copy; a draft of only some definitions is put in place."""
    path = desk.workspace.fence.judge(action.fields["Path"].strip().strip("`'\""), write=True)
    if isinstance(path, Refusal):
        return path
    body = action.fields["Body"].rstrip("\n") + "\n"
    before = desk.text(path)
    if before is not None and path.endswith(".py") and _is_part(before, body):
        merged = edits.definitions(before, body)
        if isinstance(merged, Fault):
            return Observation(
                f"Nothing was written: {merged.reason}. {merged.next_action}", ok=False
            )
        body = merged
    laid = desk.change({path: body})
    if isinstance(laid, Refusal):
        return laid
    written = ", ".join(change.path for change in laid.changes)
    verb = "Wrote" if before is None else "Changed"
    return Observation("\n".join([f"{verb} {written}.", *laid.notes]), changed=(written,))


def _is_part(before: str, body: str) -> bool:
    """Whether a draft holds only definitions, some of the file's or new ones, not the file."""
    if symbols.parses(before) or symbols.parses(body) or not before.strip():
        return False
    plain = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    if not all(isinstance(node, plain) for node in ast.parse(body).body):
        return False
    left_out = symbols.top_level(before) - symbols.top_level(body)
    return bool(left_out) and len(body) < 2 * len(before) / 3
