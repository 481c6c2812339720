"""Owns the model of a result file: `data/results/<experiment>/<result>.json`.

Does not cover the recorded turns (`recording`). Field names follow Inspect's logs, the
OpenTelemetry GenAI conventions and RO-Crate where those have a word.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from measure.record.comparison import MeasuredComparison
from measure.record.recording import Usage
from measure.record.shape import (
    Day,
    DecidedBy,
    Identifier,
    Interval,
    Part,
    Sha256,
    Timestamp,
)

Outcome = Literal["scored", "model_error", "infra_error", "limit", "excluded"]


class ResultExperiment(Part):
    """What was asked."""

    id: Identifier
    """Slug; the same in every room."""
    question: str
    """The question in one sentence."""


class Revision(Part):
    """The code that measured."""

    commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    """Full commit."""
    dirty: bool
    """Whether the tree had uncommitted changes."""


class InferenceEngine(Part):
    """The server that ran the model."""

    name: str
    """ollama, llama-server, ..."""
    version: str
    """As the server reports it."""


class Environment(Part):
    """Where it ran, as far as it bears on the result."""

    python: str
    """Full version."""
    platform: str
    """Operating system and machine type."""
    cpu: str
    """Processor's name."""
    memory_bytes: int = Field(gt=0)
    """Physical memory."""
    packages: dict[str, str]
    """Installed packages that matter, with versions."""
    inference_engine: InferenceEngine | None
    """None for runs without a model."""


class CaseRef(Part):
    """A case as it was."""

    id: Identifier
    """Case id."""
    sha256: Sha256
    """Over the case's folder."""


class Task(Part):
    """What was run."""

    name: Identifier
    """Task name."""
    version: str
    """Task version."""
    cases: list[CaseRef] = Field(min_length=1)
    """Cases, in order."""
    scorers: list[str] = Field(min_length=1)
    """Judges, by name."""


class Agent(Part):
    """The helper that was measured."""

    name: str
    """py-harness, bare, aider, ..."""
    version: str
    """Its version."""
    prompt_sha256: Sha256 | None
    """Over the system text; None where there is none."""


class Model(Part):
    """The model."""

    name: str
    """Tag as asked for."""
    digest: str | None
    """Digest as the server reports it."""
    parameter_size: str | None
    """As the server reports it."""
    quantization_level: str | None
    """As the server reports it."""


class Arm(Part):
    """One way of doing the task."""

    id: Identifier
    """Arm id."""
    description: str
    """What it does, in one sentence."""


class RecordingRef(Part):
    """A recording that belongs to the result."""

    path: str
    """Relative to data/recordings, forward slashes."""
    sha256: Sha256
    """Over the file's bytes."""
    rows: int = Field(ge=1)
    """Lines in it."""


class Sample(Part):
    """One run of one case under one arm."""

    id: Identifier
    """Sample id, unique in the result."""
    case: Identifier
    """Case."""
    arm: Identifier
    """Arm."""
    epoch: int = Field(ge=1)
    """1-based repeat."""
    outcome: Outcome
    """scored, or why not: an engine that timed out is not a model that failed."""
    reason: str | None = None
    """Required with excluded."""
    decided_by: DecidedBy
    """Who decided the outcome: model, harness, mixed. Harness-decided ones are no model score."""
    scores: dict[str, float]
    """Score by scorer; empty unless scored."""
    usage: Usage
    """Tokens over all turns."""
    turns: int = Field(ge=0)
    """Model turns; 0 for a run that used no model."""
    stop: str
    """Why the run stopped."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.outcome == "excluded" and not self.reason:
            raise ValueError("an excluded sample needs a reason")
        if (self.outcome == "scored") != bool(self.scores):
            raise ValueError("scores stand with outcome 'scored' and only there")
        if self.turns == 0 and self.outcome == "scored" and self.decided_by != "harness":
            raise ValueError("a scored sample without model turns is decided by the harness")
        return self


class Metric(Part):
    """One figure of the result."""

    id: Identifier
    """Stable id within the result; pages quote `result:id`."""
    label: str
    """Words for a reader."""
    metric: str
    """Name of the metric."""
    unit: str
    """What n counts."""
    n: int = Field(ge=1)
    """Samples or cases behind it."""
    successes: int | None = Field(default=None, ge=0)
    """For a proportion."""
    estimate: float
    """The estimate."""
    confidence_interval: Interval | None
    """Its interval; None with a reason in `note`."""
    decided_by: DecidedBy
    """Who decided the outcomes behind it."""
    note: str | None = None
    """What else a reader must know."""

    @model_validator(mode="after")
    def _within_n(self) -> Self:
        if self.successes is not None and self.successes > self.n:
            raise ValueError(f"successes {self.successes} exceed n {self.n}")
        if self.successes is not None and abs(self.estimate - self.successes / self.n) > 1e-9:
            raise ValueError(f"estimate {self.estimate} is not {self.successes}/{self.n}")
        return self


class ResultReplay(Part):
    """How to have it again."""

    command: str
    """Command of this project."""
    needs: list[str]
    """What it needs besides: nothing, a model server, foreign sources by version and hash."""


class Provenance(Part):
    """What made the file."""

    command: str
    """Command line that measured."""
    measured_on: Day
    """Day of the measurement."""


class ResultVolatile(Part):
    """What cannot repeat; the rest of the file is byte-stable under replay."""

    host: str | None
    """Host state worth knowing, no host name."""
    started_at: Timestamp
    """Start."""
    finished_at: Timestamp
    """End."""
    wall_s: float = Field(ge=0)
    """Duration."""
    times_s: dict[str, float] = {}
    """Duration by sample."""


class ResultFile(Part):
    """`data/results/<experiment>/<result>.json`."""

    schema_version: Literal[1]
    """Version of this shape."""
    kind: Literal["result"]
    """Kind of file."""
    result_id: Identifier
    """Stable id; also the file's name."""
    experiment: ResultExperiment
    """What was asked."""
    status: Literal["complete", "stopped"]
    """stopped: a grid that was ended early, balanced as far as it got."""
    revision: Revision
    """The code."""
    environment: Environment
    """Where it ran."""
    task: Task
    """What was run."""
    agent: Agent
    """The helper."""
    model: Model | None
    """The model; None for runs without one."""
    generation_config: dict[str, Any]
    """temperature, seed, max_tokens, num_ctx, ..."""
    limits: dict[str, int | float]
    """Steps, seconds, tokens."""
    arms: list[Arm] = Field(min_length=1)
    """Arms."""
    recordings: list[RecordingRef]
    """Recordings."""
    samples: list[Sample] = Field(min_length=1)
    """Every sample; nothing is dropped in silence."""
    results: list[Metric] = Field(min_length=1)
    """What pages quote."""
    comparisons: list[MeasuredComparison]
    """Comparisons of arms."""
    replay: ResultReplay
    """How to have it again."""
    provenance: Provenance
    """What made it."""
    volatile: ResultVolatile
    """What cannot repeat."""

    @model_validator(mode="after")
    def _refers_to_itself(self) -> Self:
        cases = {case.id for case in self.task.cases}
        arms = {arm.id for arm in self.arms}
        for sample in self.samples:
            if sample.case not in cases or sample.arm not in arms:
                raise ValueError(f"sample {sample.id} names a case or an arm that is not listed")
        ids = [m.id for m in self.results]
        if len(ids) != len(set(ids)):
            raise ValueError("two results share an id")
        return self
