"""Owns the places where a name stands outside of code: strings, comments, other files.

Does not cover uses in code, which a fix changes.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator

from harness.source import syntax
from harness.source.project import Project

SHOWN = 5
"""Places that are named one by one."""
_STRINGS = {"STRING", "FSTRING_MIDDLE", "TSTRING_MIDDLE"}


def notes(project: Project, *names: str) -> tuple[str, ...]:
    """Lines for a person about names that still stand in strings, comments and other files.

    Strings that are the name, or a dotted path to it, come first: they may be looked up when the
    program runs. The rest is counted.
    """
    near: list[str] = []
    far: list[str] = []
    for path in project.files:
        text = project.text(path)
        if not any(name in text for name in names):
            continue
        found = _in_code(text, names) if path.endswith(".py") else _in_text(text, names)
        for line, said, is_path in found:
            (near if is_path else far).append(f"{path}:{line} still says {said}")
    shown = [f"{said}, which was not changed" for said in dict.fromkeys(near)]
    rest = len(shown[SHOWN:]) + len(set(far))
    if rest:
        first = f", such as {sorted(set(far))[0].split(' ')[0]}" if far else ""
        lines = "1 other line of text still says" if rest == 1 else f"{rest} other lines still say"
        shown = [*shown[:SHOWN], f"{lines} {names[0]}{first}"]
    return tuple(shown)


def _in_code(text: str, names: tuple[str, ...]) -> Iterator[tuple[int, str, bool]]:
    """(line, name, whether it may be looked up) of strings and comments of a Python text."""
    for token in syntax.tokens(text):
        kind = tokenize.tok_name[token.type]
        if kind != "COMMENT" and kind not in _STRINGS:
            continue
        for name in names:
            for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", token.string):
                line = token.start[0] + token.string[: match.start()].count("\n")
                inside = token.string.strip("rbfuRBFU").strip("'\"")
                yield line, name, kind != "COMMENT" and _is_path(inside, name)


def _is_path(said: str, name: str) -> bool:
    """Whether a string is a name, a dotted path or a file's path that holds it."""
    if "." in name:
        return not re.search(r"\s", said)
    return bool(re.fullmatch(r"[\w./:-]+", said)) and name in re.split(r"[./:]", said)


def _in_text(text: str, names: tuple[str, ...]) -> Iterator[tuple[int, str, bool]]:
    """The same of any other text, where the name stands as code does."""
    for number, row in enumerate(text.splitlines(), 1):
        for name in names:
            word = re.escape(name)
            strict = r"[\w]" if "." in name or "/" in name else None
            pattern = rf"(?<!\w){word}(?!\w)" if strict else rf"[.:`]{word}\b|(?<!\w){word}\("
            if re.search(pattern, row):
                yield number, name, True
