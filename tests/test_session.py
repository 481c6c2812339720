"""A session from task to files, on a scripted engine: both roads, offer, undo, follow-up."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from harness.errors import EngineError, HarnessError
from harness.events import Drafted, Event, Offered
from harness.model import recording
from harness.road import prompt
from harness.session import Session
from harness.settings import Settings
from harness.types import RunResult
from tests.shop import SHOP, Scripted, shop

MENDED = SHOP["shop/basket.py"].replace("amount * people", "amount / people")
WHOLE = f"shop/basket.py\n```python\n{MENDED}```\n"
RED = (
    SHOP["tests/test_basket.py"]
    .replace(
        "        self.assertEqual(total([1, 2]), 3)\n",
        "        self.assertEqual(total([1, 2]), 3)\n\n    def test_shares(self):\n"
        "        self.assertEqual(share(10, 4), 2.5)\n",
    )
    .replace("import total", "import share, total")
)
MEDIAN = "```python\ndef median(values):\n    return sorted(values)[len(values) // 2]\n```"
FIX = "fix share, which is wrong"


def run(
    root: Path, task: str, lines: Iterable[str | EngineError], **knobs: Any
) -> tuple[RunResult, Scripted, list[Event]]:
    """One run with everything accepted: its result, its engine, its events."""
    heard: list[Event] = []
    engine = Scripted(lines)
    settings = Settings(**{"yes": True, **knobs})
    result = Session(settings, root, on_event=heard.append, engine=engine).run(task)
    return result, engine, heard


def text(root: Path, path: str = "shop/basket.py") -> str:
    """A file's text as it stands."""
    return (root / path).read_text(encoding="utf-8")


def test_draft_0_is_the_bare_request(tmp_path: Path) -> None:
    """The first request is, word for word, what a person would paste: files, task, form."""
    result, engine, _ = run(shop(tmp_path, test_basket=RED), FIX, [WHOLE])
    files = {"shop/basket.py": SHOP["shop/basket.py"], "tests/test_basket.py": RED}
    assert engine.asked[0].messages == prompt.bare(FIX, files)
    assert engine.asked[0].sampling.temperature == 0
    assert (result.outcome, result.road, result.steps) == ("done", "short", 1)
    assert text(tmp_path) == MENDED


def test_what_failed_must_pass_and_the_first_proof_ends_it(tmp_path: Path) -> None:
    """A draft that leaves the test red is refused, the next one that mends it is taken."""
    wrong = WHOLE.replace("amount / people", "amount - people")
    result, engine, heard = run(shop(tmp_path, test_basket=RED), FIX, [wrong, WHOLE, WHOLE])
    verdicts = [e.verdict for e in heard if isinstance(e, Drafted)]
    assert [v.accepted for v in verdicts] == [False, True]
    assert verdicts[0].reason == "what failed still fails"
    assert len(engine.asked) == 2
    assert result.after is not None
    assert result.after.green


def test_a_fix_never_edits_the_tests(tmp_path: Path) -> None:
    """A draft that changes the failing test instead is left with nothing."""
    cheat = RED.replace("share(10, 4), 2.5", "share(10, 4), 40")
    reply = f"tests/test_basket.py\n```python\n{cheat}```\n"
    result, _, _ = run(shop(tmp_path, test_basket=RED), FIX, [reply], road="short", drafts=1)
    assert result.outcome == "gave-up"
    assert text(tmp_path, "tests/test_basket.py") == RED


def test_the_persons_example_is_proof(tmp_path: Path) -> None:
    """Where no test fails, a call with its value in the task's words decides."""
    task = "share(10, 4) should be 2.5, fix it"
    wrong = WHOLE.replace("amount / people", "amount // people")
    result, engine, heard = run(shop(tmp_path), task, [wrong, WHOLE])
    assert "share(10, 4) should give 2.5, got 2" in [
        e.verdict.reason for e in heard if isinstance(e, Drafted)
    ]
    assert (result.outcome, len(engine.asked)) == ("done", 2)


def test_drafts_vote_where_no_test_decides(tmp_path: Path) -> None:
    """Of drafts that behave differently the pair that agrees is taken, not the first."""
    odd = MEDIAN.replace("sorted(values)[len(values) // 2]", "values[0]")
    task, lines = "add a function median(values)", [odd, MEDIAN, MEDIAN]
    result, engine, _ = run(shop(tmp_path), task, lines, off=("completion",))
    assert "sorted(values)" in text(tmp_path)
    assert "2 of 3 drafts behave like this" in result.summary
    assert len(engine.asked) == 3


def test_an_added_function_gets_a_test_that_notices_changes(tmp_path: Path) -> None:
    """Code and test are judged apart: a wrong assertion is left out, what is right is kept."""
    tests = (
        "```python\nimport unittest\nfrom shop.basket import median\n\n\n"
        "class MedianTest(unittest.TestCase):\n    def test_odd(self):\n"
        "        self.assertEqual(median([3, 1, 2]), 2)\n\n    def test_wrong(self):\n"
        "        self.assertEqual(median([3, 1, 2]), 99)\n```"
    )
    lines = [MEDIAN, MEDIAN, tests]
    task = "add a function median(values) and a unit test"
    result, _, _ = run(shop(tmp_path), task, lines, off=("completion", "whole-file"))
    assert result.outcome == "done"
    written = text(tmp_path, "tests/test_basket.py")
    assert "def test_odd" in written
    assert "def test_wrong" not in written
    assert "kills" in result.summary


def test_a_new_test_file_gets_a_name_that_is_found(tmp_path: Path) -> None:
    """`share_test.py` would never be run by unittest: it is written as `test_share.py`."""
    tests = (
        "tests/share_test.py\n```python\nimport unittest\nfrom shop.basket import share\n\n\n"
        "class ShareTest(unittest.TestCase):\n    def test_one(self):\n"
        "        self.assertEqual(share(3, 5), 15)\n```"
    )
    run(shop(tmp_path), "write a test for share", [tests])
    assert "ShareTest" in text(tmp_path, "tests/test_share.py")
    assert not (tmp_path / "tests/share_test.py").exists()


def test_a_change_that_no_test_notices_is_asked_for_once(tmp_path: Path) -> None:
    """The surviving mutant is named to the model; tests that notice more are taken, once."""
    first = (
        "```python\nimport unittest\nfrom shop.basket import share\n\n\n"
        "class ShareTest(unittest.TestCase):\n    def test_one(self):\n"
        "        self.assertEqual(share(2, 2), 4)\n```"
    )
    second = first.replace("ShareTest", "MoreTest").replace("share(2, 2), 4", "share(3, 5), 15")
    lines = [first, second, second]
    result, engine, _ = run(shop(tmp_path), "write a test for share", lines, off=("whole-file",))
    assert len(engine.asked) == 2
    assert "fail if the code is changed like this: line 11" in engine.asked[1].messages[0].content
    written = text(tmp_path, "tests/test_basket.py")
    assert "share(2, 2)" in written
    assert "share(3, 5)" in written
    assert result.decided_by in ("model", "mixed")


def test_a_test_is_written_without_a_model_and_says_so(tmp_path: Path) -> None:
    """With no server up a characterisation test is offered, labelled, and mutants judge it."""
    result, _, _ = run(shop(tmp_path), "write a test for total", [])
    written = text(tmp_path, "tests/test_basket.py")
    assert (result.outcome, result.decided_by) == ("done", "harness")
    assert "haracterisation" in written.replace(SHOP["tests/test_basket.py"], "")
    assert any("without a model" in note for note in result.notes)


def test_a_server_that_is_down_ends_a_job_that_needs_one(tmp_path: Path) -> None:
    """The run says what the engine said and writes nothing."""
    result, _, _ = run(shop(tmp_path, test_basket=RED), FIX, [])
    assert (result.outcome, result.writes) == ("engine-failed", 0)
    assert "start it" in result.summary


def test_a_question_and_its_answer_are_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that asked plays again with the answer that was given then."""
    slip = SHOP["shop/basket.py"].replace("sum(items)", "sum(itms)")
    root = shop(tmp_path / "a", basket=slip.replace("(items)", "(items, itmss)"))
    settings = Settings(yes=True, answer="items", record=str(tmp_path / "kept.jsonl"))
    session = Session(settings, root, engine=Scripted([]))
    result = session.run("fix the NameError in shop/basket.py")
    assert result.outcome == "done", result.summary
    session.workspace.undo()
    kept = recording.read(tmp_path / "kept.jsonl")
    asked = [row for row in kept.rows if row["row"] == "question"]
    assert [row["answer"] for row in asked] == ["items"]


def test_nothing_is_written_unless_it_is_accepted(tmp_path: Path) -> None:
    """Declined, nobody there, and a dry run all leave the tree as it was, and say which."""
    root = shop(tmp_path, test_basket=RED)
    seen: list[Offered] = []

    def no(offered: Offered) -> bool:
        seen.append(offered)
        return False

    declined = Session(Settings(), root, on_offer=no, engine=Scripted([WHOLE])).run(FIX)
    alone = Session(Settings(), root, engine=Scripted([WHOLE])).run(FIX)
    dry = Session(Settings(dry_run=True), root, engine=Scripted([WHOLE])).run(FIX)
    assert [r.outcome for r in (declined, alone, dry)] == ["declined", "declined", "dry-run"]
    assert "+    return amount / people" in seen[0].diff
    assert "--yes" in alone.summary
    assert text(root) == SHOP["shop/basket.py"]


def test_a_run_is_undone_and_followed_up(tmp_path: Path) -> None:
    """`undo` puts every byte back; a follow-up knows the subject of the run before it."""
    root = shop(tmp_path, test_basket=RED)
    run(root, FIX, [WHOLE])
    session = Session(Settings(yes=True), root, engine=Scripted([WHOLE]))
    assert session.workspace.undo().restored == ("shop/basket.py",)
    assert text(root) == SHOP["shop/basket.py"]
    result = session.follow("try again")
    assert (result.job.subject, result.job.kind, result.outcome) == ("share", "fix", "done")


def test_one_commit_holds_this_change_alone(tmp_path: Path) -> None:
    """`commit` leaves the person's own changes uncommitted, and says that they are there."""
    root = shop(tmp_path, test_basket=RED)
    name = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for words in (["init", "-q"], ["add", "."], [*name, "commit", "-qm", "start"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    for key, value in (("user.name", "Ann"), ("user.email", "ann@example.org")):
        subprocess.run(["git", "config", key, value], cwd=root, check=True)
    (root / "shop/__init__.py").write_text("# mine\n", encoding="utf-8")
    result, _, _ = run(root, FIX, [WHOLE], commit=True)
    shown = ["git", "show", "--name-only", "--format=%s"]
    told = subprocess.run(shown, cwd=root, capture_output=True, text=True, check=True).stdout
    assert told.split() == [*FIX.split(), "shop/basket.py"]
    assert any("shop/__init__.py" in note for note in result.notes)


@pytest.mark.parametrize(
    ("question", "answer", "evidence"),
    [
        ("where is total defined?", "total is defined in shop/basket.py, line 4.", "def total"),
        ("who calls total?", "total is called in tests/test_basket.py:8", "assertEqual(total"),
    ],
)
def test_what_the_code_tells_needs_no_model(
    tmp_path: Path, question: str, answer: str, evidence: str
) -> None:
    """Where something is and who calls it is read off the code, with file and line."""
    engine = Scripted([])
    result = Session(Settings(), shop(tmp_path), engine=engine).ask(question)
    assert result.summary.startswith(answer)
    assert evidence in result.summary
    assert (engine.asked, result.decided_by) == ([], "harness")


def test_an_answer_carries_evidence_that_exists(tmp_path: Path) -> None:
    """Cited lines are checked; a call in the question is run and quoted; a false line is named."""
    said = "It multiplies them, see shop/basket.py:11 and shop/basket.py:99."
    engine = Scripted([said])
    session = Session(Settings(), shop(tmp_path), engine=engine)
    result = session.ask("what does share(10, 4) return?")
    assert "ran share(10, 4) gives 40" in result.summary
    assert "shop/basket.py:11: return amount * people" in result.summary
    assert result.notes == ("the answer names shop/basket.py:99, which does not exist",)
    assert "share(10, 4) gives 40" in engine.asked[0].messages[-1].content


def test_an_echo_is_asked_again_and_then_not_believed(tmp_path: Path) -> None:
    """A thin answer gets one nudge; after that the code's own lines stand alone."""
    engine = Scripted(["int", "int"])
    result = Session(Settings(), shop(tmp_path), engine=engine).ask("what does share return?")
    assert len(engine.asked) == 2
    assert "no answer of its own" in result.notes[0]
    assert "return amount * people" in result.summary


def test_an_unknown_subject_takes_the_long_road(tmp_path: Path) -> None:
    """A question without a subject goes through the loop, read only."""
    lines = [
        "Action: read\nPath: shop/basket.py",
        "Action: done\nSummary: The file shop/basket.py sums a basket and shares an amount.",
    ]
    session = Session(Settings(), shop(tmp_path), engine=Scripted(lines))
    result = session.ask("what is this project about?")
    assert (result.outcome, result.road) == ("answered", "long")
    assert "sums a basket" in result.summary


@pytest.mark.parametrize(("task", "word"), [("  ", "empty"), ("x" * 30_000, "characters")])
def test_a_task_must_be_one(tmp_path: Path, task: str, word: str) -> None:
    """An empty or endless task is refused in one line."""
    with pytest.raises(HarnessError, match=word):
        Session(Settings(), shop(tmp_path), engine=Scripted([])).run(task)


def test_a_folder_without_python_is_refused(tmp_path: Path) -> None:
    """There is nothing to work on, and the line says how to name another folder."""
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(HarnessError, match="no Python file"):
        Session(Settings(), tmp_path, engine=Scripted([])).run("fix it")
