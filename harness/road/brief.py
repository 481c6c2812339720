"""Owns what a drafter is given of a job, frozen, and the small pieces that its requests share.

Does not cover choosing what goes into it (`context`) nor the words of each request (`drafters/`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from harness.settings import Settings
from harness.source import symbols
from harness.source.splice_tests import Place
from harness.types import Job, Message, Request, Sampling

CHARS_PER_TOKEN = 4
LATER_TEMPERATURE = 0.7


@dataclass(frozen=True)
class Brief:
    """All that a drafter may know; two equal ones give equal requests."""

    job: Job
    """What was asked."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Text by relative path of what a model may need: the target and its test, if they exist."""
    symbol_source: str = ""
    """Source of the subject; empty where it is not there yet or not known."""
    signatures: tuple[str, ...] = ()
    """One line each of what the subject calls, such as `def total(prices)  # shop/sums.py`."""
    evidence: str = ""
    """Executed facts: source of the failing test, its error with values; of a repair, the error."""
    test_file: str = ""
    """Relative path of the test file to write, there or not; empty if not known."""
    model: str = ""
    """Name as the server knows it."""
    conventions: Literal["pytest", "unittest"] = "unittest"
    """How the project's own tests are run."""
    project_rules: str = ""
    """What the project's rules file says, at most 1,200 characters."""
    bare: tuple[Message, ...] = ()
    """What a person would paste into a chat; empty where it does not fit."""
    module: str = ""
    """Dotted name by which tests import the target; empty to read it off tests and path."""

    def size(self) -> int:
        """Tokens of all that it holds, estimated at four characters each."""
        texts = [*self.files.values(), *self.signatures, self.evidence, self.project_rules]
        texts += [self.job.task, self.symbol_source, *(m.content for m in self.bare)]
        return tokens("".join(texts))

    def target(self) -> str:
        """Text of the file that holds the subject, or shall hold it; empty where it is new."""
        return self.files.get(self.job.path, "")

    def tests(self) -> str:
        """Text of the test file; empty where it is new."""
        return self.files.get(self.tests_path(), "")

    def tests_path(self) -> str:
        """Relative path of the test file, a usual one where none is known."""
        stem = self.job.path.rsplit("/", 1)[-1].removesuffix(".py")
        return self.test_file or self.job.test_path or f"tests/test_{stem or 'module'}.py"

    def name(self) -> str:
        """Last part of the subject's name."""
        return self.job.subject.rsplit(".", 1)[-1]

    def imported_name(self) -> str:
        """The name that a test imports to reach the subject: its class, or itself."""
        return self.job.subject.split(".", 1)[0]

    def dotted(self) -> str:
        """Dotted name by which tests import the target: given, as the tests do, else by path."""
        if self.module:
            return self.module
        stem = self.job.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for name in _imported(self.tests()):
            if stem == name or stem.endswith(f".{name}"):
                return name
        return stem.removeprefix("src.")

    def import_line(self) -> str:
        """The line that a test needs to reach the subject."""
        return f"from {self.dotted()} import {self.imported_name()}"


def _imported(text: str) -> list[str]:
    """Dotted modules of a text's import lines, the longest first."""
    found = re.findall(r"^\s*from\s+([\w.]+)\s+import\b", text, re.MULTILINE)
    found += re.findall(r"^\s*import\s+([\w.]+)", text, re.MULTILINE)
    return sorted(found, key=len, reverse=True)


def tokens(text: str) -> int:
    """Tokens of a text, estimated at four characters each."""
    return -(-len(text) // CHARS_PER_TOKEN)


def sampling(settings: Settings, number: int, max_tokens: int = 0) -> Sampling:
    """Draft 0 at temperature 0, later ones drawn at 0.7 with their number as the seed."""
    return Sampling(
        temperature=LATER_TEMPERATURE if number else 0.0,
        seed=number,
        max_tokens=min(settings.max_tokens, max_tokens or settings.max_tokens),
        num_ctx=settings.num_ctx,
    )


def chat(brief: Brief, settings: Settings, number: int, *parts: str) -> Request:
    """One user message made of the parts that are not empty, a blank line between them."""
    text = "\n\n".join(part.strip("\n") for part in parts if part.strip())
    return Request(
        "chat", brief.model, sampling(settings, number), messages=(Message("user", text),)
    )


def calls_into(brief: Brief) -> str:
    """What the subject calls, one signature a line; empty where it calls nothing of the project."""
    return "It calls:\n" + "\n".join(brief.signatures) if brief.signatures else ""


def rules(brief: Brief) -> str:
    """The project's own rules as a part of a request; empty where it has none."""
    return f"Rules of the project:\n{brief.project_rules.strip()}" if brief.project_rules else ""


def signature_line(brief: Brief) -> str:
    """The `def` line that the job spells, without its colon; empty where it spells none."""
    spelled = brief.job.signature.strip().rstrip(":").strip()
    if not spelled:
        return ""
    line = spelled if spelled.startswith(("def ", "async def ")) else f"def {spelled}"
    return "" if symbols.parses(f"{line}: ...") else line


def tests_place(brief: Brief) -> Place:
    """Where the tests of this job go, and what they test."""
    defined = symbols.top_level(brief.target()) | {brief.imported_name()} - {""}
    return Place(brief.job.subject, brief.dotted(), defined, brief.conventions)
