"""Owns what may reach a terminal, and how a person at one is asked.

Does not cover which events are shown (`show`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TextIO

# C0 but for tab and line feed, DEL, C1, and the marks that turn the direction of a line: a text of
# a model or of a file must not move the cursor, name a window, or show a line other than it is.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


def clean(text: str) -> str:
    r"""The text with every control character spelled out, such as `\x1b`; lines and tabs stay."""
    return _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def without_colours(text: str) -> str:
    """The text without the colour codes of the program that wrote it."""
    return _ANSI.sub("", text)


def one_line(text: str, limit: int = 160) -> str:
    """The text on one line, cleaned, at most so many characters, with … where it was cut."""
    line = clean(" ".join(text.split()))
    return line if len(line) <= limit else line[: max(0, limit - 1)].rstrip() + "…"


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a person reads or types there."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def someone_answers() -> bool:
    """Whether there is a person to ask: one who reads stderr, and a keyboard."""
    if not is_terminal(sys.stderr):
        return False
    try:
        with _typed():
            return True
    except OSError:
        return False


@contextmanager
def _typed() -> Iterator[TextIO]:
    """Where a person types: standard input, or the terminal itself where that is a pipe."""
    if sys.stdin is not None and is_terminal(sys.stdin):
        yield sys.stdin
        return
    device = "CONIN$" if sys.platform == "win32" else "/dev/tty"
    with open(device, encoding="utf-8", errors="replace") as keys:
        yield keys


def ask(prompt: str) -> str:
    """One typed line, stripped; empty at the end of input."""
    print(clean(prompt), end="", file=sys.stderr, flush=True)
    with _typed() as keys:
        return keys.readline().strip()


def choose(question: str, options: tuple[str, ...]) -> str:
    """A person's answer: an option by its number, or what is typed; empty for none."""
    prompt = f"answer [1-{len(options)}, or in words]: " if options else "answer: "
    typed = ask(prompt)
    if typed.isdecimal() and 0 < int(typed) <= len(options):
        return options[int(typed) - 1]
    return typed


def agree(prompt: str) -> bool:
    """Whether a person typed yes; anything else is no."""
    return ask(f"{prompt} [y/N] ").lower() in ("y", "yes")
