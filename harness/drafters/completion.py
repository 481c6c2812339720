"""Lets the model go on with a file after a signature and a docstring, without a chat.

Does not cover fixes, where there is a body already.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace

from harness.road import readings
from harness.road.brief import Brief, sampling, signature_line
from harness.settings import Settings
from harness.source import splice, symbols, syntax
from harness.types import Draft, Fault, Job, JobKind, Request

KINDS: tuple[JobKind, ...] = ("add-function", "write-test")
BY_MODEL = True
ORDER = 3

_NAME = "completion"
_MAX_TOKENS = 500
_HEAD_CHARS = 6000
_WIDTH = 84
_STOPS = ("\ndef ", "\nclass ", "\nif __name__", "\n@", "\n```", "\nasync def ", "\n# ")
_LEAD = re.compile(
    r"^\W*(?:please\s+)?(?:add|write|create|implement|make|define)\s+(?:an?\s+|the\s+)?(?:new\s+)?"
    r"(?:python\s+)?(?:function|method|helper)?\s*(?:called\s+|named\s+)?`?[\w.]+\s*"
    r"(?:\([^()]*\))?`?\s*(?:(?:to|in|into)\s+(?:the\s+)?(?:file\s+|module\s+)?`?[\w./]+`?\s*)?"
    r"[,:;.]?\s*(?:that|which|to|and)?\s*(?:it\s+)?",
    re.IGNORECASE,
)


def request(brief: Brief, settings: Settings, number: int) -> Request | None:
    """The file up to the gap; None where no signature is known."""
    prompt = _prompt(brief)
    if not prompt:
        return None
    cut = replace(sampling(settings, number, _MAX_TOKENS), stop=_stops(brief))
    return Request("complete", brief.model, cut, prompt=prompt)


def _stops(brief: Brief) -> tuple[str, ...]:
    """Texts that end the body; servers take few of them, so the likeliest come first."""
    return _STOPS if brief.job.kind == "add-function" else ("\nif __name__", "\n```", "\nclass ")


def _prompt(brief: Brief) -> str:
    """Everything before the gap; empty where none can be made."""
    if brief.job.kind == "write-test":
        return _test_prompt(brief) if brief.symbol_source else ""
    head = _head(brief)
    return _before_guard(brief.target()) + head if head else ""


def _head(brief: Brief) -> str:
    """The signature and a docstring of the task's words; empty where no signature is spelled."""
    line = signature_line(brief)
    if not line or "." in brief.job.subject:
        return ""
    words = textwrap.wrap(docstring(brief.job.task), _WIDTH, break_long_words=False)
    if len(words) == 1:
        return f'{line}:\n    """{words[0]}"""\n'
    return f'{line}:\n    """' + "\n    ".join([*words, '"""']) + "\n"


def docstring(task: str) -> str:
    """The task's words as a docstring: without `Add a function f(x) that`, safe inside quotes."""
    words = " ".join(task.split())
    rest = _LEAD.sub("", words, count=1)
    rest = rest if len(rest.split()) > 1 else words
    rest = rest.replace("\\", "\\\\").replace('"""', "'''").rstrip()
    rest = rest[:1].upper() + rest[1:]
    return rest + (" " if rest.endswith('"') else "" if rest.endswith((".", "!", "?")) else ".")


def _before_guard(text: str) -> str:
    """A file up to its main guard, at most its last part, ended by two blank lines."""
    rows = syntax.lines(text)
    at = next((i for i, row in enumerate(rows) if row.startswith("if __name__")), len(rows))
    before = "".join(rows[:at]).rstrip("\n")
    if len(before) > _HEAD_CHARS:
        cut = before.find("\n\n\n", len(before) - _HEAD_CHARS)
        before = before[cut + 3 :] if cut >= 0 else before[-_HEAD_CHARS:]
    return before + "\n\n\n" if before else ""


def _test_prompt(brief: Brief) -> str:
    """The subject's source, then the test file up to the body of a new test."""
    shown = f"# {brief.job.path}\n{brief.symbol_source.rstrip()}\n\n\n# {brief.tests_path()}\n"
    return shown + _test_head(brief)


def _test_head(brief: Brief) -> str:
    """A test file's imports and the first line of a test."""
    name = re.sub(r"\W+", "_", brief.job.subject)
    if brief.conventions == "pytest":
        return f"{brief.import_line()}\n\n\ndef test_{name}():\n"
    first = f"import unittest\n\n{brief.import_line()}\n\n\n"
    return f"{first}class Test{_camel(name)}(unittest.TestCase):\n    def test_{name}(self):\n"


def _camel(name: str) -> str:
    """A name as part of a class's name."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def read(reply: str, brief: Brief) -> Draft | Fault:
    """The indented lines of the reply below the signature, laid into the file."""
    testing = brief.job.kind == "write-test"
    head = _test_head(brief) if testing else _head(brief)
    if not head:
        return Fault("there is no signature to go on from", "")
    code = _whole(head, reply, "        " if testing and "class " in head else "    ")
    if isinstance(code, Fault):
        return code
    if testing:
        return readings.added_tests(code, brief, _NAME, ("body-after-signature",))
    laid = splice.lay(brief.target(), code)
    if isinstance(laid, Fault):
        return laid
    return Draft({brief.job.path: laid}, _NAME, rules=("body-after-signature",))


def _whole(head: str, reply: str, indent: str) -> str | Fault:
    """Head and body in one text, cut where the body ends or no longer parses."""
    body = _body(reply, indent)
    while body:
        text = head + "\n".join(body) + "\n"
        if not symbols.parses(text):
            return text
        body = body[:-1]
    return Fault("there is no body that parses", "go on with the body, indented")


def _body(reply: str, indent: str) -> list[str]:
    """The lines of a reply that belong to the body, at their depth."""
    lines = reply.replace("\r\n", "\n").replace("\t", "    ").split("\n")
    lines = [line for line in lines if not line.lstrip().startswith("```")]
    while lines and not lines[0].strip():
        lines.pop(0)
    if lines and not lines[0].startswith(" "):
        # The model left the first indentation to the prompt.
        lines[0] = indent + lines[0]
    flush = [i for i, line in enumerate(lines) if line.strip() and not line.startswith(" ")]
    lines = lines[: flush[0]] if flush else lines
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


_TEXT = "def half(x):\n    return x / 2\n"
_ADD = Brief(
    job=Job(
        "add-function",
        "Add a function double(x) to sums.py that returns twice x",
        "double",
        "sums.py",
        signature="double(x)",
    ),
    files={"sums.py": _TEXT},
    model="m",
)
_TEST = Brief(
    job=Job("write-test", "write a test for half", "half", "sums.py", "test_sums.py"),
    files={"sums.py": _TEXT},
    symbol_source=_TEXT,
    test_file="test_sums.py",
    conventions="pytest",
    model="m",
)

EXAMPLES = (
    (
        _ADD,
        "    return 2 * x\n\nprint(double(3))",
        {"sums.py": f'{_TEXT}\n\ndef double(x):\n    """Returns twice x."""\n    return 2 * x\n'},
    ),
    (
        _TEST,
        "    assert half(4) == 2\n\n\n",
        {"test_sums.py": "from sums import half\n\n\ndef test_half():\n    assert half(4) == 2\n"},
    ),
)
