"""Owns the generous reading of a bare model's reply: whole files by path, or one body of code.

Does not cover Actions (`reply`).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.reading import calls, cleaning, fenced, laying, paths
from harness.reading import diffs as diffing
from harness.types import Fault

_SHELL = frozenset(
    {"bash", "sh", "shell", "console", "text", "txt", "plaintext", "plain", "output"}
)
_MARKDOWN = (".md", ".rst", ".txt")
_AGAIN = "Reply with the complete new content of every file that changes, each in a fenced code block with the file's path on the line above it."  # noqa: E501


@dataclass(frozen=True)
class Block:
    """One fenced block of a reply."""

    lang: str
    """Language word, lower case; empty where there is none."""
    text: str
    """What is in the fence, without the line end before the closing one."""
    path: str
    """Path in its info string, on the line above, or in its first comment; else empty."""
    closed: bool
    """Whether a closing fence was found."""
    where: str = ""
    """Where the path stood: `info`, `above`, `comment`; empty where none did."""
    rules: tuple[str, ...] = ()
    """Reading rules that were needed."""


def fences(text: str) -> list[Block]:
    """Every fenced block of a reply, in order, with the path that goes with it, if one does."""
    lines = text.split("\n")
    found, at, last = [], 0, 0
    while at < len(lines):
        if fenced.opening(lines[at]) is None:
            at += 1
            continue
        one = fenced.block(lines, at)
        path, where = _path_of(one, lines[last:at])
        found.append(Block(one.lang, one.text, path, one.closed, where, one.rules))
        at = last = one.after
    return found


def _path_of(one: fenced.Fenced, above: Sequence[str]) -> tuple[str, str]:
    """The path that goes with a block, and where it stood."""
    if path := paths.in_info(one.info):
        return path, "info"
    line = next((line for line in reversed(above) if line.strip()), "")
    if path := paths.in_line(line):
        return path, "above"
    for first in one.text.split("\n")[:2]:
        if path := paths.in_line(first, comment=True):
            return path, "comment"
        if not first.startswith("#!"):
            break
    return "", ""


def files(
    text: str, known: Collection[str] | Mapping[str, str], default: str = ""
) -> tuple[dict[str, str], tuple[str, ...]] | Fault:
    """A bare model's reply as whole files by path, each ended by a line feed, and the rules fired.

    `known`: the project's files, best with their texts, since a diff, and code without a path, can
    only be placed by text. `default`: the file for code without a path. A Fault where nothing can
    be placed, where two known files are meant by one name, or where lines are left out.
    """
    cleaned, rules = cleaning.clean(text)
    if fault := cleaning.hopeless(cleaned):
        return Fault(fault.reason, _AGAIN, rules)
    texts: Mapping[str, str] = known if isinstance(known, Mapping) else {}
    reading = _Files(tuple(known), texts, default, list(rules))
    fault = reading.take_edits(cleaned) or reading.take_blocks(cleaned) or reading.fault
    if fault is not None:
        return Fault(fault.reason, fault.next_action, tuple(reading.rules))
    return reading.found, tuple(reading.rules)


class _Files:
    """Gathers files out of one reply."""

    def __init__(
        self, known: Sequence[str], texts: Mapping[str, str], default: str, rules: list[str]
    ) -> None:
        self.known = known
        self.texts = texts
        self.default = default
        self.rules = rules
        self.found: dict[str, str] = {}
        self.fault: Fault | None = None

    def fire(self, *rules: str) -> None:
        """Note rules, each once."""
        self.rules.extend(rule for rule in rules if rule not in self.rules)

    def take_edits(self, text: str) -> Fault | None:
        """Diffs and SEARCH/REPLACE blocks, laid into the texts that are known."""
        for edit in diffing.edits(text):
            name = edit.path or self.default
            path = paths.among(name, self.known) if name else ""
            if not path:
                return Fault(f"the edit's file is not clear: {name or 'no path'}", _AGAIN)
            before = self.found.get(path, self.texts.get(path, ""))
            if not before and not edit.new_file:
                return Fault(f"the reply is an edit of {path}, whose text is not known", _AGAIN)
            after = laying.apply(before, edit)
            if isinstance(after, Fault):
                return Fault(f"{path}: {after.reason}", _AGAIN)
            self.fire("search-replace-block" if edit.kind == "search-replace" else "unified-diff")
            self.found[path] = after if after.endswith("\n") else after + "\n"
        return self._elided() if self.found else None

    def take_blocks(self, text: str) -> Fault | None:
        """Fenced blocks, or a reply that is bare code; nothing where edits were found."""
        if self.found:
            return None
        blocks = [part for b in fences(text) for part in self._parted(b) if part.text.strip()]
        blocks = self._without_calls(blocks, text)
        if self.found:
            return self._elided()
        named = [b for b in blocks if b.path and paths.among(b.path, self.known) != ""]
        for block in named:
            self._named(block)
        if self.fault is None:
            self._unnamed([b for b in blocks if not b.path and b.lang not in _SHELL], bool(named))
        if self.fault is None and not self.found:
            self._unfenced(text if not blocks else "")
        if self.fault is None and not self.found:
            return Fault("the reply holds no file", _AGAIN)
        return self.fault or self._elided()

    def _parted(self, block: Block) -> list[Block]:
        """A block that holds several files, each under a comment with its path, as one for each."""
        if not block.path:
            return [block]
        lines = block.text.split("\n")
        heads = [i for i, line in enumerate(lines) if i > 1 and self._begins_file(line, block.path)]
        if not heads:
            return [block]
        self.fire("several-files-in-a-fence")
        found = [replace(block, text="\n".join(lines[: heads[0]]))]
        for start, end in zip(heads, [*heads[1:], len(lines)], strict=True):
            path = paths.in_line(lines[start], comment=True)
            body = "\n".join(lines[start:end])
            found.append(replace(block, text=body, path=path, where="comment", rules=()))
        return found

    def _begins_file(self, line: str, own: str) -> bool:
        """Whether a line is a flush comment that names another file, a known one or a test's."""
        path = paths.in_line(line, comment=True) if line.startswith("#") else ""
        return bool(path) and path != own and (path in self.known or "/" in path)

    def _without_calls(self, blocks: Sequence[Block], text: str) -> list[Block]:
        """Blocks that are no tool calls; a call that writes a file is read as that file."""
        kept = [b for b in blocks if not calls.looks_like_call(b.text)]
        if len(kept) == len(blocks) and (blocks or not calls.looks_like_call(text)):
            return kept
        for call in calls.in_json(text):
            named = {key.casefold(): value for key, value in call.arguments.items()}
            name = next(
                (named[k] for k in ("path", "file", "filename", "file_path") if k in named), ""
            )
            body = next((named[k] for k in ("content", "body", "code", "text") if k in named), "")
            path = paths.among(name, self.known) if paths.is_path(name) else None
            if path and body.strip():
                self.fire("tool-call-as-file")
                self.found[path] = body if body.endswith("\n") else body + "\n"
        if not self.found and not kept:
            self.fault = Fault("the reply is a tool call in JSON, not a file", _AGAIN)
        return kept

    def _named(self, block: Block) -> None:
        """A block with a path: its file; of several for one file the one with more of it."""
        path = paths.among(block.path, self.known)
        if path is None:
            twins = [f for f in self.known if f.rsplit("/", 1)[-1] == block.path.rsplit("/", 1)[-1]]
            if self.default not in twins:
                self.fault = Fault(f"{block.path} may be {' or '.join(sorted(twins))}", _AGAIN)
                return
            path = self.default
        self.fire(f"path-{block.where}", *block.rules)
        if path != block.path:
            self.fire("path-made-known")
        text = block.text
        if block.where == "comment" and not self._has_line(path, text):
            text = _without_path_line(text)
            self.fire("path-line-dropped")
        self._put(path, text)

    def _has_line(self, path: str, text: str) -> bool:
        """Whether the file's own text begins with that comment too."""
        return self.texts.get(path, "").split("\n")[0].strip() == text.split("\n")[0].strip()

    def _put(self, path: str, text: str) -> None:
        """A file's text, unless an earlier block holds more of its definitions."""
        code = fenced.moved_left(text) if path.endswith((".py", ".pyi")) else text
        if code != text:
            self.fire("dedented")
        code = code.strip("\n") + "\n" if code.strip() else ""
        earlier = self.found.get(path)
        if earlier is not None:
            self.fire("one-of-several-kept")
            if len(fenced.definitions(earlier)) > len(fenced.definitions(code)):
                return
        self.found[path] = code

    def _unnamed(self, blocks: Sequence[Block], others: bool) -> None:
        """Blocks without a path: by overlap with a known file, else the default."""
        coded = [b for b in blocks if fenced.definitions(textwrap.dedent(b.text))]
        if not coded and not others:
            coded = sorted(blocks, key=lambda b: len(b.text))[-1:]
        for block in coded:
            path = self._owner(block.text) or self.default
            if not path or (others and path in self.found):
                continue
            self.fire(
                "path-by-content" if self._owner(block.text) else "path-by-default", *block.rules
            )
            self._put(path, block.text)
        if coded and not self.found:
            self.fault = Fault("the code does not say which file it is", _AGAIN)

    def _owner(self, text: str) -> str:
        """The known file that shares most top-level definitions with a text, if one does."""
        names = set(fenced.definitions(textwrap.dedent(text)))
        shared = {
            path: len(names & set(fenced.definitions(body))) for path, body in self.texts.items()
        }
        best = max(shared.values(), default=0)
        owners = [path for path, count in shared.items() if count == best]
        if best == 0 or (len(owners) > 1 and self.default not in owners):
            return ""
        return owners[0] if len(owners) == 1 else self.default

    def _unfenced(self, text: str) -> None:
        """A reply that is code without any fence."""
        found = code(text) if text else Fault("no code", _AGAIN)
        if isinstance(found, Fault):
            return
        path = self._owner(found[0]) or self.default
        if path:
            self.fire(*found[1])
            self._put(path, found[0])

    def _elided(self) -> Fault | None:
        """The Fault of a file with lines left out that its own text does not have."""
        for path, text in self.found.items():
            line = cleaning.elision(text, markdown=path.endswith(_MARKDOWN))
            if line and line not in self.texts.get(path, ""):
                return Fault(f"{path} leaves lines out: {line[:80]}", _AGAIN)
        return None


def _without_path_line(text: str) -> str:
    """A block's text without the comment that names its path."""
    lines = text.split("\n")
    drop = 0 if paths.in_line(lines[0], comment=True) else 1
    del lines[drop]
    return "\n".join(lines)


def code(text: str) -> tuple[str, tuple[str, ...]] | Fault:
    """The one body of Python in a reply, ended by a line feed, and the rules that were needed.

    The longest block that parses; without a fence the whole reply, or its longest part that is
    code. A Fault where there is none, or where it leaves lines out.
    """
    cleaned, rules = cleaning.clean(text)
    if fault := cleaning.hopeless(cleaned):
        return Fault(fault.reason, _CODE_AGAIN, rules)
    found = _from_fences(cleaned) or _from_lines(cleaned)
    if found is None:
        return Fault("the reply holds no Python that parses", _CODE_AGAIN, rules)
    if line := cleaning.elision(found[0]):
        return Fault(f"the code leaves lines out: {line[:80]}", _CODE_AGAIN, (*rules, *found[1]))
    return found[0].strip("\n") + "\n", (*rules, *found[1])


_CODE_AGAIN = "Reply with the complete code in one fenced code block."


def _from_fences(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The longest Python block that parses, with or without moving it left."""
    best: tuple[str, tuple[str, ...]] | None = None
    for block in fences(text):
        if block.lang in _SHELL or calls.looks_like_call(block.text):
            continue
        body, rules = block.text, ("fence-dropped", *block.rules)
        if not fenced.parses(body):
            body, rules = textwrap.dedent(body), (*rules, "dedented")
        if fenced.parses(body) and body.strip() and (best is None or len(body) > len(best[0])):
            best = body, rules
    return best


def _from_lines(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Code without a fence: the whole, or from the first line that begins code to the last."""
    lines = [line for line in text.split("\n") if fenced.opening(line) is None]
    starts = [i for i, line in enumerate(lines) if _BEGINS.match(line)]
    whole = textwrap.dedent("\n".join(lines)).strip("\n")
    if starts and fenced.parses(whole):
        return whole, ("code-without-fence",)
    for start in starts[:5]:
        for end in range(len(lines), start, -1):
            piece = textwrap.dedent("\n".join(lines[start:end]))
            if fenced.parses(piece):
                return piece, ("code-without-fence", "prose-dropped")
    return None


_BEGINS = re.compile(
    r"^\s*(?:@\w|(?:async\s+)?def \w+\s*\(|class \w+|import \w|from [\w.]+ import "
    r"|[A-Za-z_]\w*\s*(?::[^=]+)?=[^=])"
)


def diffs(text: str) -> list[tuple[str, str]]:
    """Every diff of a reply as path (empty where none is named) and text; SEARCH/REPLACE too."""
    return [(edit.path, edit.text) for edit in diffing.edits(text)]


def apply_diff(text: str, diff: str) -> str | Fault:
    """A file's text after a diff of it, placed by content, not line numbers; else why not."""
    found = list(_edits_of(diff))
    if not found:
        return Fault("there is no change in the diff", "Give the removed lines with -, new with +.")
    for edit in found:
        after = laying.apply(text, edit)
        if isinstance(after, Fault):
            return after
        text = after
    return text


def _edits_of(diff: str) -> Iterator[diffing.Edit]:
    """The edits of a text that is known to be a diff, with or without a head."""
    yield from diffing.edits(diff) or diffing.edits(f"```diff\n{diff}\n```")
