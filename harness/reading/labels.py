"""Owns the reading of labelled blocks: an `Action:` header in any dress, then fields and bodies.

Does not cover which of several blocks is kept, nor whether a block is complete (`reply`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.reading import fenced
from harness.reading.found import FREE_TEXT, Found, inline
from harness.reading.verbs import FieldSpec
from harness.reading.vocabulary import Vocabulary

_DRESS = r"[\s>#*_`\"'•+\-\[(]*(?:\d{1,2}[.)]\s*)?[*_`\"'#]*"
_HEADER = re.compile(
    rf"^{_DRESS}(?:(?:next|my|final|first|the)\s+)?action(?:\s*#?\d+)?[*_`\"']*"
    r"\s*(?P<mark>:|=|-|–|—|→|>)?[\s*_`\"'\])]*(?P<rest>.*)$",
    re.IGNORECASE,
)
_WORD = re.compile(r"^[*_`\"'<\[{(]*(?P<word>[A-Za-z][\w-]*)[*_`\"'>\]})]*(?P<tail>.*)$")
_LABEL = re.compile(
    rf"^(?P<dress>{_DRESS})(?P<name>[A-Za-z][\w ]{{0,18}}?)[*_`\"'?]*\s*(?P<mark>:|=)"
    r"[*_]*(?:\s+|$|(?=[^\s:=/]))(?P<value>.*)$"
)
_COPIED = re.compile(r"^\W*field\W*:\s*(?=[A-Z][a-z]+[*?]*\s*:)", re.I)
"""The form's own word before a label: `Field: Path: a.py`."""
_PROSE_LABELS = frozenset(
    [
        "reason",
        "thought",
        "why",
        "explanation",
        "note",
        "notes",
        "rationale",
        "thinking",
        "comment",
        "purpose",
        "goal",
        "output",
        "expected",
    ]
)
_RUN_ON = re.compile(r"^\W{0,3}(?:observation|user|result|system|assistant|human)\W{0,3}:", re.I)
_INPUTS = frozenset({"actioninput", "input", "arguments", "args", "parameters", "params"})


def blocks(text: str, vocabulary: Vocabulary) -> list[Found]:
    """Every labelled block of a reply, in order; blocks with an unknown verb included."""
    return _Reader(text.split("\n"), vocabulary).all()


class _Reader:
    """Goes down the lines once; `at` is the line that is read next."""

    def __init__(self, lines: Sequence[str], vocabulary: Vocabulary) -> None:
        self.lines = lines
        self.vocabulary = vocabulary
        self.at = 0
        self.outer: fenced.Opening | None = None

    def all(self) -> list[Found]:
        """Every block from here to the end."""
        found: list[Found] = []
        while self.at < len(self.lines):
            header = self.header(self.at)
            if header is None:
                self.pass_over()
                continue
            block, self.at = header
            if self.outer is not None:
                block.fire("fence-around-all")
            elif not found and any(line.strip() for line in self.lines[: block.order]):
                block.fire("prose-before")
            if block.meant is not None:
                self.fields(block)
            found.append(block)
        return found

    def pass_over(self) -> None:
        """One line outside any block; keeps track of a fence that is open around."""
        line = self.lines[self.at]
        if self.outer is not None and self.outer.closed_by(line):
            self.outer = None
        elif self.outer is None:
            self.outer = fenced.opening(line)
        self.at += 1

    def header(self, at: int) -> tuple[Found, int] | None:
        """The block whose header stands at a line, and the line after; None for other lines."""
        line = self.lines[at]
        matched = _HEADER.match(line)
        if matched is None or _squeezed_input(line):
            return None
        rest, after = matched["rest"], at + 1
        if not rest.strip(" *_`\"'"):
            after = self.next_filled(at + 1)
            rest = self.lines[after].strip() if after < len(self.lines) else ""
            after += 1
        worded = _WORD.match(rest)
        if worded is None:
            return None
        meant = self.vocabulary.verb(worded["word"])
        tail = worded["tail"].strip()
        if (matched["mark"] is None or after > at + 1) and (meant is None or tail):
            return None
        block = Found(worded["word"], meant, order=at, tail=tail)
        block.fire(*_header_rules(line, worded["word"], after > at + 1, matched["mark"]))
        if meant is not None:
            block.fire(*meant.rules)
        return block, after

    def next_filled(self, at: int) -> int:
        """The next line that is not blank, or the end."""
        while at < len(self.lines) and not self.lines[at].strip():
            at += 1
        return at

    def fields(self, block: Found) -> None:
        """Read the fields of a block whose verb is known, from `at` on."""
        inline(block, self.vocabulary)
        _FieldReader(self, block).read()


@dataclass
class _FieldReader:
    """Reads the fields of one block; knows which field is open."""

    reader: _Reader
    block: Found
    current: FieldSpec | None = None
    raw: list[str] = field(default_factory=list)
    takes_input: bool = False

    def read(self) -> None:
        """Until the next header, the end of the fence around, an invented result, or the end."""
        reader, meant = self.reader, self.block.meant
        assert meant is not None
        if meant.field_word:
            self.current = reader.vocabulary.specs[meant.verb].field(meant.field_word)
            if self.block.tail.lstrip(":").strip():
                self.raw.append(self.block.tail.lstrip(":").strip())
        while reader.at < len(reader.lines):
            line = reader.lines[reader.at]
            if reader.header(reader.at) is not None:
                break
            if self.ends(line):
                break
            if not (self.label(line) or self.fence(line)):
                self.text(line)
                reader.at += 1
        self.close()

    def ends(self, line: str) -> bool:
        """Whether the block ends before this line."""
        outer = self.reader.outer
        if outer is not None and outer.closed_by(line) and not self.awaits_body():
            self.reader.outer = None
            self.reader.at += 1
            return True
        if _RUN_ON.match(line) and not (self.current and self.current.body and self.raw):
            self.block.fire("invented-result-dropped")
            self.reader.at = len(self.reader.lines)
            return True
        return False

    def awaits_body(self) -> bool:
        """Whether the open field is a body of which nothing was read yet."""
        if self.current is None or not self.current.body:
            return False
        return self.current.name not in self.block.values and not any(s.strip() for s in self.raw)

    def label(self, line: str) -> bool:
        """Take a line that begins a field; False for other lines."""
        bare = _COPIED.sub("", line)
        matched = _LABEL.match(bare)
        if matched is None:
            return False
        if bare != line:
            self.block.fire("form-word-as-label")
            line = bare
        meant = self.block.meant
        assert meant is not None
        known = self.reader.vocabulary.field(meant.verb, matched["name"], meant.rename)
        if known is None:
            return self.other_label(matched)
        spec, rules = known
        inside_raw = self.current is not None and self.current.body and bool(self.raw)
        plain = not matched["dress"] and matched["mark"] == ":" and "field-case" not in rules
        plain = plain and matched["name"][0].isupper()
        repeated = spec.name in self.block.values or spec is self.current
        if repeated or ((inside_raw or matched["mark"] == "=") and not plain):
            return False
        self.close()
        self.current = spec
        self.block.fire(*rules)
        if matched["dress"] or re.search(r"[*_`\"']\s*[:=]|[:=]\*", line[: matched.start("value")]):
            self.block.fire("label-decorated")
        value = matched["value"]
        if spec.body and value and fenced.opening(value) is None:
            value = re.sub(r"^[*_]* ?", "", line[matched.end("mark") :])
        self.take_value(value)
        return True

    def other_label(self, matched: re.Match[str]) -> bool:
        """`Reason:` and its like are dropped, `Action Input:` is kept for the end."""
        name = re.sub(r"\W+", "", matched["name"]).casefold()
        inside = self.current is not None and self.current.body and bool(self.raw)
        if inside or name not in _PROSE_LABELS | _INPUTS:
            return False
        self.close()
        self.current = None
        self.takes_input = name in _INPUTS
        if self.takes_input:
            self.block.arguments = matched["value"]
        else:
            self.block.fire("reason-dropped")
        self.reader.at += 1
        return True

    def take_value(self, value: str) -> None:
        """What stands behind a label: a value, or a fence that opens there."""
        reader = self.reader
        start = fenced.opening(value)
        if start is not None and self.current is not None:
            lines = [*reader.lines]
            lines[reader.at] = value
            self.take_block(fenced.block(lines, reader.at))
            return
        if value.strip():
            self.raw.append(value)
        reader.at += 1

    def fence(self, line: str) -> bool:
        """Take a fenced block; False for a line that opens none."""
        if fenced.opening(line) is None:
            return False
        if self.takes_input:
            found = fenced.block(self.reader.lines, self.reader.at)
            self.block.arguments += "\n" + found.text
            self.reader.at = found.after
            return True
        raw_text = any(s.strip() for s in self.raw)
        if self.current is not None and self.current.body and raw_text:
            return self.fence_in_raw(line)
        self.take_block(fenced.block(self.reader.lines, self.reader.at))
        return True

    def fence_in_raw(self, line: str) -> bool:
        """A fence after raw text: part of a Markdown file, a stray line, or the body itself."""
        found = fenced.block(self.reader.lines, self.reader.at)
        if self.block.values.get("Path", "").endswith((".md", ".rst", ".txt")):
            self.raw.extend(self.reader.lines[self.reader.at : found.after])
            self.reader.at = found.after
        elif not found.closed and not found.info:
            self.block.fire("stray-fence-dropped")
            self.reader.at += 1
        else:
            self.raw.clear()
            self.block.fire("prose-before-body-dropped")
            self.take_block(found)
        return True

    def take_block(self, found: fenced.Fenced) -> None:
        """Give a block to the open field if that still waits for one, else keep it as loose."""
        spec = self.current
        self.reader.at = found.after
        if spec is None or spec.name in self.block.values or any(s.strip() for s in self.raw):
            self.close()
            self.current = None
            self.block.loose.append(found)
            return
        self.block.values[spec.name] = found.text
        self.block.bodies.add(spec.name)
        self.block.fire(*found.rules)
        self.raw.clear()

    def text(self, line: str) -> None:
        """One line of text: part of the open field, or prose that is dropped."""
        if self.takes_input:
            self.block.arguments += "\n" + line
        elif self.current is None or self.current.name in self.block.values:
            if self.current is None and not self.block.values:
                self.block.free.append(line)
            if line.strip():
                self.block.fire("text-after-dropped")
        else:
            self.raw.append(line)

    def close(self) -> None:
        """End the open field: its raw lines become its value."""
        spec, raw = self.current, self.raw
        self.raw = []
        self.takes_input = False
        if spec is None or spec.name in self.block.values:
            return
        while raw and not raw[0].strip():
            raw.pop(0)
        if spec.body:
            self.block.values[spec.name] = "\n".join(raw).rstrip()
        elif spec.name in FREE_TEXT:
            self.block.values[spec.name] = "\n".join(raw).strip()
        elif raw:
            self.block.values[spec.name] = raw[0].strip()
            if any(line.strip() for line in raw[1:]):
                self.block.fire("text-after-dropped")


def _squeezed_input(line: str) -> bool:
    """Whether a line is `Action Input:`, which is no header."""
    return bool(re.match(r"^\W*action\W+(?:input|arguments|args|parameters)\b", line, re.I))


def _header_rules(line: str, word: str, two_lines: bool, mark: str | None) -> list[str]:
    """Which ways a header departs from `Action: verb`."""
    rules = []
    if re.match(r"^\s*(?:\d{1,2}[.)]|[-•+>#])", line):
        rules.append("header-listed")
    if re.search(r"[*_`\"']", line.split(word)[0]):
        rules.append("header-decorated")
    if "Action" not in line:
        rules.append("header-case")
    if mark not in (":",):
        rules.append("header-other-mark")
    if two_lines:
        rules.append("header-on-two-lines")
    return rules


def names(text: str) -> list[str]:
    """The labels at the start of lines outside fences, in order."""
    found, at = [], 0
    lines = text.split("\n")
    while at < len(lines):
        if fenced.opening(lines[at]) is not None:
            at = fenced.block(lines, at).after
            continue
        matched = _LABEL.match(lines[at])
        if matched and matched["mark"] == ":" and not lines[at].startswith((" ", "\t")):
            found.append(matched["name"])
        at += 1
    return found


def first(text: str) -> int:
    """Index of the first line that begins with a label; 0 where none does."""
    lines = text.split("\n")
    return next((i for i, line in enumerate(lines) if _LABEL.match(line)), 0)
