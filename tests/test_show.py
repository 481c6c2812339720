"""What a person sees of a run, and what a program reads of it."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness import events as e
from harness.person import outcomes, terminal
from harness.person.show import JsonLines, Show, end_line, lines, suite_line
from harness.types import (
    Change,
    Draft,
    Job,
    Outcome,
    Refusal,
    RunResult,
    SuiteReport,
    SuiteStatus,
    TestFailure,
    Usage,
    Verdict,
)

JOB = Job("fix", "fix it", subject="total", path="src/orders.py", why="the task names a fault")
DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
RUN = "20260101T000000-ab12"


def report(status: SuiteStatus = "red", **more: Any) -> SuiteReport:
    """A suite's report with two tests that pass and, unless green, one that fails."""
    failures = (TestFailure("tests/test_x.py::test_y", "AssertionError: 2 != 3"),)
    base = SuiteReport("green", ("python", "-m", "pytest"), "pytest", passed=2)
    if status != "green":
        base = replace(base, status=status, failed=1, failures=failures)
    return replace(base, **more)


def result(outcome: Outcome = "done", **more: Any) -> RunResult:
    """A run's result; a change was written if it is done."""
    base = RunResult(
        outcome,
        "the suite is green",
        JOB,
        changes=(Change("x.py", "a = 1\n", "a = 2\n"),),
        diff=DIFF,
        writes=1 if outcome == "done" else 0,
        steps=2,
        usage=Usage(1200, 34),
        duration_s=3.25,
        run_id=RUN,
    )
    return replace(base, **more)


def shown(*events: e.Event, project: str = ".") -> tuple[str, str]:
    """What a pipe gets on standard output and on standard error."""
    out, progress = io.StringIO(), io.StringIO()
    show = Show(out, progress, project=project)
    for event in events:
        show(event)
    return out.getvalue(), progress.getvalue()


ALL = [
    (e.Started(RUN, JOB, "m:1b", "auto"), "fix total in src/orders.py, with m:1b"),
    (e.Note("the tree is dirty"), "note: the tree is dirty"),
    (e.Waiting("loading m:1b"), "loading m:1b …"),
    (
        e.Turned(1, "draft 0", Usage(10, 1234), 4.21, ("cut",)),
        "turn 1: draft 0, 1,234 tokens, 4.2",
    ),
    (e.Turned(1, "draft 0", Usage(10, 1234), 4.21, ("cut",)), "warning: cut"),
    (e.Acted(3, "read", "x.py", True, "12 lines"), "step 3: read x.py: 12 lines"),
    (
        e.Refused(4, Refusal("read-first", "x.py was never read", "Action: read")),
        "by read-first: x",
    ),
    (e.SuiteRan("before", report()), "suite before: 2 passed, 1 failed (tests/test_x.py::test_y)"),
    (e.Fixed("misspelt-name", "x.py", "subtotl -> subtotal"), "fixed misspelt-name in x.py: subt"),
    (e.Drafted(Draft({}, "by-symbol", 2), Verdict(False, False, "suite red: 2")), "draft 2 (by-"),
    (e.Asked("which?", ("a", "b")), "question: which?\n  1. a\n  2. b"),
]


@pytest.mark.parametrize(
    ("event", "says"), ALL, ids=[f"{ev.kind}{i}" for i, (ev, _) in enumerate(ALL)]
)
def test_each_event_is_told_on_standard_error(event: e.Event, says: str) -> None:
    """Each kind of event is at least one line of how it goes; standard output stays empty."""
    out, progress = shown(event)
    assert says in progress
    assert out == ""


def test_no_event_is_forgotten() -> None:
    """Every kind of event is shown by a test here; a new kind must be given its words."""
    told = {type(event) for event, _ in ALL} | {e.Chunk, e.Offered, e.Finished}
    assert told == set(e.Event.__subclasses__())


@pytest.mark.parametrize(
    ("status", "says"),
    [
        ("green", "suite after: 2 passed"),
        ("no-tests", "suite after: no test ran"),
        ("no-suite", "suite after: none found"),
        ("not-importable", "suite after: a test module does not import: AssertionError"),
        ("timeout", "suite after: ended at its time limit after 9 s"),
        ("crashed", "suite after: the runner crashed with exit code 139"),
    ],
)
def test_a_suite_is_one_line(status: SuiteStatus, says: str) -> None:
    """Only a green suite reads like success; every other state says what it is."""
    line = suite_line("after", report(status, duration_s=9.0, exit_code=139))
    assert line.text.startswith(says)
    assert "\n" not in line.text
    assert (line.style == "green") is (status == "green")


def test_many_failures_stay_one_line() -> None:
    """Three failing tests are named and the rest are counted."""
    failures = tuple(TestFailure(f"t{i}", "E") for i in range(9))
    line = suite_line("before", report(failures=failures, failed=9)).text
    assert line.endswith("9 failed (t0, t1, t2, 6 more)")


def test_the_end_says_outcome_time_tokens_and_undo() -> None:
    """A run that wrote ends with its outcome, cost, files and the command that takes it back."""
    out, progress = shown(e.Finished(result()))
    assert out == DIFF
    assert "done (3.2 s, 2 turns, 1,234 tokens)" in progress
    assert "written: x.py" in progress
    assert f"undo with: py-harness undo {RUN}\n" in progress


def test_the_undo_command_finds_the_project() -> None:
    """Where the project is another folder the undo command names it."""
    _, progress = shown(e.Finished(result()), project="shop")
    assert f"py-harness undo {RUN} -C shop" in progress


def test_the_diff_is_shown_once() -> None:
    """A change that was offered is not shown again at the end."""
    change = Change("x.py", "a = 1\n", "a = 2\n")
    offered = e.Offered((change,), DIFF, Verdict(True, True, "3 passed"))
    out, progress = shown(offered, e.Finished(result()))
    assert out == DIFF
    assert "checked: 3 passed" in progress


def test_an_unproven_change_says_so() -> None:
    """Where no test decided, the person reads that before accepting."""
    offered = e.Offered((), DIFF, Verdict(True, False, "it parses"))
    assert "not proven by a test: it parses" in shown(offered)[1]


def test_an_answer_is_on_standard_output_alone() -> None:
    """The answer can be piped on: it is all that standard output gets, and is told once."""
    ended = result("answered", summary="It returns a sum.", diff="", changes=())
    out, progress = shown(e.Chunk("It ret"), e.Finished(ended))
    assert out == "It returns a sum.\n"
    assert "It ret" not in progress
    assert "answered (3.2 s" in progress


@pytest.mark.parametrize("outcome", ["declined", "asked", "gave-up", "out-of-steps", "broke-suite"])
def test_a_run_that_wrote_nothing_offers_no_undo(outcome: Outcome) -> None:
    """No undo is offered where nothing was written, and the outcome is in words."""
    progress = shown(e.Finished(result(outcome)))[1]
    assert "undo" not in progress
    assert outcomes.in_words(outcome) in progress


def test_what_to_do_after_a_question_and_a_refusal() -> None:
    """A run without a person says which flag stands for one."""
    assert "--answer" in shown(e.Finished(result("asked")))[1]
    assert "--yes" in shown(e.Finished(result("declined")))[1]


def test_partly_done_and_written_says_no_lie() -> None:
    """A run that gave up after writing a part does not claim that nothing was written."""
    line = end_line(result("gave-up", writes=1)).text
    assert "nothing was written" not in line


def test_notes_are_told_once() -> None:
    """A note that was told as it came is not told again at the end; others are."""
    ended = result(notes=("seen", "new"))
    progress = shown(e.Note("seen"), e.Finished(ended))[1]
    assert progress.count("note: seen") == 1
    assert progress.count("note: new") == 1


EVIL = "\x1b]0;title\x07\x1b[2Jred\x1b[31m\x9b31m\r\x08\u202etxt"


@pytest.mark.parametrize(
    "event",
    [
        e.Started(RUN, JOB, EVIL, "auto"),
        e.Note(EVIL),
        e.Waiting(EVIL),
        e.Acted(1, EVIL, EVIL, True, EVIL),
        e.Refused(1, Refusal(EVIL, EVIL, EVIL)),
        e.Fixed(EVIL, EVIL, EVIL),
        e.Drafted(Draft({}, EVIL), Verdict(False, False, EVIL)),
        e.Asked(EVIL, (EVIL,)),
        e.Offered((), f"+{EVIL}\n", Verdict(True, True, EVIL)),
        e.Finished(result(summary=EVIL, diff=f"+{EVIL}\n", notes=(EVIL,))),
        e.Finished(result("answered", summary=EVIL)),
        e.SuiteRan("before", report("not-importable", failures=(TestFailure(EVIL, EVIL),))),
    ],
    ids=lambda event: event.kind,
)
def test_no_control_character_of_a_model_reaches_the_terminal(event: e.Event) -> None:
    """A model cannot move the cursor, name the window or turn the direction of a line."""
    both = "".join(shown(event))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", both)
    assert "\\x1b" in both


def test_clean_spells_out_and_keeps_text() -> None:
    """Control characters are spelled out, letters of any script, tabs and line feeds stay."""
    assert terminal.clean("a\x1b[31m\tä\n€𝄞") == "a\\x1b[31m\tä\n€𝄞"
    assert terminal.without_colours("\x1b[1;31mFAILED\x1b[0m \x1b]8;;u\x1b\\x") == "FAILED x"


def test_long_lines_are_cut_in_a_pipe() -> None:
    """A step is one line of bounded length, however long the observation."""
    _, progress = shown(e.Acted(1, "read", "x.py", True, "word\n" * 500))
    assert progress.count("\n") == 1
    assert len(progress) <= 201
    assert progress.endswith("…\n")


def at_terminal(*events: e.Event) -> str:
    """What a terminal of 60 columns gets of both streams."""
    pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")
    leader, follower = pty.openpty()
    with open(follower, "w", encoding="utf-8") as stream:
        show = Show(stream, stream)
        for event in events:
            show(event)
        show.rest()
    data = b""
    try:
        while piece := os.read(leader, 65536):
            data += piece
    except OSError:  # the other end is closed
        pass
    os.close(leader)
    return data.decode()


@pytest.fixture
def colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that can draw."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.usefixtures("colour")
def test_a_terminal_gets_colours_and_the_reply_as_it_comes() -> None:
    """The diff is coloured, and pieces of a reply are shown at once, cleaned."""
    offered = e.Offered((), DIFF, Verdict(True, True, "ok"))
    seen = at_terminal(e.Chunk("hel"), e.Chunk("lo\x1b[2J"), offered)
    assert "\x1b[32m+a = 2\x1b[0m" in seen
    assert "\x1b[31m-a = 1\x1b[0m" in seen
    assert "\\x1b[2J" in seen
    assert "\x1b[2J" not in seen


@pytest.mark.usefixtures("colour")
def test_a_spinner_moves_while_something_slow_runs() -> None:
    """Waiting draws a spinner, and the next event takes it away before its own line."""
    seen = at_terminal(e.Waiting("the tests run"), e.Note("over"))
    assert "the tests run" in seen
    assert "\x1b[?25l" in seen
    assert seen.index("\x1b[?25h") < seen.index("note: over")


@pytest.mark.usefixtures("colour")
def test_lines_fit_the_terminal() -> None:
    """A step is cut at the terminal's width, wide letters counted as two."""
    seen = at_terminal(e.Acted(1, "read", "x.py", True, "表" * 100))
    plain = terminal.without_colours(seen).rstrip("\r\n")
    assert "\n" not in plain
    assert len(plain) + plain.count("表") <= 60


@pytest.mark.usefixtures("colour")
def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR a terminal gets plain text and nothing that moves."""
    monkeypatch.setenv("NO_COLOR", "1")
    offered = e.Offered((), DIFF, Verdict(True, True, "ok"))
    assert "\x1b" not in at_terminal(e.Waiting("the tests run"), offered, e.Finished(result()))


def test_a_pipe_is_plain_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """FORCE_COLOR does not bring colour codes into a pipe."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in "".join(shown(*(event for event, _ in ALL), e.Finished(result())))


def test_rich_is_met_only_at_a_terminal() -> None:
    """A pipe never pays for the drawing library."""
    code = (
        "import io, sys; from harness.person.show import Show; Show(io.StringIO(), io.StringIO()); "
    )
    code += "sys.exit('rich' in sys.modules)"
    root = Path(__file__).resolve().parents[1]
    assert subprocess.run([sys.executable, "-c", code], cwd=root).returncode == 0


def test_json_is_one_event_a_line() -> None:
    """A program reads one JSON object a line, each with its kind, whatever the text holds."""
    out = io.StringIO()
    tell = JsonLines(out)
    for event, _ in ALL:
        tell(event)
    tell(e.Chunk("a\nb\x1b\ud800"))
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [row["event"] for row in rows] == [*(event.kind for event, _ in ALL), "chunk"]
    assert rows[-1]["text"] == "a\nb\x1b\ud800"


def test_every_outcome_has_words_and_an_exit_code() -> None:
    """Success has exit code 0 and nothing else has; each code is explained."""
    for outcome in Outcome.__args__:  # type: ignore[attr-defined]
        code = outcomes.exit_code(outcome)
        assert (code == 0) is result(outcome).ok
        assert code in outcomes.EXIT_CODES
        assert outcomes.in_words(outcome)


def test_lines_come_from_the_event_alone() -> None:
    """The words of an event can be had without a stream."""
    assert [line.text for line in lines(e.Note("x"))] == ["note: x"]
