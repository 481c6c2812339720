"""Owns the reading of labelled blocks: an `Action:` header in any dress, then fields and bodies.

Does not cover which of several blocks is kept, nor whether a block is complete (`reply`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness import fenced
from harness.verbs import FieldSpec
from harness.vocabulary import Meant, Vocabulary

_DRESS = r"[\s>#*_`\"'•+\-\[(]*(?:\d{1,2}[.)]\s*)?[*_`\"'#]*"
_HEADER = re.compile(
    rf"^{_DRESS}(?:(?:next|my|final|first|the)\s+)?action(?:\s*#?\d+)?[*_`\"']*"
    r"\s*(?P<mark>:|=|-|–|—|→|>)?[\s*_`\"'\])]*(?P<rest>.*)$",
    re.IGNORECASE,
)
_WORD = re.compile(r"^[*_`\"'<\[{(]*(?P<word>[A-Za-z][\w-]*)[*_`\"'>\]})]*(?P<tail>.*)$")
_LABEL = re.compile(
    rf"^(?P<dress>{_DRESS})(?P<name>[A-Za-z][\w ]{{0,18}}?)[*_`\"']*\s*(?P<mark>:|=)"
    r"[*_]*(?:\s+|$|(?=[^\s:=/]))(?P<value>.*)$"
)
_REASON = re.compile(
    r"^(?:[-–—(]|because\b|since\b|to\b|so\b|as\b|for\b|in order\b|and\b|then\b|with\b|#|//)", re.I
)
_JOINT = re.compile(r"[\s,;|–—(:-]*(?:with|using|where|and|on|the)?[\s*_`]*", re.I)
_PROSE_LABELS = frozenset(
    "reason thought why explanation note notes rationale thinking comment purpose goal output "
    "expected".split()
)
_RUN_ON = re.compile(r"^\W{0,3}(?:observation|user|result|system|assistant|human)\W{0,3}:", re.I)
_INPUTS = frozenset({"actioninput", "input", "arguments", "args", "parameters", "params"})
FREE_TEXT = frozenset({"Summary", "Options"})
"""Fields without a fence that may go on over several lines."""


@dataclass
class Found:
    """A block as it stands in the reply."""

    word: str
    """Verb as it was written."""
    meant: Meant | None
    """What the verb means; None where it is no known one."""
    values: dict[str, str] = field(default_factory=dict)
    """By field name."""
    rules: list[str] = field(default_factory=list)
    """Reading rules that were needed."""
    loose: list[fenced.Fenced] = field(default_factory=list)
    """Fenced blocks that stand under no label."""
    arguments: str = ""
    """Text under `Action Input`, which may be JSON or a bare value."""
    tail: str = ""
    """What stands after the verb in the header's line."""
    order: int = 0
    """Line where it begins."""
    bodies: set[str] = field(default_factory=set)
    """Fields whose value came out of a fence."""

    def fire(self, *rules: str) -> None:
        """Note rules, each once."""
        self.rules.extend(rule for rule in rules if rule not in self.rules)


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
        _inline(block, self.vocabulary)
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
        matched = _LABEL.match(line)
        if matched is None:
            return False
        meant = self.block.meant
        assert meant is not None
        known = self.reader.vocabulary.field(meant.verb, matched["name"], meant.rename)
        if known is None:
            return self.other_label(matched)
        spec, rules = known
        inside_raw = self.current is not None and self.current.body and bool(self.raw)
        plain = not matched["dress"] and matched["mark"] == ":" and not rules
        repeated = spec.name in self.block.values or spec is self.current
        if repeated or ((inside_raw or matched["mark"] == "=") and not plain):
            return False
        self.close()
        self.current = spec
        self.block.fire(*rules)
        if matched["dress"] or re.search(r"[*_`\"']\s*[:=]|[:=]\*", line[: matched.start("value")]):
            self.block.fire("label-decorated")
        self.take_value(matched["value"])
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


def _inline(block: Found, vocabulary: Vocabulary) -> None:
    """Fields that stand in the header's own line: `Action: read Path: a.py`."""
    meant = block.meant
    assert meant is not None
    names = [f.name for f in vocabulary.specs[meant.verb].fields]
    if not names or not block.tail:
        return
    pattern = re.compile(rf"[*_`]*\b({'|'.join(map(re.escape, names))})[*_`]*\s*[:=]\s*", re.I)
    starts = list(pattern.finditer(block.tail))
    if not starts or not _JOINT.fullmatch(block.tail[: starts[0].start()]):
        return
    for one, following in zip(starts, [*starts[1:], None], strict=True):
        value = block.tail[one.end() : following.start() if following else None]
        known = vocabulary.field(meant.verb, one[1])
        if known and value.strip(" ,;|)*_"):
            block.values[known[0].name] = value.strip(" ,;|)*_")
    block.tail = ""
    block.fire("fields-on-header")


def value_of_tail(tail: str, name: str) -> str:
    """What follows the verb in its line as the value of a field; empty where it is a reason."""
    text = tail.strip().lstrip(":").strip()
    if not text or _REASON.match(text):
        return ""
    if name == "Path":
        return text if re.fullmatch(r"[`\"'*<(]*[\w./\\-]+\.\w+[`\"'*>)]*", text) else ""
    if name in FREE_TEXT:
        return text
    quoted = re.fullmatch(r"[`\"'](.+)[`\"']", text)
    return quoted[1] if quoted else (text if len(text.split()) == 1 else "")


def tidy(name: str, value: str) -> tuple[str, tuple[str, ...]]:
    """A one-line value without quotes, ticks and what follows a path; the rules needed."""
    rules: tuple[str, ...] = ()
    text = value.strip()
    for left, right in (("**", "**"), ("`", "`"), ('"', '"'), ("'", "'"), ("<", ">")):
        if text.startswith(left) and text.endswith(right) and len(text) > len(left + right):
            inner = text[len(left) : len(text) - len(right)]
            if left not in inner and not (left == "<" and " " in inner):
                text, rules = inner.strip(), (*rules, "value-unquoted")
    if name == "Path":
        first = re.match(r"^[`\"'*]*([\w./\\~@+-]*\w)[`\"'*]*(?::\d+(?:-\d+)?|[\s,;(].*|:)?$", text)
        if first and first[1] != text and re.search(r"[./\\]", first[1]):
            text, rules = first[1], (*rules, "value-trimmed")
    return text, rules


def arguments(values: Mapping[str, str], block: Found, vocabulary: Vocabulary) -> None:
    """Put named arguments into a block's fields, by any word for them."""
    assert block.meant is not None
    for label, value in values.items():
        known = vocabulary.field(block.meant.verb, label, block.meant.rename)
        if known is not None and known[0].name not in block.values:
            block.values[known[0].name] = value
            block.fire(*known[1])


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
