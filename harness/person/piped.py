"""Owns what is piped into a command: read without hanging in silence, bounded, made text.

Does not cover what is made of it (`jobs` reads it as evidence).
"""

from __future__ import annotations

import codecs
import os
import stat
import sys
import threading
from collections.abc import Callable

KEPT = 65536
"""Characters kept, the last ones: a test run says at its end what failed."""
READ = 64 * 1024 * 1024
"""Bytes read at most; a stream without end is cut there."""
PATIENCE_S = 2.0
"""After so long it is said that a pipe is being waited for."""


def text(note: Callable[[str], None]) -> str:
    """What is piped in, empty if nothing is; `note` is told what a person should know of it."""
    source = _source()
    if source is None:
        return ""
    says = "reading what is piped in until it ends; give < /dev/null to skip it"
    timer = threading.Timer(PATIENCE_S, note, [says])
    timer.daemon = True
    timer.start()
    try:
        data, total = _tail(source)
    finally:
        timer.cancel()
    found = _decoded(data, note, whole=total == len(data))
    if total > len(data) or len(found) > KEPT:
        note(f"of {total:,} bytes piped in, the last {KEPT:,} characters are used")
    return found[-KEPT:]


def _source() -> int | None:
    """File descriptor of standard input where it is a pipe, a file or a socket."""
    try:
        found = sys.stdin.fileno()
        mode = os.fstat(found).st_mode
    except (AttributeError, OSError, ValueError):  # none, closed, or a stream of the program's own
        return None
    piped = stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)
    return found if piped else None


def _tail(source: int) -> tuple[bytes, int]:
    """The last bytes and how many there were, READ at most."""
    data, total = b"", 0
    while total < READ and (piece := os.read(source, 65536)):
        total += len(piece)
        data = (data + piece)[-4 * KEPT :]
    return data, total


def _decoded(data: bytes, note: Callable[[str], None], *, whole: bool) -> str:
    """UTF-8, or UTF-16 with its mark as Windows shells write it; others show as \ufffd."""
    if whole and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace").replace("\r\n", "\n")
    # A cut may stand inside a letter: up to three bytes that only go on are no fault.
    start = 0 if whole else next((i for i in range(4) if data[i] & 0xC0 != 0x80), 0)
    found = data[start:].decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    if "\ufffd" in found:
        note("what is piped in is no UTF-8; bytes that are none are shown as \ufffd")
    return found
