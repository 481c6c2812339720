"""The long road: how a run of Actions goes on, what it is told, and every way in which it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.events import Acted, Refused
from harness.types import Job, Request, Usage
from tests.scripted import ASK, BROKEN, FIX, MEND, READ, Script, last_told, walk
from tests.small_desk import FILES, ORDERS, lay


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The small project, green."""
    return lay(tmp_path / "project", FILES)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """The small project with a fault that its test shows."""
    return lay(tmp_path / "project", {**FILES, "src/orders.py": BROKEN})


def test_a_fix_ends_when_the_tests_are_green(broken: Path) -> None:
    """Read, patch: the suite that was red is green, so the run ends without asking the model."""
    end, _, staged, heard = walk(broken, FIX, [READ, MEND])
    assert (end.outcome, end.steps, end.refusals, end.decided_by) == ("done", 2, 0, "model")
    assert staged == {"src/orders.py": ORDERS}
    assert end.summary == "changed src/orders.py; tests green: 1 passed"
    assert [e.verb for e in heard if isinstance(e, Acted)] == ["read", "patch"]
    assert end.usage == Usage(20, 10)


def test_a_question_has_no_verbs_that_write(root: Path) -> None:
    """An answer after a look ends the run as answered; patch is not even offered."""
    answer = "Action: done\nSummary: It returns the sum of the prices, `return total`."
    end, engine, staged, _ = walk(root, ASK, [READ, answer])
    assert (end.outcome, end.summary) == (
        "answered",
        "It returns the sum of the prices, `return total`.",
    )
    assert staged == {}
    assert "- patch (" not in engine.sent[0].messages[0].content


def test_an_answer_from_nowhere_is_refused_first(root: Path) -> None:
    """Without a look at the code the answer does not count; the refusal says what to read."""
    answer = "Action: done\nSummary: It returns the sum of all the prices."
    end, engine, _, _ = walk(root, ASK, [answer, READ, answer])
    assert (end.outcome, end.refusals) == ("answered", 1)
    assert "was not looked at" in engine.sent[1].messages[-1].content
    assert engine.sent[1].messages[-1].content.endswith(READ)


def test_a_thin_answer_ends_the_run_at_the_third_time(root: Path) -> None:
    """Two refusals of one rule, then the run gives up and says why."""
    thin = [
        "Action: done\nSummary: int",
        "Action: done\nSummary: an int",
        "Action: done\nSummary: it",
    ]
    end, _, _, _ = walk(root, ASK, [READ, *thin])
    assert (end.outcome, end.steps, end.refusals) == ("gave-up", 4, 2)
    assert "too short" in end.summary


def test_done_without_proof_gives_up(broken: Path) -> None:
    """Nothing changed and nothing quoted: the words alone never end a fix."""
    said = [f"Action: done\nSummary: it is mended now, number {n}" for n in range(5)]
    end, engine, staged, _ = walk(broken, FIX, [READ, *said])
    assert (end.outcome, staged) == ("gave-up", {})
    assert end.steps == 4
    assert "Action: patch" in last_told(engine)


def test_nothing_to_do_is_shown_by_a_quoted_line(root: Path) -> None:
    """Where the code is right already, the line that shows it ends the run honestly."""
    done = "Action: done\nSummary: nothing is missing: order_total has `for price in prices:`"
    end, _, _, _ = walk(root, FIX, [READ, done])
    assert (end.outcome, end.steps) == ("nothing-to-do", 2)


def test_the_same_look_for_ever_stops_at_the_third_time(broken: Path) -> None:
    """The second is refused with what is known and asked again warmer; the third ends the run."""
    end, engine, _, _ = walk(broken, FIX, [READ])
    assert (end.outcome, end.steps, end.refusals) == ("gave-up", 3, 1)
    assert "a third time" in end.summary
    assert [r.sampling.temperature for r in engine.sent] == [0, 0, 0.7]
    assert "it gave: src/orders.py:" in last_told(engine)
    assert "Action: patch\nPath: src/orders.py" in last_told(engine)


def test_ping_pong_ends(broken: Path) -> None:
    """Two looks in turn lead nowhere just as one does."""
    other = "Action: find\nPattern: *.py"
    script: Script = [READ, other] * 10
    end, _, _, _ = walk(broken, FIX, script)
    assert (end.outcome, end.steps) == ("gave-up", 5)


def test_a_run_without_the_rule_goes_on_to_the_end_of_its_steps(broken: Path) -> None:
    """With the rule off, as in an ablation, the same model uses up its steps."""
    end, _, _, _ = walk(broken, FIX, [READ], off=("state-stall", "repeated-action"), steps=6)
    assert (end.outcome, end.steps, end.refusals) == ("out-of-steps", 6, 0)
    assert end.summary == "not done after 6 steps; nothing was changed"


def test_an_identical_patch_is_refused(broken: Path) -> None:
    """A patch that was tried is not tried again, whatever it gave then."""
    miss = MEND.replace("total = 1", "total = 9")
    end, engine, _, heard = walk(broken, FIX, [READ, miss, miss, MEND])
    assert (end.outcome, end.steps) == ("done", 4)
    assert [e.refusal.by for e in heard if isinstance(e, Refused)] == ["identical-patch"]
    assert "Find does not stand in the file" in last_told(engine)


def test_a_patch_from_memory_is_refused_and_not_held_against_it(broken: Path) -> None:
    """Read first, then the very same patch is fine."""
    guess = MEND.replace("    total = 1\n", "    total = 1\n    for price in prices:\n").replace(
        "    total = 0\n", "    total = 0\n    for price in prices:\n"
    )
    script: Script = [guess.replace("total = 1", "total = 2"), READ, guess]
    end, engine, _, heard = walk(broken, FIX, script)
    assert end.outcome == "done"
    assert [e.refusal.by for e in heard if isinstance(e, Refused)] == ["read-before-patch"]
    assert engine.sent[1].messages[-1].content.endswith(READ)


def test_a_question_to_the_person_is_answered(root: Path) -> None:
    """The answer goes back to the model; where nobody answers, the run ends as asked."""
    job = Job("other", "round it")
    question = "Action: ask\nQuestion: To how many digits?\nOptions: two | none"
    done = "Action: done\nSummary: rounds already"
    _, engine, _, _ = walk(root, job, [question, done], answers=("two",), steps=2)
    assert "The answer is: two" in last_told(engine)
    silent, _, _, _ = walk(root, job, [question])
    assert (silent.outcome, silent.summary) == ("asked", "To how many digits?")


def test_a_third_question_is_refused(root: Path) -> None:
    """Two questions a run, then the likeliest reading."""
    questions = [f"Action: ask\nQuestion: what about {n}?" for n in range(3)]
    _, engine, _, _ = walk(root, Job("other", "round it"), [*questions, "Action: map"],
                           answers=("a", "b", "c"), steps=4)  # fmt: skip
    assert "2 questions were put already" in engine.sent[3].messages[-1].content


def test_tests_that_break_are_told_once_then_taken_back(root: Path) -> None:
    """First the facts, then the files as they were; the second time round the run gives up."""

    def breaking(request: Request) -> str:
        number = sum(1 for m in request.messages if m.role == "assistant")
        if number == 0:
            return READ
        old = "total = 0" if number % 2 else f"total = {number - 1}"
        return (
            f"Action: patch\nPath: src/orders.py\nFind:\n```\n{old}\n```\n"
            f"Replace:\n```\ntotal = {number}\n```"
        )

    job = Job("other", "make order_total faster", subject="order_total", path="src/orders.py")
    end, engine, staged, _ = walk(root, job, breaking, steps=12)
    assert (end.outcome, staged) == ("gave-up", {})
    assert "again and again" in end.summary
    told = [m.content for m in engine.sent[-1].messages if m.role == "user"]
    assert "broke what passed before" in told[2]
    assert "4 != 3" in told[2] or "AssertionError" in told[2]
    assert "files are again as they were" in told[3]


def test_work_that_was_sound_survives_what_broke(root: Path) -> None:
    """Only what came after the last harmless state is taken back."""
    job = Job("other", "name the tax TAX_RATE and speed order_total up", path="src/orders.py")

    def patch(find: str, new: str) -> str:
        return (
            f"Action: patch\nPath: src/orders.py\nFind:\n```\n{find}\n```\n"
            f"Replace:\n```\n{new}\n```"
        )

    script: Script = [
        READ,
        patch("TAX = 0.2", "TAX_RATE = 0.2"),
        patch("total = 0", "total = 5"),
        patch("total = 5", "total = 6"),
        "Action: done\nSummary: named the tax TAX_RATE",
    ]
    end, _, staged, _ = walk(root, job, script)
    assert end.outcome == "done"
    assert staged == {"src/orders.py": ORDERS.replace("TAX =", "TAX_RATE =")}


def test_a_test_job_ends_when_its_test_is_green(root: Path) -> None:
    """The new test calls its subject and passes; the code is left alone."""
    job = Job("write-test", "write a test for Basket", subject="Basket", path="src/orders.py",
              test_path="tests/test_orders.py")  # fmt: skip
    code = MEND.replace("total = 1", "TAX = 0.2").replace("total = 0", "TAX = 0.3")
    new = (
        "Action: patch\nPath: tests/test_orders.py\nAppend:\n```\n"
        "from src.orders import Basket\n\n\n"
        "class BasketTest(unittest.TestCase):\n    def test_total(self):\n"
        "        self.assertEqual(Basket([1, 2]).total(), 3)\n```"
    )
    end, _, staged, heard = walk(root, job, [READ, code.replace("    TAX", "TAX"), new])
    assert end.outcome == "done", end
    assert list(staged) == ["tests/test_orders.py"]
    assert "tests green: 2 passed" in end.summary
    assert [e.refusal.by for e in heard if isinstance(e, Refused)] == ["tests-edited"]


def test_a_fix_may_not_touch_the_test_that_shows_the_fault(broken: Path) -> None:
    """The test says what is right; the refusal points at the code."""
    cheat = (
        "Action: patch\nPath: tests/test_orders.py\nFind:\n```\n[1, 2]), 3)\n```\n"
        "Replace:\n```\n[1, 2]), 4)\n```"
    )
    script: Script = ["Action: read\nPath: tests/test_orders.py", cheat, READ, MEND]
    end, engine, staged, _ = walk(broken, FIX, script)
    assert end.outcome == "done"
    assert list(staged) == ["src/orders.py"]
    assert "mend the code instead" in engine.sent[2].messages[-1].content


def test_an_added_function_with_its_test_needs_both(root: Path) -> None:
    """After the function is in, the next step that is named is its test; then done is believed."""
    job = Job("add-function", "add order_count(prices) to src/orders.py and a test",
              subject="order_count", path="src/orders.py", test_path="tests/test_orders.py",
              signature="order_count(prices)", files=("src/orders.py",),
              wants_test=True)  # fmt: skip
    add = (
        "Action: patch\nPath: src/orders.py\nAppend:\n```\ndef order_count(prices):\n"
        "    return len(prices)\n```"
    )
    done = "Action: done\nSummary: added order_count and a test"
    test = (
        "Action: write\nPath: tests/test_count.py\nBody:\n```\nimport unittest\n\n"
        "from src.orders import order_count\n\n\nclass CountTest(unittest.TestCase):\n"
        "    def test_counts(self):\n        self.assertEqual(order_count([5, 6]), 2)\n```"
    )
    end, engine, staged, heard = walk(root, job, [READ, add, done, test, done])
    assert end.outcome == "done"
    assert sorted(staged) == ["src/orders.py", "tests/test_count.py"]
    assert "Append:\n```\n<a test that calls order_count>" in engine.sent[2].messages[-1].content
    assert [e.refusal.by for e in heard if isinstance(e, Refused)] == ["subject-missing"]


def test_out_of_steps_says_how_things_stand(broken: Path) -> None:
    """The last two turns name the step that ends it; the end names what is staged."""
    half = MEND.replace("total = 0", "total = 2")
    end, engine, _, _ = walk(broken, FIX, [READ, half, "Action: map", "Action: layout"], steps=4)
    assert (end.outcome, end.steps) == ("out-of-steps", 4)
    assert "changed src/orders.py; tests red: 1 failed" in end.summary
    assert "Action: patch" in last_told(engine)


def test_a_rule_of_stage_done_that_is_off_lets_the_words_through(broken: Path) -> None:
    """What each rule is for shows when it is off: the model's word then ends the run."""
    done = "Action: done\nSummary: it is mended"
    off = ("not-proven", "broke")
    end, _, _, _ = walk(broken, FIX, [READ, done], off=off)
    assert (end.outcome, end.summary) == ("nothing-to-do", "it is mended")


def test_a_refusal_sent_back_is_no_answer(root: Path) -> None:
    """The words of a refusal are among those that an answer may not only repeat."""
    thin = "Action: done\nSummary: int"
    echo = "Action: done\nSummary: The answer is too short to be one."
    _, engine, _, _ = walk(root, ASK, [READ, thin, echo], steps=4)
    assert "too short" in engine.sent[2].messages[-1].content
    assert "only repeats what was given" in last_told(engine)
