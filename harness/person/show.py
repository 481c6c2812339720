"""Owns how a run is shown: to a person on two streams, or as JSON lines to a program.

Standard output gets what was asked for (the answer, the diff) and standard error how it went.
Does not cover what may reach a terminal and how a person is asked (`terminal`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from harness import events as e
from harness.person.outcomes import in_words
from harness.person.terminal import clean, is_terminal, one_line
from harness.types import Outcome, RunResult, SuiteReport

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

PLAIN_WIDTH = 200
"""Characters of a line where no terminal tells its width."""
_NAMED = 3
"""Failing tests that a line names."""


class Line(NamedTuple):
    """One line for a person."""

    text: str
    style: str = ""


def suite_line(when: str, report: SuiteReport) -> Line:
    """What the suite said, such as `suite before: 3 passed, 1 failed (tests/test_x.py::test_y)`."""
    names = [failure.test for failure in report.failures]
    more = f", {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    failing = f" ({', '.join(names[:_NAMED])}{more})" if names else ""
    counts = [f"{report.passed} passed"]
    counts += [f"{report.failed} failed"] if report.failed else []
    counts += [f"{report.skipped} skipped"] if report.skipped else []
    first = report.failures[0].error if report.failures else ""
    says = {
        "green": ", ".join(counts),
        "red": ", ".join(counts) + failing,
        "no-tests": "no test ran",
        "no-suite": "none found",
        "not-importable": f"a test module does not import: {first}{failing}",
        "timeout": f"ended at its time limit after {report.duration_s:.0f} s",
        "crashed": f"the runner crashed with exit code {report.exit_code}",
    }[report.status]
    style = {"green": "green", "no-tests": "yellow", "no-suite": "yellow"}.get(report.status, "red")
    name = "named tests" if when == "test" else f"suite {when}"
    return Line(f"{name}: {says}", style)


def lines(event: e.Event) -> Iterator[Line]:
    """What an event says to a person, but for a reply's pieces, the diff and the end."""
    match event:
        case e.Started(job=job, model=model):
            about = f" {job.subject}" if job.subject else ""
            place = f" in {job.path}" if job.path else ""
            yield Line(f"{job.kind}{about}{place}, with {model} ({job.why})", "bold")
        case e.Note(text=text):
            yield Line(f"note: {text}", "yellow")
        case e.Waiting(what=what):
            yield Line(f"{what} …", "dim")
        case e.Turned():
            yield _turn(event)
            yield from (Line(f"warning: {warning}", "yellow") for warning in event.warnings)
        case e.Acted(step=step, verb=verb, target=target, ok=ok, text=text):
            yield Line(f"step {step}: {verb} {target}".rstrip() + f": {text}", "" if ok else "red")
        case e.Refused(step=step, refusal=refusal):
            yield Line(f"step {step}: refused by {refusal.by}: {refusal.reason}", "yellow")
        case e.SuiteRan(when=when, report=report):
            yield suite_line(when, report)
        case e.Fixed(fix=fix, path=path, text=text):
            yield Line(f"fixed {fix} in {path}: {text}", "cyan")
        case e.Drafted(draft=draft, verdict=verdict):
            said = "accepted: " if verdict.accepted else ""
            style = "green" if verdict.accepted else "yellow"
            yield Line(f"draft {draft.number} ({draft.drafter}): {said}{verdict.reason}", style)
        case e.Asked(question=question, options=options):
            yield Line(f"question: {question}", "bold")
            yield from (Line(f"  {i}. {option}") for i, option in enumerate(options, 1))


def _turn(event: e.Turned) -> Line:
    tokens = event.usage.output_tokens
    size = f"{tokens:,} tokens, " if tokens is not None else ""
    return Line(f"turn {event.turn}: {event.purpose}, {size}{event.duration_s:.1f} s", "dim")


def end_line(result: RunResult) -> Line:
    """How a run ended: outcome, seconds, turns and tokens."""
    usage = result.usage
    counted = [n for n in (usage.input_tokens, usage.output_tokens) if n is not None]
    facts = [f"{result.duration_s:.1f} s"]
    facts += [f"{result.steps} turn{'s' * (result.steps != 1)}"] if result.steps else ["no model"]
    facts += [f"{sum(counted):,} tokens"] if counted else []
    style = "bold green" if result.ok else "bold red"
    return Line(f"{in_words(result.outcome, result.writes)} ({', '.join(facts)})", style)


class _Stream:
    """One stream: plain text, or through rich where a person looks at it in colour."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.console: Console | None = None
        if is_terminal(stream) and not os.environ.get("NO_COLOR") and _can_draw():
            from rich.console import Console

            self.console = Console(file=stream, highlight=False, markup=False, emoji=False)

    def short(self, line: Line) -> None:
        """One line, cut at the width."""
        width = self.console.width if self.console else PLAIN_WIDTH
        self.whole(Line(one_line(line.text, width), line.style), fits=True)

    def whole(self, line: Line, *, fits: bool = False, end: str = "\n") -> None:
        """A text of any length, control characters spelled out."""
        if self.console is None:
            self.stream.write(clean(line.text) + end)
        else:
            from rich.text import Text

            how: dict[str, Any] = {"overflow": "ellipsis", "no_wrap": True}
            text = Text(clean(line.text), style=line.style)
            self.console.print(text, end=end, **(how if fits else {"soft_wrap": True}))
        self.stream.flush()


def _can_draw() -> bool:
    return os.environ.get("TERM", "") not in ("dumb", "unknown")


class Show:
    """Hears a run's events and shows them to a person."""

    def __init__(
        self,
        out: IO[str] | None = None,
        progress: IO[str] | None = None,
        *,
        project: str = ".",
    ) -> None:
        self.out = _Stream(out or sys.stdout)
        self.progress = _Stream(progress or sys.stderr)
        self.at = "" if project in ("", ".") else f" -C {project}"
        """What a shown command needs to find the project."""
        self._spinner: Status | None = None
        self._streaming = False
        self._shown_diff = ""
        self._shown_notes: set[str] = set()

    def __call__(self, event: e.Event) -> None:
        """Show one event."""
        if isinstance(event, e.Chunk):
            self._piece(event.text)
            return
        self.rest()
        if isinstance(event, e.Waiting) and self.progress.console:
            self._spinner = self.progress.console.status(one_line(event.what, 60), spinner="line")
            self._spinner.start()
            return
        if isinstance(event, e.Note):
            self._shown_notes.add(event.text)
        for line in lines(event):
            brief = isinstance(event, (e.Acted, e.Refused, e.Drafted, e.Waiting))
            (self.progress.short if brief else self.progress.whole)(line)
        if isinstance(event, e.Offered):
            self._diff(event.diff)
            self.progress.whole(Line(_proof(event), "bold"))
        if isinstance(event, e.Finished):
            self._end(event.result)

    def rest(self) -> None:
        """Stop what moves, so that a person can be asked or a line shown."""
        if self._spinner:
            self._spinner.stop()
            self._spinner = None
        if self._streaming:
            self.progress.whole(Line(""))
            self._streaming = False

    def _piece(self, text: str) -> None:
        """A piece of a reply, only where a person watches."""
        if self.progress.console is None or not text:
            return
        if self._spinner:
            self.rest()
        self._streaming = True
        self.progress.whole(Line(text, "dim"), end="")

    def _diff(self, diff: str) -> None:
        """A change, once."""
        if not diff or diff == self._shown_diff:
            return
        self._shown_diff = diff
        for text in diff.removesuffix("\n").split("\n"):
            self.out.whole(Line(text, _diff_style(text)))

    def _end(self, result: RunResult) -> None:
        """The answer or the diff on the one stream, how it ended on the other."""
        if result.outcome == "answered":
            self.out.whole(Line(result.summary))
        self._diff(result.diff)
        self.progress.whole(end_line(result))
        if result.outcome != "answered" and result.summary:
            self.progress.whole(Line(result.summary))
        for note in (note for note in result.notes if note not in self._shown_notes):
            self.progress.whole(Line(f"note: {note}", "yellow"))
        if result.writes:
            paths = ", ".join(change.path for change in result.changes)
            self.progress.whole(Line(f"written: {paths}"))
            self.progress.whole(Line(f"undo with: py-harness undo {result.run_id}{self.at}"))
        elif hint := _HINTS.get(result.outcome):
            self.progress.whole(Line(hint))


_HINTS: dict[Outcome, str] = {
    "asked": 'answer with: --answer "…", or run it at a terminal',
    "declined": "give --yes to apply a change without being asked",
}


def _proof(event: e.Offered) -> str:
    """What speaks for an offered change."""
    kind = "checked" if event.verdict.proven else "not proven by a test"
    return f"{kind}: {event.verdict.reason}"


def _diff_style(line: str) -> str:
    """Colour of a line of a unified diff."""
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")


class JsonLines:
    """Hears a run's events and writes each as one line of JSON."""

    def __init__(self, out: IO[str] | None = None) -> None:
        self.out = out or sys.stdout

    def __call__(self, event: e.Event) -> None:
        """Write one event."""
        self.out.write(e.to_json(event) + "\n")
        self.out.flush()
