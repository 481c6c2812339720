"""Owns the normal form of a tool's output: what differs from run to run is replaced, long is cut.

Does not cover reading such output: what passed and failed comes from a report (`suite_output`).
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Only the part of a name that a library made up is random; the rest of the path is told on.
_RANDOM = r"(?:tmp[A-Za-z0-9_]{6,}|pytest-of-[^/\\\s]+[/\\]pytest-\d+|py-harness-[A-Za-z0-9_-]+)"
_TIMES = re.compile(
    r"(?<![\w'\".<])\d+\.\d+(?:e-\d+)?(?:s| seconds?)\b(?!['\"])|(?<=\bin )\d+ ?(?:s|seconds?)\b"
)
_CLOCK = re.compile(r"(?<!['\"\w])\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3,6}(?!['\"\d])")
_ADDRESS = re.compile(r"(?<=\bat )0x[0-9a-fA-F]{5,16}\b|\b0x[0-9a-fA-F]{9,16}\b")
_PROCESS = re.compile(r"\b(?P<word>pid|PID)(?P<gap>\s*[=:#]?\s*)\d+\b")
_PORT = re.compile(r"\b(?P<host>127\.0\.0\.1|localhost|0\.0\.0\.0)(?P<gap>['\"]?(?::|, ))\d{5}\b")
_WORDS = r"'(?:[^'\\\n{}]|\\.)*'"
_SET = re.compile(r"(?<![\w\])}])\{(?P<items>" + _WORDS + r"(?:, " + _WORDS + r")+)\}")
_ITEM = re.compile(_WORDS)


def normalise(text: str, root: Path | None = None, extra: Sequence[Path] = ()) -> str:
    """The text as any other run of the same thing would print it; lines end in a line feed.

    Paths beneath `root`, and beneath the folders of `extra` that stand for it (a throw-away
    copy), become relative. Made-up temporary folders become `<tmp>`; times, addresses, process
    ids and short-lived ports are replaced; sets of texts are put in order. A quoted value keeps
    its letters, since it may be what a test is about.
    """
    text = _UNPRINTABLE.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    for place in _spellings((*((root,) if root else ()), *extra)):
        text = re.sub(re.escape(place) + r"(?:[/\\](?=[\w.\-])|(?![\w.\-]))", _relative, text)
    text = _temporary().sub("<tmp>", text)
    text = _CLOCK.sub("<time>", text)
    text = _TIMES.sub("<time>", text)
    text = _ADDRESS.sub("<address>", text)
    text = _PROCESS.sub(r"\g<word>\g<gap><pid>", text)
    text = _PORT.sub(r"\g<host>\g<gap><port>", text)
    return _SET.sub(_in_order, text)


def bounded(text: str, limit: int = 1200) -> str:
    """At most about `limit` characters: head and tail, and how many were left out between them."""
    if len(text) <= limit:
        return text
    head = limit * 2 // 5
    tail = max(limit - head - 40, 1)
    return f"{text[:head]}\n… {len(text) - head - tail} characters left out …\n{text[-tail:]}"


def _relative(found: re.Match[str]) -> str:
    """Nothing before a deeper path, a dot for the folder itself."""
    return "" if found.group().endswith(("/", "\\")) else "."


def _spellings(places: Sequence[Path]) -> Iterator[str]:
    """Every way in which a folder may be written, longest first; never a file system's root."""
    found: set[str] = set()
    for place in places:
        for form in (
            str(place),
            str(place.resolve()),
            place.as_posix(),
            place.resolve().as_posix(),
        ):
            if len(form.rstrip("/\\")) > 3 and form != place.anchor:
                found |= {form, form.replace("\\", "\\\\")}
    return iter(sorted(found, key=lambda form: (-len(form), form)))


@cache
def _temporary() -> re.Pattern[str]:
    """A made-up folder beneath any place where this system keeps temporary ones."""
    places = {tempfile.gettempdir(), str(Path(tempfile.gettempdir()).resolve()), "/tmp", "/var/tmp"}
    either = "|".join(re.escape(place) for place in sorted(places, key=lambda p: (-len(p), p)))
    return re.compile(rf"(?:/private)?(?:{either}|/var/folders/\w+/\w+/T)(?:[/\\]{_RANDOM})+")


def _in_order(found: re.Match[str]) -> str:
    """A set of texts, sorted."""
    return "{" + ", ".join(sorted(_ITEM.findall(found["items"]))) + "}"
