"""Finds the lines that match a regular expression, in all files or under one path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.road.desk import Desk
from harness.types import Action, Observation

SPEC = ActionSpec(
    "search",
    (
        FieldSpec(
            "Pattern",
            help="a word or a regular expression",
            aliases=("Query", "Regex", "Text", "Term", "Name", "Symbol"),
        ),
        FieldSpec(
            "Path",
            required=False,
            help="a file or folder to search in",
            aliases=("Scope", "Folder", "Directory", "File", "In"),
        ),
    ),
    (
        Alias("grep", "search"),
        Alias("rg", "search"),
        Alias("ripgrep", "search"),
        Alias("search_code", "search"),
        Alias("find_in_files", "search"),
    ),
)
WRITES = False
EXAMPLES = ("Action: search\nPattern: def \\w+_total", "Action: search\nPattern: total\nPath: src")
LIMIT = 30
WIDTH = 160
# A repeat of a repeat, or of a choice, can take exponential time over a single line.
_NESTED = re.compile(r"\([^()]*[*+}|][^()]*\)\s*[*+{]")


def act(action: Action, desk: Desk) -> Observation:
    """Up to 30 lines as path:line: text; a bad expression is taken as plain text."""
    pattern = action.fields["Pattern"].strip()
    within = action.fields.get("Path", "").strip().replace("\\", "/").removeprefix("./")
    files = [p for p in desk.files() if _under(p, within.rstrip("/"))]
    if not files:
        return Observation(f"There is no file under {within}.", ok=False)
    for wanted, how in _expressions(pattern):
        hits = list(_hits(wanted, files, desk))
        if hits:
            more = "\nand more" if len(hits) > LIMIT else ""
            return Observation(how + "\n".join(hits[:LIMIT]) + more)
    return Observation(f"No line matches {pattern} in {len(files)} files.", ok=False)


def _under(path: str, folder: str) -> bool:
    """Whether a path is that file or stands in that folder; the empty folder is the project."""
    return folder in ("", ".", "*") or path == folder or path.startswith(folder + "/")


def _expressions(pattern: str) -> Iterator[tuple[re.Pattern[str], str]]:
    """What to look for, in turn: as given, then in any case; each with a remark."""
    how = ""
    try:
        wanted = pattern if not _NESTED.search(pattern) else re.escape(pattern)
        re.compile(wanted)
    except (re.error, OverflowError, RecursionError):
        wanted = re.escape(pattern)
    if wanted != pattern and wanted == re.escape(pattern):
        how = "(taken as plain text)\n"
    yield re.compile(wanted), how
    yield re.compile(wanted, re.IGNORECASE), how + "(upper and lower case taken as one)\n"


def _hits(wanted: re.Pattern[str], files: list[str], desk: Desk) -> Iterator[str]:
    """Matching lines in order, one more than the limit at most."""
    found = 0
    for path in files:
        for number, line in enumerate((desk.text(path) or "").splitlines(), 1):
            if wanted.search(line[:300]):
                yield f"{path}:{number}: {line.strip()[:WIDTH]}"
                found += 1
                if found > LIMIT:
                    return
