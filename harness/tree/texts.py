"""Owns the way between a file's bytes and its text: encoding, BOM and line ends, kept a line each.

Does not cover which files may be read or written (`fence`), nor the writing (`workspace`).
Inside the helper every line ends with a line feed; `encoded` gives each line its own end back.
"""

from __future__ import annotations

import codecs
import difflib
import io
import re
import tokenize
from dataclasses import dataclass

MAX_BYTES = 5_000_000
"""Larger files are not read."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+", re.ASCII)
_BLANK = re.compile(rb"^[ \t\f]*(?:#|$)")
_END = re.compile("\r\n|\r|\n")
_MOST_LINES = 3_000
"""Of a changed stretch of a file with mixed ends; longer ones are not aligned line by line."""


@dataclass(frozen=True)
class Decoded:
    """A file's text and what is needed to give its bytes back."""

    text: str
    """Lines end with a line feed."""
    encoding: str
    """Python's name of the codec, without BOM."""
    bom: bytes
    """Byte order mark; empty where there is none."""
    ends: tuple[str, ...]
    """Each line's own end, in order; the last line has none unless the file ends with one."""

    @property
    def newline(self) -> str:
        """The end that most lines have; a line feed where there is none."""
        if not self.ends:
            return "\n"
        return max(("\n", "\r\n", "\r"), key=self.ends.count)


@dataclass(frozen=True)
class Unreadable:
    """Why bytes are no text, or a text cannot become bytes; one line."""

    reason: str


def decoded(data: bytes, path: str) -> Decoded | Unreadable:
    """A file's bytes as text that `encoded` turns back into the same bytes."""
    if len(data) > MAX_BYTES:
        return Unreadable(f"has {len(data):,} bytes, {MAX_BYTES:,} at most")
    bom, encoding = next(((b, e) for b, e in _BOMS if data.startswith(b)), (b"", ""))
    if not encoding:
        if b"\0" in data:
            return Unreadable("is binary: it holds a NUL byte")
        found = _encoding(data, path)
        if isinstance(found, Unreadable):
            return found
        encoding = found
    body = data[len(bom) :]
    try:
        raw = body.decode(encoding)
        same = raw.encode(encoding) == body
    except (UnicodeError, LookupError) as wrong:
        return Unreadable(f"cannot be read as {encoding}: {wrong}")
    if not same or "\0" in raw:
        return Unreadable(f"does not come back from {encoding} as it was")
    return Decoded(_END.sub("\n", raw), encoding, bom, tuple(_END.findall(raw)))


def encoded(text: str, before: Decoded | None, path: str) -> bytes | Unreadable:
    """The bytes for a text in the file's own manner; a new file is UTF-8 with line feeds.

    Unchanged lines keep their end, new ones take their neighbour's; a missing or present end of
    the last line is kept where that line is unchanged.
    """
    text = _END.sub("\n", text).removeprefix("\ufeff")
    if "\0" in text:
        return Unreadable("would hold a NUL character")
    encoding = _encoding_for(text, before, path)
    if isinstance(encoding, Unreadable):
        return encoding
    if before is not None:
        text = _with_ends(_last_line_kept(text, before), before)
    bom = before.bom if before is not None else b""
    try:
        data = bom + text.encode(encoding)
    except UnicodeEncodeError as wrong:
        held = ascii(wrong.object[wrong.start])
        return Unreadable(f"is kept as {encoding}, which cannot hold {held}")
    except (UnicodeError, LookupError) as wrong:
        return Unreadable(f"cannot be kept as {encoding}: {wrong}")
    back = decoded(data, path)
    if isinstance(back, Unreadable):
        return Unreadable(f"would be unreadable afterwards: it {back.reason}")
    if back.text != _END.sub("\n", text):
        return Unreadable(f"is kept as {encoding}, and would be read as {back.encoding} afterwards")
    return data


def _encoding(data: bytes, path: str) -> str | Unreadable:
    """The codec of bytes without BOM: what Python declares in them, else UTF-8, else Western."""
    if path.endswith((".py", ".pyi")):
        declared = _declared(data)
        if isinstance(declared, Unreadable) or declared:
            return declared
    for encoding in ("utf-8", "cp1252"):
        try:
            data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def _declared(data: bytes) -> str | Unreadable:
    """What a coding comment in the first two lines names; empty where there is none."""
    first, second, *_ = [*re.split(b"\r\n|\r|\n", data, maxsplit=2), b""]
    named = _COOKIE.match(first) or (_BLANK.match(first) and _COOKIE.match(second))
    if not named:
        return ""
    # A byte elsewhere in the line that is no UTF-8 must not hide what it declares.
    line = re.sub(rb"[\x80-\xff]", b"?", named.string) + b"\n"
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(line).readline)
    except SyntaxError as wrong:
        return Unreadable(f"declares an encoding that cannot be used: {wrong.msg}")
    return encoding if _is_for_text(encoding) else Unreadable(f"declares {encoding}, no text codec")


def _is_for_text(encoding: str) -> bool:
    """Whether a codec turns text into bytes; `hex` and its like do not."""
    try:
        "a".encode(encoding)
    except (LookupError, UnicodeError):
        return False
    return True


def _encoding_for(text: str, before: Decoded | None, path: str) -> str | Unreadable:
    """The codec to write a text with: the file's own, unless its coding comment changed."""
    own = before.encoding if before is not None else "utf-8"
    if not path.endswith((".py", ".pyi")) or (before is not None and "16" in own + "32" in own):
        return own
    now = _declared(text.encode("utf-8", "surrogatepass"))
    if isinstance(now, Unreadable):
        return now
    was = _declared(before.text.encode("utf-8", "surrogatepass")) if before is not None else ""
    if now == was:
        return own
    if before is not None and before.bom and now not in ("", "utf-8"):
        return Unreadable(f"has a UTF-8 byte order mark, and cannot declare {now}")
    return now or "utf-8"


def _last_line_kept(text: str, before: Decoded) -> str:
    """The text with or without a last line end, as the file had it.

    A file that ended with one keeps one; one that did not keeps none while its last line stands.
    """
    if not text or not before.text:
        return text
    if before.text.endswith("\n"):
        return text if text.endswith("\n") else text + "\n"
    last = before.text.rsplit("\n", 1)[-1]
    if text.endswith("\n") and text[:-1].rsplit("\n", 1)[-1] == last:
        return text[:-1]
    return text


def _with_ends(text: str, before: Decoded) -> str:
    """The text with each line's own end; uniform files take the quick way."""
    kinds = set(before.ends)
    if len(kinds) <= 1:
        return text.replace("\n", before.newline)
    lines = text.split("\n")
    ends = _aligned(before.text.split("\n"), lines, before)
    return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


def _aligned(old: list[str], new: list[str], before: Decoded) -> list[str]:
    """An end for each line of `new` but the last, taken from the line it was."""
    own = [*before.ends, before.newline]
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    ends: list[str] = own[:head]
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    for block_old, size in _blocks(middle_old, middle_new):
        for at in range(size):
            known = head + block_old[at] if at < len(block_old) else -1
            near = ends[-1] if ends else before.newline
            ends.append(own[known] if known >= 0 else near)
    ends += own[len(old) - tail :][:tail]
    return ends[: len(new) - 1]


def _blocks(old: list[str], new: list[str]) -> list[tuple[range, int]]:
    """Stretches of `new` in order: lines of `old` that each stands for, and how many it has."""
    if len(old) > _MOST_LINES or len(new) > _MOST_LINES:
        return [(range(len(old)), len(new))]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [(range(i1, i2), j2 - j1) for _, i1, i2, j1, j2 in matcher.get_opcodes()]
