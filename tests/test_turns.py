"""The talk of the long road: what is kept in view, what a useless reply costs, what is recorded."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from harness import parts
from harness.errors import EngineError
from harness.events import Acted
from harness.model.recording import Recorder, read
from harness.road import loop, steps
from harness.road.turns import Talk, tokens
from harness.types import Job, Message, Request
from tests.scripted import ASK, BROKEN, FIX, MEND, READ, Script, Scripted, last_told, walk
from tests.small_desk import FILES, desk_on, lay


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The small project, green."""
    return lay(tmp_path / "project", FILES)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """The small project with a fault that its test shows."""
    return lay(tmp_path / "project", {**FILES, "src/orders.py": BROKEN})


def test_the_opening_is_the_task_and_a_first_step(broken: Path) -> None:
    """The system text lists the verbs; the opening has task, suite and an Action to copy."""
    _, engine, _, _ = walk(broken, FIX, [READ, MEND])
    system, opening = engine.sent[0].messages
    assert "Action: patch\nPath: " in system.content
    assert "Task: order_total is one too high" in opening.content
    assert "red: 1 failed, 0 passed" in opening.content
    assert opening.content.endswith("Action: read\nPath: src/orders.py")
    assert engine.sent[0].sampling.temperature == 0


def test_prose_counts_where_done_was_asked_for(root: Path) -> None:
    """A model that answers in a sentence, once told to finish, is understood."""
    said = "order_total returns the sum of all the prices it is given."
    end, _, _, _ = walk(root, ASK, [READ, READ, said])
    assert (end.outcome, end.summary) == ("answered", said)


def test_four_replies_without_an_action_end_the_run(broken: Path) -> None:
    """Two are told what is wrong, the third only the form, the fourth is the end."""
    end, engine, _, _ = walk(broken, FIX, ["I would look at the code.", "Hm.", "Well.", "No."])
    assert (end.outcome, end.steps) == ("gave-up", 4)
    assert "never emitted an Action" in end.summary
    assert last_told(engine).startswith("Reply with this one block and nothing else")
    assert last_told(engine).endswith(READ)


def test_a_fault_between_actions_is_forgiven(broken: Path) -> None:
    """Only faults in a row count."""
    end, _, _, _ = walk(broken, FIX, ["Hm.", "Hm.", READ, "Hm.", "Hm.", MEND])
    assert (end.outcome, end.steps) == ("done", 6)


def test_a_reply_cut_off_in_the_middle_is_not_laid(broken: Path) -> None:
    """What ran into the output cap may lack its end, so it is asked for again, shorter."""
    end, engine, staged, _ = walk(broken, FIX, [MEND], finish="length")
    assert (end.outcome, staged) == ("gave-up", {})
    assert "cut off after 1024 tokens" in engine.sent[1].messages[-1].content


def test_the_time_limit_ends_the_run(broken: Path) -> None:
    """No turn is begun after the deadline."""
    end, engine, _, _ = walk(broken, FIX, [READ], seconds=-1)
    assert (end.outcome, end.steps, engine.sent) == ("out-of-steps", 0, [])
    assert "the time limit of 900 s is over" in end.summary


def test_an_engine_that_fails_is_an_end(broken: Path) -> None:
    """A server that is down ends the run as such; an empty reply is only asked for again."""
    end, _, _, _ = walk(broken, FIX, [READ, EngineError("down", "no answer", "start it")])
    assert (end.outcome, end.steps) == ("engine-failed", 2)
    assert "start it" in end.summary
    again, _, _, _ = walk(broken, FIX, [READ, EngineError("empty", "the reply is empty"), MEND])
    assert (again.outcome, again.steps) == ("done", 3)


def test_a_prompt_that_does_not_fit_is_made_shorter(broken: Path) -> None:
    """Where the server refuses the length, the middle is dropped and the turn asked again."""
    looks = [f"Action: search\nPattern: {word}" for word in ("total", "price", "self", "def")]
    script: Script = [READ, *looks, EngineError("truncated", "too long"), MEND]
    end, engine, _, _ = walk(broken, FIX, script)
    assert end.outcome == "done"
    assert len(engine.sent[6].messages) < len(engine.sent[5].messages)


def test_the_middle_is_dropped_and_counted(tmp_path: Path) -> None:
    """System text and opening stay, the newest stay, and the count of the rest is said."""
    files = {f"src/part_{n}.py": f"VALUE_{n} = '{'word ' * 300}'\n" for n in range(12)}
    root = lay(tmp_path / "project", {**FILES, **files})

    def looking(request: Request) -> str:
        number = len(engine_sent)
        engine_sent.append(request)
        return f"Action: read\nPath: src/part_{number}.py" if number < 12 else "Action: map"

    engine_sent: list[Request] = []
    walk(root, Job("other", "keep this task in mind"), looking, steps=13, num_ctx=3000)
    last = engine_sent[-1].messages
    assert last[0] == engine_sent[0].messages[0]
    assert "keep this task in mind" in last[1].content
    assert "earlier messages are left out.)" in last[1].content
    assert "VALUE_11" in last[-1].content
    assert all(sum(map(tokens, r.messages)) <= 3000 - 1024 + 64 for r in engine_sent)
    assert [m.role for m in last[1:]] == ["user", "assistant"] * ((len(last) - 2) // 2) + ["user"]


def test_what_was_dropped_may_be_read_again(tmp_path: Path) -> None:
    """A look whose result is no longer in view is no repetition."""
    talk = Talk((Message("system", "s"), Message("user", "u")), room=600)
    talk.add("first", "word " * 250)
    assert talk.kept(0)
    talk.add("second", "word " * 250)
    talk.fitted()
    assert not talk.kept(0)
    assert talk.kept(2)


def test_an_opening_that_is_too_long_is_cut_not_dropped() -> None:
    """The task's message stays, shortened, so that there is room for the run."""
    talk = Talk((Message("system", "rules"), Message("user", "word " * 5000 + "Task: mend")), 1000)
    sent = talk.fitted()
    assert sum(map(tokens, sent)) <= 1000
    assert sent[1].content.endswith("Task: mend")
    assert "left out" in sent[1].content


def test_the_recording_holds_every_step(broken: Path, tmp_path: Path) -> None:
    """Turns, Actions, refusals, faults and suites are rows, in the order in which they came."""
    path = tmp_path / "run.jsonl"
    walk(broken, FIX, ["Hm.", READ, READ, MEND], record=path)
    rows = [json.loads(line)["row"] for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [row for row in rows if row not in ("head", "model", "about")]
    assert kept == ["turn", "fault", "turn", "action", "turn", "refusal", "turn", "action", "suite"]
    assert len(read(path).turns) == 4


def test_an_interrupt_leaves_the_listener_as_it_was(broken: Path) -> None:
    """A stop by the person passes through, and the desk hears events as before."""
    with desk_on(broken, FIX, suite=True) as desk:
        outer = desk.tell

        def stopped(request: Request) -> str:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            loop.walk(desk, Recorder(Scripted(stopped), None, {}), time.monotonic() + 9)
        assert desk.tell == outer


def test_every_guard_can_be_switched_off() -> None:
    """The names of the guards are those that `--off` takes."""
    guards = parts.all_of("guards")
    assert set(steps.in_order(guards, ())) == set(guards)
    assert steps.in_order(guards, tuple(guards)) == {}


def test_one_result_larger_than_the_room_is_cut() -> None:
    """Even the newest pair is shortened where it alone would not fit."""
    talk = Talk((Message("system", "s"), Message("user", "u")), room=600)
    talk.add("Action: map", "word " * 4000)
    sent = talk.fitted()
    assert sum(map(tokens, sent)) <= 600
    assert "left out" in sent[-1].content


def test_a_look_out_of_view_is_carried_out_again(tmp_path: Path) -> None:
    """A result that was dropped from the talk does not count as known."""
    files = {f"src/part_{n}.py": f"VALUE_{n} = '{'word ' * 300}'\n" for n in range(8)}
    root = lay(tmp_path / "project", {**FILES, **files})
    looks: Script = [f"Action: read\nPath: src/part_{n}.py" for n in (*range(8), 0, 0)]
    end, _, _, heard = walk(root, Job("other", "look"), looks, steps=10, num_ctx=3000)
    acted = [e.target for e in heard if isinstance(e, Acted)]
    assert acted.count("src/part_0.py") == 2
    assert end.refusals == 1
