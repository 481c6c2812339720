"""Owns the person's own examples: calls with an expected value, spelled in a task, as a check.

Does not cover examples that a model or the helper makes up: those are never proof.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from harness.suite.oracle import Oracle
from harness.tree.scratch import Scratch

MARK = "example-outcomes:"
_SAYS = re.compile(
    r"^\s*`?\s*,?\s*(?:(?:should|must|shall|to)\s+)?"
    r"(?:is|be|==|=>|=|->|→|gives?|returns?|yields?|equals?|are)\s*`?"
)


@dataclass(frozen=True)
class Example:
    """One call that the person wrote, and what they expect of it."""

    call: str
    """As Python, such as `double(4)`."""
    expected: str
    """A literal, as Python."""


@dataclass(frozen=True)
class Outcome:
    """What became of one example."""

    example: Example
    holds: bool
    got: str
    """What came out: a repr, or the exception."""

    def __str__(self) -> str:
        if self.holds:
            return f"{self.example.call} gives {self.example.expected}, as asked"
        return f"{self.example.call} should give {self.example.expected}, got {self.got}"


def in_task(task: str, subject: str) -> tuple[Example, ...]:
    """Examples of calls of the subject in a task's words; empty where it spells none."""
    found = []
    for call, end in _spelled(task, subject):
        says = _SAYS.match(task[end:])
        if says and (value := _literal(task[end + says.end() :])):
            found.append(Example(call, value))
    return tuple(dict.fromkeys(found))


def calls_in(text: str, subject: str) -> tuple[str, ...]:
    """Calls of the subject with literal arguments that a text spells."""
    return tuple(dict.fromkeys(call for call, _ in _spelled(text, subject)))


def _spelled(text: str, subject: str) -> list[tuple[str, int]]:
    """Calls of the subject in a text, each with the index after it."""
    name = subject.rsplit(".", 1)[-1]
    found = []
    for match in re.finditer(rf"\b{re.escape(name)}\(", text) if name else ():
        end = _closing(text, match.end() - 1)
        if end and _is_call(text[match.start() : end]):
            found.append((text[match.start() : end], end))
    return found


def _closing(text: str, start: int) -> int:
    """Index after the bracket that closes the one at `start`; 0 where none does."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return 0


def _is_call(text: str) -> bool:
    """Whether a text is a call with literal arguments: a signature is no example."""
    try:
        tree = ast.parse(text, mode="eval").body
        if not isinstance(tree, ast.Call):
            return False
        for value in [*tree.args, *(k.value for k in tree.keywords)]:
            ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return False
    return True


def _literal(text: str) -> str:
    """The longest Python literal that a text starts with; empty where there is none."""
    head = text.lstrip().split("\n", 1)[0]
    ends = [m.start() for m in re.finditer(r"[\s,.;`)\]}]|$", head)]
    for end in sorted(set(ends) | {e + 1 for e in ends if e < len(head)}, reverse=True):
        if head[:end].rstrip().endswith((",", ".")):
            continue
        try:
            ast.literal_eval(head[:end].strip())
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
        return head[:end].strip()
    return ""


def run(
    examples: Sequence[Example], module: str, subject: str, oracle: Oracle, scratch: Scratch
) -> tuple[Outcome, ...]:
    """Each example, carried out in the throw-away copy."""
    owner = subject.split(".", 1)[0]
    code = _SCRIPT.format(
        module=module, owner=owner, mark=MARK, pairs=[(e.call, e.expected) for e in examples]
    )
    ran = oracle.python(scratch.folder, code)
    line = next((x for x in ran.stdout.splitlines() if x.startswith(MARK)), "")
    if not line:
        last = (ran.stderr.strip().splitlines() or ["it did not end"])[-1]
        return tuple(Outcome(e, False, last) for e in examples)
    said = json.loads(line.removeprefix(MARK))
    return tuple(Outcome(e, holds, got) for e, (holds, got) in zip(examples, said, strict=True))


_SCRIPT = """
import importlib, json
module = importlib.import_module({module!r})
names = dict(vars(module))
said = []
for call, expected in {pairs!r}:
    try:
        got = eval(call, names)
        same = got == eval(expected) and isinstance(got, bool) == isinstance(eval(expected), bool)
        said.append((bool(same), repr(got)[:200]))
    except Exception as error:
        said.append((False, type(error).__name__ + ": " + str(error)[:200]))
print({mark!r} + json.dumps(said))
"""
