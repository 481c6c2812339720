"""Owns a block as a reader found it, and the tidying of what stands in its one-line places.

Does not cover finding blocks in a reply (`labels`), nor judging them (`complete`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.reading import fenced
from harness.reading.vocabulary import Meant, Vocabulary

_REASON = re.compile(
    r"^(?:[-–—(]|because\b|since\b|to\b|so\b|as\b|for\b|in order\b|and\b|then\b|with\b|#|//)", re.I
)
_JOINT = re.compile(r"[\s,;|–—(:-]*(?:with|using|where|and|on|the)?[\s*_`]*", re.I)
FREE_TEXT = frozenset({"Summary", "Options", "Question"})
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
    free: list[str] = field(default_factory=list)
    """Lines that stand under no label."""
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


def inline(block: Found, vocabulary: Vocabulary) -> None:
    """Fields that stand in the header's own line: `Action: read Path: a.py`."""
    meant = block.meant
    assert meant is not None
    names = [f.name for f in vocabulary.specs[meant.verb].fields]
    if not names or not block.tail:
        return
    pattern = re.compile(rf"[*_`]*\b({'|'.join(map(re.escape, names))})[*_`?]*\s*[:=]\s*", re.I)
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
    if called := re.fullmatch(r"\(\s*([`\"'])(.+)\1\s*\)\W*", text):
        return called[2]
    if name == "Path":
        named = re.fullmatch(r"[`\"'*<(]*([\w./\\-]+\.\w+)[`\"'*>)]*", text)
        return named[1] if named else ""
    if not text or _REASON.match(text):
        return ""
    if name in FREE_TEXT:
        return text if name != "Question" or "?" in text else ""
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
