"""Lists the project's files whose names match a pattern such as `*.py` or `src/**/order*`."""

from __future__ import annotations

import re

from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.road.desk import Desk
from harness.types import Action, Observation

SPEC = ActionSpec(
    "find",
    (
        FieldSpec(
            "Pattern",
            required=False,
            help="a file name or a pattern such as *.py",
            aliases=("Path", "Glob", "Name", "Query", "Folder", "Directory", "Scope"),
        ),
    ),
    (
        Alias("glob", "find"),
        Alias("ls", "find"),
        Alias("list", "find"),
        Alias("dir", "find"),
        Alias("files", "find"),
        Alias("list_files", "find"),
        Alias("list_dir", "find"),
    ),
)
WRITES = False
EXAMPLES = ("Action: find\nPattern: *.py", "Action: find\nPattern: tests/test_*.py")
LIMIT = 30


def act(action: Action, desk: Desk) -> Observation:
    """Up to 30 matching paths and how many more there are."""
    pattern = action.fields.get("Pattern", "").strip().replace("\\", "/").removeprefix("./") or "*"
    files = desk.files()
    found = [path for path in files if matches(path, pattern)]
    if not found:
        return Observation(f"No file matches {pattern}. There are {len(files)} files.", ok=False)
    more = f"\nand {len(found) - LIMIT} more" if len(found) > LIMIT else ""
    return Observation("\n".join(found[:LIMIT]) + more)


def matches(path: str, pattern: str) -> bool:
    """Whether a path fits: a folder by what is in it, a bare word by part of the file's name."""
    folded = path.casefold()
    pattern = pattern.casefold()
    if not any(sign in pattern for sign in "*?["):
        folder = pattern.rstrip("/")
        if folder in ("", ".") or folded == folder or folded.startswith(folder + "/"):
            return True
        return pattern in (folded if "/" in pattern else folded.rsplit("/", 1)[-1])
    target = folded if "/" in pattern else folded.rsplit("/", 1)[-1]
    return re.fullmatch(as_regex(pattern), target) is not None


def as_regex(pattern: str) -> str:
    """A glob pattern as a regular expression: `**` crosses folders, `*` and `?` do not."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]/]+\])", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        meaning.get(part) or (_class(part) if part.startswith("[") else re.escape(part))
        for part in parts
    )


def _class(part: str) -> str:
    """A set of characters such as `[a-c]`, or its letters if it is none."""
    inner = part[1:-1].replace("\\", "\\\\")
    inner = "^" + inner[1:] if inner.startswith("!") else inner
    try:
        re.compile(f"[{inner}]")
    except re.error:
        return re.escape(part)
    return f"[{inner}]"
