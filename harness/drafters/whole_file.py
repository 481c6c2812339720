"""Asks as a person would in a chat, for whole files: draft 0 is the bare model's own.

Does not cover the words of that request (`prompt.bare`), which the brief brings along.
"""

from __future__ import annotations

from harness.reading import blocks
from harness.road.brief import Brief, sampling, tests_place, tokens
from harness.settings import Settings
from harness.source import splice, splice_tests, symbols
from harness.types import Draft, Fault, Job, JobKind, Message, Request

KINDS: tuple[JobKind, ...] = ("write-test", "fix", "add-function", "rename", "move", "other")
BY_MODEL = True
ORDER = 1

_NAME = "whole-file"
_SHARE = 0.9


def request(brief: Brief, settings: Settings, number: int) -> Request | None:
    """The bare request; later ones only where the files fit into one reply."""
    if not brief.bare:
        return None
    if number and tokens(brief.target() + brief.tests()) > _SHARE * settings.max_tokens:
        return None
    return Request("chat", brief.model, sampling(settings, number), messages=brief.bare)


def read(reply: str, brief: Brief) -> Draft | Fault:
    """Whole files by their path; a part of a file becomes part of it, tests go to their file."""
    default = brief.tests_path() if brief.job.kind == "write-test" else _target(brief)
    known = {**dict.fromkeys(brief.job.files, ""), **brief.files}
    found = blocks.files(reply, known, default)
    if isinstance(found, Fault):
        return _pieces(reply, brief, default, found)
    files, rules = found
    done: dict[str, str] = {}
    for path, text in files.items():
        placed = _placed(path, text, brief)
        done.update(placed)
        if placed != {path: text}:
            rules = (*rules, "part-of-a-file")
    return Draft(done, _NAME, rules=rules)


def _target(brief: Brief) -> str:
    """The file that code without a path belongs to; empty if that is not clear."""
    sources = [p for p in brief.files if p != brief.tests_path() and p.endswith(".py")]
    return brief.job.path or (sources[0] if len(sources) == 1 else "")


def _placed(path: str, text: str, brief: Brief) -> dict[str, str]:
    """A file of the reply, whole; where it drops names of the real one, as parts of that."""
    before = brief.files.get(path, "")
    if not path.endswith(".py") or brief.job.kind in ("rename", "move") or symbols.parses(text):
        return {path: text}
    parted = splice.parted(text)
    strays = bool(parted.tests) and path == brief.job.path and not splice.parted(before).tests
    if path == brief.tests_path() or (strays and not parted.code):
        return _tests(path, text, brief)
    added: dict[str, str] = {}
    if strays:
        text = splice.without_tests(text, brief.dotted())
        added = _tests(brief.tests_path(), parted.tests, brief) if brief.job.wants_test else {}
    if before and symbols.vanished(before, text):
        laid = splice.lay(before, text)
        text = text if isinstance(laid, Fault) else laid
    return {path: text, **added}


def _tests(path: str, text: str, brief: Brief) -> dict[str, str]:
    """Tests of the reply: a whole test file, or what it adds to the one that is there."""
    before = brief.tests()
    place = tests_place(brief)
    whole = not symbols.vanished(before, text) if before else splice_tests.stands_alone(text, place)
    if whole and path == brief.tests_path():
        return {path: text}
    laid = splice_tests.lay(before, text, place)
    return {path: text} if isinstance(laid, Fault) else {brief.tests_path(): laid}


def _pieces(reply: str, brief: Brief, default: str, fault: Fault) -> Draft | Fault:
    """The whole definitions of a reply that leaves lines out elsewhere, laid into the file."""
    text = brief.files.get(default, "")
    before = text
    for block in blocks.fences(reply):
        if block.path in ("", default) and not symbols.parses(block.text):
            laid = splice.lay(text, block.text) if text else fault
            text = text if isinstance(laid, Fault) else laid
    if text == before:
        return fault
    return Draft({default: text}, _NAME, rules=(*fault.rules, "whole-definitions-only"))


_ADD = Brief(
    job=Job("add-function", "add double(x)", "double", "sums.py", signature="double(x)"),
    files={"sums.py": "def half(x):\n    return x / 2\n"},
    test_file="test_sums.py",
    model="m",
    bare=(Message("user", "sums.py ... Task: add double(x)"),),
)
_DOUBLE = "def double(x):\n    return x * 2\n"
_HALF = "def half(x):\n    return x / 2\n"

EXAMPLES = (
    (
        _ADD,
        f"Sure!\n\nsums.py\n```python\n{_HALF}\n\n{_DOUBLE}```\nDone.",
        {"sums.py": f"{_HALF}\n\n{_DOUBLE}"},
    ),
    (_ADD, f"```python\n{_DOUBLE}```", {"sums.py": f"{_HALF}\n\n{_DOUBLE}"}),
    (
        _ADD,
        f"sums.py\n```python\n# ... rest of the code unchanged\n\n{_DOUBLE}```",
        {"sums.py": f"{_HALF}\n\n{_DOUBLE}"},
    ),
    (
        _ADD,
        "sums.py\n```python\nimport unittest\n\nfrom sums import half\n\n\n"
        f"{_HALF}\n\n{_DOUBLE}\n\n"
        "class TestHalf(unittest.TestCase):\n    def test_two(self):\n"
        "        self.assertEqual(half(2), 1)\n\n\n"
        'if __name__ == "__main__":\n    unittest.main()\n```',
        {"sums.py": f"{_HALF}\n\n{_DOUBLE}"},
    ),
)
