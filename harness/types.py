"""Owns the nouns of the helper: what passes between its rooms, frozen; imports nothing of ours.

Does not cover events, which a session shows as it goes (`events`), nor settings (`settings`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

JobKind = Literal["ask", "write-test", "fix", "add-function", "rename", "move", "other"]
DecidedBy = Literal["model", "harness", "mixed"]
Outcome = Literal[
    "done",
    "answered",
    "nothing-to-do",
    "dry-run",
    "gave-up",
    "out-of-steps",
    "asked",
    "declined",
    "broke-suite",
    "engine-failed",
    "interrupted",
]
SuiteStatus = Literal[
    "green", "red", "no-tests", "not-importable", "timeout", "crashed", "no-suite"
]


@dataclass(frozen=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    """Who speaks."""
    content: str
    """What is said, verbatim."""


@dataclass(frozen=True)
class Sampling:
    """How the model is asked to draw its reply."""

    temperature: float = 0.0
    """0 for the likeliest token each time."""
    seed: int = 0
    """Sent, but no record: the same seed may give another text."""
    max_tokens: int = 1024
    """Output cap, tokens."""
    num_ctx: int = 8192
    """Context length, tokens; one value a session, since another reloads the model."""
    stop: tuple[str, ...] = ()
    """Texts that end the reply."""


@dataclass(frozen=True)
class Request:
    """One question to a model, as the helper means it; an engine turns it into a body."""

    kind: Literal["chat", "complete", "infill"]
    """Chat messages; a text to go on with; a gap between prompt and suffix."""
    model: str
    """Name as the server knows it."""
    sampling: Sampling
    """Options."""
    messages: tuple[Message, ...] = ()
    """Of a chat."""
    prompt: str = ""
    """Of a completion or an infill: the text before."""
    suffix: str = ""
    """Of an infill: the text after."""
    purpose: str = ""
    """Why it is asked, such as `draft 0`; recorded, never sent."""


@dataclass(frozen=True)
class Usage:
    """Tokens of one exchange, as the server counts them; None where it does not say."""

    input_tokens: int | None = None
    """Prompt tokens."""
    output_tokens: int | None = None
    """Reply tokens."""


@dataclass(frozen=True)
class Reply:
    """What came back, verbatim."""

    text: str
    """The reply without its thinking."""
    finish: str
    """Why it ended, as the server says: stop, length, or another word."""
    usage: Usage
    """Tokens."""
    body: Mapping[str, Any]
    """The request's body, verbatim, as it was sent."""
    chunks: tuple[str, ...] = ()
    """The pieces, if streamed."""
    thinking: str = ""
    """What a thinking model wrote before its reply, where the server keeps it apart."""
    warnings: tuple[str, ...] = ()
    """What the engine noticed, such as a prompt that was cut; each one line for a person."""
    duration_s: float = 0.0
    """Until the reply was complete, seconds."""
    load_s: float | None = None
    """Of it, loading the model, where the server says."""
    started_at: str = ""
    """UTC, RFC 3339, with Z."""


@dataclass(frozen=True)
class ModelInfo:
    """What a server says of itself and of one model."""

    engine: str
    """Name of our engine."""
    address: str
    """Where it answers."""
    server: str
    """Server's name and version, such as `ollama 0.12.6`; empty where it does not say."""
    model: str
    """Name of the model."""
    digest: str = ""
    """Digest of its weights, where the server says."""
    parameter_size: str = ""
    """Such as 1.5B."""
    quantization_level: str = ""
    """Such as Q4_K_M."""
    context_length: int | None = None
    """Longest context that the model was trained for, tokens."""
    served_context: int | None = None
    """Context that the server gives it now, tokens, where it says."""
    can_infill: bool = False
    """Whether a gap can be asked for."""
    has_template: bool = True
    """Whether it has a chat template; without one it goes on with the prompt."""


@dataclass(frozen=True)
class Action:
    """One step that a model asks for: a verb and its labelled fields."""

    verb: str
    """One of the verbs of `actions/`, aliases already resolved."""
    fields: Mapping[str, str]
    """By the field's name as the action declares it; bodies without their fence."""
    rules: tuple[str, ...] = ()
    """Rules of the reader that were needed, in order; empty for a reply in plain form."""


@dataclass(frozen=True)
class Fault:
    """A reply that holds no single Action, or an unreadable draft; a value, no exception."""

    reason: str
    """What is wrong with it, one line."""
    next_action: str
    """What to write instead, word for word where that can be said."""
    rules: tuple[str, ...] = ()
    """Rules of the reader that fired before it gave up."""


@dataclass(frozen=True)
class Refusal:
    """A step that a guard or the fence does not allow."""

    by: str
    """Name of the guard, or `fence`."""
    reason: str
    """Why not, one line."""
    next_action: str
    """The next legal action, word for word where that can be said."""


@dataclass(frozen=True)
class Observation:
    """What an action found or did; goes back to the model."""

    text: str
    """Normalised, bounded."""
    ok: bool = True
    """Whether it did what was asked."""
    ends: Outcome | None = None
    """Set by an action that ends the run."""
    changed: tuple[str, ...] = ()
    """Relative paths that it wrote."""
    read: tuple[str, ...] = ()
    """Relative paths whose text it showed."""


@dataclass(frozen=True)
class TestFailure:
    """One test that did not pass."""

    __test__ = False
    test: str
    """Its id: `tests/test_x.py::TestC::test_m` for pytest, `tests.test_x.TestC.test_m` for
    unittest."""
    error: str
    """Last line: exception and message, normalised."""
    path: str = ""
    """Relative path of the innermost frame inside the project; empty where there is none."""
    line: int = 0
    """Its line, 1-based; 0 where there is none."""
    detail: str = ""
    """Traceback, normalised, at most 1,200 characters."""
    import_failed: bool = False
    """The test's module did not import, so no test of it ran."""


@dataclass(frozen=True)
class SuiteReport:
    """What the project's own suite said in one bounded run."""

    status: SuiteStatus
    """Green needs exit 0 and more than zero tests that ran."""
    command: tuple[str, ...]
    """What was run."""
    runner: Literal["pytest", "unittest", "command", "none"]
    """How its output is read."""
    collected: int = 0
    """Tests that ran or were skipped."""
    passed: int = 0
    failed: int = 0
    """Failures and errors."""
    skipped: int = 0
    exit_code: int | None = None
    """None where it was ended by us."""
    failures: tuple[TestFailure, ...] = ()
    """In the order of the report."""
    output: str = ""
    """Normalised, last 4,000 characters."""
    limits: tuple[str, ...] = ()
    """Bounds that were in force, and, as `no …`, those this system cannot give."""
    duration_s: float = 0.0

    @property
    def green(self) -> bool:
        """Whether it may count as proof."""
        return self.status == "green"

    def failing(self) -> frozenset[str]:
        """Ids of the tests that did not pass."""
        return frozenset(f.test for f in self.failures)


@dataclass(frozen=True)
class Job:
    """What a task asks for, as far as its words and the project tell."""

    kind: JobKind
    """Kind of job."""
    task: str
    """The person's words, verbatim."""
    subject: str = ""
    """Function, class or `Class.method` that it is about; empty if not known."""
    path: str = ""
    """Relative path of the file that holds the subject, or shall hold it; empty if not known."""
    test_path: str = ""
    """Relative path of the test file to read or write; empty if none is known."""
    signature: str = ""
    """Signature spelled in the task, such as `clamp(value, low, high)`."""
    wants_test: bool = False
    """Whether the task asks for a test beside the function or the fix."""
    files: tuple[str, ...] = ()
    """Relative paths that the task or the command line names, in that order."""
    failing: tuple[str, ...] = ()
    """Ids of tests that the task names as failing."""
    evidence: str = ""
    """A traceback or text that was piped in, normalised."""
    error: str = ""
    """Exception that the task names, such as NameError."""
    target: str = ""
    """Of a rename or a move: the new name or path."""
    why: str = ""
    """What decided it, one line for a person."""


@dataclass(frozen=True)
class Draft:
    """A proposed change, not yet laid into anything."""

    files: Mapping[str, str]
    """New text by relative path, lines ended by a line feed."""
    drafter: str
    """Name of the drafter, or of the fix."""
    number: int = 0
    """0 is the bare model's."""
    rules: tuple[str, ...] = ()
    """Reading rules and fixes that were needed."""
    notes: tuple[str, ...] = ()
    """For the person, one line each."""
    by_model: bool = True
    """Whether a model wrote any of it."""


@dataclass(frozen=True)
class Verdict:
    """What the checks said of a draft in its throw-away copy."""

    accepted: bool
    """Whether it may be offered."""
    proven: bool
    """Whether a test, a vote or mutants decided, not only the absence of harm."""
    reason: str
    """One line."""
    facts: str = ""
    """Executed facts for a repair: the failing call, expected, got; at most 1,200 characters."""
    suite: SuiteReport | None = None
    """Suite on the draft, where it was run."""
    score: int = 0
    """Orders drafts that were not accepted, larger is better; 0 does not parse."""


@dataclass(frozen=True)
class Change:
    """One file's change, for a person."""

    path: str
    """Relative, forward slashes."""
    before: str | None
    """None: the file is new."""
    after: str | None
    """None: the file is removed."""


@dataclass(frozen=True)
class RunResult:
    """How a run ended."""

    outcome: Outcome
    """What happened."""
    summary: str
    """One line or the answer."""
    job: Job
    """What was asked."""
    decided_by: DecidedBy = "model"
    """Who decided the change or the answer."""
    road: Literal["none", "short", "long", "both"] = "none"
    """Which road was taken; none where no model was needed."""
    changes: tuple[Change, ...] = ()
    """What was written, or would be (dry run)."""
    diff: str = ""
    """Unified, of `changes`."""
    before: SuiteReport | None = None
    """Suite at the start."""
    after: SuiteReport | None = None
    """Suite at the end."""
    steps: int = 0
    """Model turns."""
    writes: int = 0
    """Files written."""
    refusals: int = 0
    """Steps refused."""
    drafts: int = 0
    """Drafts checked."""
    usage: Usage = field(default_factory=Usage)
    """Tokens of all turns."""
    duration_s: float = 0.0
    run_id: str = ""
    """Id of the run, for undo, last and replay."""
    recording: str = ""
    """Path of the recording; empty if none is kept."""
    notes: tuple[str, ...] = ()
    """For the person, one line each."""

    @property
    def ok(self) -> bool:
        """Whether the person got what was asked."""
        return self.outcome in ("done", "answered", "nothing-to-do", "dry-run")
