"""Bytes to text and back: encodings, byte order marks and line ends come back as they were."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.tree.texts import Decoded, Unreadable, decoded, encoded

LINES = st.lists(
    st.tuples(st.text("abé=# ", max_size=6), st.sampled_from(["\n", "\r\n", "\r"])), max_size=12
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1", "utf-16-be-bom", "utf-32")


def in_bytes(text: str, encoding: str) -> bytes:
    """A text in an encoding, with its byte order mark where it has one."""
    if encoding == "utf-16-be-bom":
        return codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    return text.encode(encoding)


def read(data: bytes, path: str = "a.txt") -> Decoded:
    """Bytes that must be text."""
    found = decoded(data, path)
    assert isinstance(found, Decoded), found
    return found


def changed(data: bytes, old: str, new: str, path: str = "a.txt") -> bytes | str:
    """The bytes after a replacement in the text; the reason where it cannot be kept."""
    before = read(data, path)
    assert old in before.text
    found = encoded(before.text.replace(old, new), before, path)
    return found.reason if isinstance(found, Unreadable) else found


@settings(max_examples=800, deadline=None)
@given(data=st.binary(max_size=200), path=st.sampled_from(["a.py", "a.txt"]))
def test_any_bytes_that_are_text_come_back(data: bytes, path: str) -> None:
    """Whatever the bytes, they are refused with a reason or come back from their text unchanged."""
    found = decoded(data, path)
    if isinstance(found, Unreadable):
        assert found.reason
        return
    assert "\r" not in found.text
    assert encoded(found.text, found, path) == data


@settings(max_examples=500, deadline=None)
@given(lines=LINES, last=st.text("ab", max_size=3), encoding=st.sampled_from(ENCODINGS))
def test_mixed_line_ends_come_back_in_every_encoding(
    lines: list[tuple[str, str]], last: str, encoding: str
) -> None:
    """Mixed ends, with or without a last one, come back byte for byte in each encoding."""
    data = in_bytes("".join(line + end for line, end in lines) + last, encoding)
    found = read(data)
    assert encoded(found.text, found, "a.txt") == data


@settings(max_examples=500, deadline=None)
@given(
    lines=st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=1, max_size=12),
    at=st.integers(0, 11),
    what=st.sampled_from(["insert", "replace", "remove"]),
    whole=st.booleans(),
)
def test_an_edit_touches_no_other_line(lines: list[str], at: int, what: str, whole: bool) -> None:
    """After one line is put in, changed or taken out, each other line has the bytes it had."""
    rows = [f"line {number}{end}".encode() for number, end in enumerate(lines)]
    if not whole:
        rows[-1] = rows[-1].rstrip(b"\r\n")
    before = read(b"".join(rows))
    kept, at = before.text.split("\n"), at % len(lines)
    if what == "remove":
        del kept[at]
    else:
        kept[at : at + (what == "replace")] = ["new"]
    data = encoded("\n".join(kept), before, "a.txt")
    assert isinstance(data, bytes)
    others = [row for number, row in enumerate(rows) if what == "insert" or number != at]
    if what == "remove" and at == len(lines) - 1 and not whole:
        others = [*others[:-1], others[-1].rstrip(b"\r\n")] if others else []
    position = 0
    for row in others:
        position = data.index(row, position) + len(row)


def test_new_lines_take_their_neighbours_end() -> None:
    """Among mixed ends a new line ends like the one before it; unchanged lines stay."""
    assert changed(b"a\r\nb\nc\r\n", "b\n", "b\nnew\n") == b"a\r\nb\nnew\nc\r\n"
    assert changed(b"a\r\nb\nc\r\n", "a\n", "a\nnew\n") == b"a\r\nnew\r\nb\nc\r\n"
    assert changed(b"a\r\nb\nc\rd\n", "c", "x") == b"a\r\nb\nx\rd\n"


def test_crlf_stays_crlf() -> None:
    """A file of one kind of end keeps it on every line, whatever ends the new text came with."""
    before = read(b"a\r\nb\r\n")
    for text in ("a\nx\nb\n", "a\r\nx\r\nb\r\n", "a\nx\r\nb\n"):
        assert encoded(text, before, "a.txt") == b"a\r\nx\r\nb\r\n"


def test_the_end_of_the_last_line_is_kept() -> None:
    """A missing last end stays missing while its line stands; a present one stays."""
    assert changed(b"a\nb", "a\nb", "x\nb\n") == b"x\nb"
    assert changed(b"a\nb", "a\nb", "a\nb\nc\n") == b"a\nb\nc\n"
    assert changed(b"a\nb\n", "a\nb\n", "x\nb") == b"x\nb\n"
    assert changed(b"a\n", "a\n", "") == b""
    assert encoded("a\nb", None, "a.txt") == b"a\nb"


def test_a_text_that_the_encoding_cannot_hold_is_refused() -> None:
    """A letter that Latin-1 or cp1252 lacks is a reason, never a question mark in the file."""
    assert "cannot hold" in str(changed(b"caf\xe9\n", "caf", "\u2192"))
    latin = b"# coding: latin-1\nx = '\xe9'\n"
    assert "iso-8859-1, which cannot hold '\\u2192'" in str(changed(latin, "x", "\u2192", "a.py"))
    assert changed(latin, "x", "\xfc", "a.py") == b"# coding: latin-1\n\xfc = '\xe9'\n"
    assert "surrogate" in str(changed(b"a\n", "a", "\ud800")) or "cannot hold" in str(
        changed(b"a\n", "a", "\ud800")
    )


def test_what_would_be_read_differently_is_refused() -> None:
    """Western bytes that would become valid UTF-8 are no longer what they were: refused."""
    assert "would be read as utf-8" in str(changed(b"\xe9\n", "\xe9", "\xc3\xa9"))
    assert changed(b"\xe9 x\n", "x", "y") == b"\xe9 y\n"


def test_a_coding_comment_decides_and_may_change() -> None:
    """Python's own declaration names the encoding; when it goes, the file becomes UTF-8."""
    latin = b"#!/usr/bin/python\n# -*- coding: latin-1 -*-\nx = '\xe9'\n"
    assert read(latin, "a.py").encoding == "iso-8859-1"
    assert read(latin, "a.txt").encoding == "cp1252"
    assert changed(latin, "# -*- coding: latin-1 -*-\n", "", "a.py") == (
        b"#!/usr/bin/python\nx = '\xc3\xa9'\n"
    )
    assert read(b"x = 1\n# coding: ascii\n'\xc3\xa9'\n", "a.py").encoding == "utf-8"
    assert encoded("# coding: cp1252\n'\xe9'\n", None, "a.py") == b"# coding: cp1252\n'\xe9'\n"
    marked = codecs.BOM_UTF8 + b"x = 1\n"
    assert "byte order mark" in str(changed(marked, "x", "# coding: latin-1\nx", "a.py"))


@pytest.mark.parametrize(
    ("data", "path", "why"),
    [
        (b"a\0b", "a.txt", "NUL"),
        (b"\x89PNG\r\n\x1a\n\0", "a.md", "NUL"),
        (b"# coding: nonsense\n", "a.py", "declares an encoding"),
        (b"# coding: hex\n61\n", "a.py", "no text codec"),
        (b"# coding: utf-8\n'\xe9'\n", "a.py", "cannot be read as utf-8"),
        (codecs.BOM_UTF8 + b"\xe9", "a.txt", "cannot be read as utf-8"),
        (codecs.BOM_UTF16_LE + b"a", "a.txt", "cannot be read as utf-16-le"),
        (b"a" * 5_000_001, "a.txt", "5,000,000 at most"),
    ],
)
def test_what_is_no_text_says_why(data: bytes, path: str, why: str) -> None:
    """Binary, oversized and wrongly declared content is a reason, not a guess."""
    found = decoded(data, path)
    assert isinstance(found, Unreadable)
    assert why in found.reason


def test_a_large_file_of_mixed_ends_is_quick() -> None:
    """A change through 100,000 lines of mixed ends keeps each line's end without comparing all."""
    rows = [b"%d%s" % (n, b"\r\n" if n % 3 else b"\n") for n in range(100_000)]
    before = read(b"".join(rows))
    text = before.text.replace("5", "five")
    data = encoded(text, before, "a.txt")
    assert data == b"".join(rows).replace(b"5", b"five")
