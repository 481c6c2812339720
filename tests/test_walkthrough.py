"""The command line on the demo tree, from a typed task to its undo, on a canned model or none."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.cli import main
from harness.person import retelling, terminal
from tests.misbehaving_server import MODEL, Script, served

ROOT = Path(__file__).resolve().parents[1]
TASK = "fix the NameError in src/orders.py"
ADD = "add a function double(n) to src/orders.py that returns twice n"
NO_SERVER = ["--base-url", "http://127.0.0.1:9"]


@pytest.fixture
def orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the demo, in which the command is typed."""
    left_out = shutil.ignore_patterns("__pycache__", ".py-harness", ".pytest_cache")
    folder = Path(shutil.copytree(ROOT / "demo" / "orders", tmp_path / "orders", ignore=left_out))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def model() -> Iterator[list[str]]:
    """Flags that name a small server, whose model always writes the function `double`."""
    with served(Script(prompt_tokens=None)) as address:
        yield ["--base-url", address, "--model", MODEL]


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a folder but for the helper's own."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".py-harness" not in path.parts and "__pycache__" not in path.parts
    }


def test_a_job_is_done_told_and_undone(
    orders: Path, model: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`run --yes` writes one change, `last` tells it again, `undo` puts every byte back."""
    before = tree(orders)
    assert main(["run", ADD, "--yes", *model]) == 0
    out = capsys.readouterr()
    assert "+    return n * 2\n" in out.out
    assert "suite before: 2 passed" in out.err
    run = re.search(r"undo with: py-harness undo (\S+)", out.err)
    assert run
    changed = {path for path, data in tree(orders).items() if before.get(path) != data}
    assert changed == {"src/orders.py"}
    assert main(["last"]) == 0
    told = capsys.readouterr().out
    assert ADD in told
    assert "+    return n * 2" in told
    assert f"undo with: py-harness undo {run[1]}" in told
    assert main(["last", "--list"]) == 0
    assert capsys.readouterr().out.startswith(f"{run[1]}  done, wrote files: {ADD}")
    assert main(["undo", run[1]]) == 0
    assert "put back: src/orders.py" in capsys.readouterr().out
    assert tree(orders) == before


def test_undo_leaves_what_was_changed_since(
    orders: Path, model: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that a person changed after the run is named and left, with exit code 1."""
    assert main(["run", ADD, "--yes", *model]) == 0
    (orders / "src/orders.py").write_text("mine = 1\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["undo"]) == 1
    assert "left as it is: src/orders.py" in capsys.readouterr().out
    assert (orders / "src/orders.py").read_text(encoding="utf-8") == "mine = 1\n"


def test_a_dry_run_shows_a_patch_and_writes_nothing(
    orders: Path, model: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--dry-run` prints the change as a patch that applies, and leaves the tree alone."""
    before = tree(orders)
    assert main(["run", ADD, "--dry-run", *model]) == 0
    out = capsys.readouterr()
    assert tree(orders) == before
    assert "dry run, nothing was written" in out.err
    patch = subprocess.run(
        ["git", "apply", "--check", "--verbose", "-"],
        input=out.out,
        capture_output=True,
        text=True,
        cwd=orders,
    )
    assert patch.returncode == 0, patch.stderr
    assert "src/orders.py" in patch.stderr


def test_without_a_person_nothing_is_written(
    orders: Path, model: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nobody can be asked and --yes is missing, the diff is shown and exit code is 1."""
    before = tree(orders)
    assert main(["run", ADD, *model]) == 1
    out = capsys.readouterr()
    assert "+    return n * 2" in out.out
    assert "--yes" in out.err
    assert tree(orders) == before


def test_json_is_events_and_nothing_else(
    orders: Path, model: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--json` prints one event a line on standard output, from started to finished."""
    assert main(["run", ADD, "--json", "--dry-run", *model]) == 0
    out = capsys.readouterr()
    kinds = [json.loads(line)["event"] for line in out.out.splitlines()]
    assert kinds[0] == "started"
    assert kinds[-1] == "finished"
    assert "offered" in kinds
    assert out.err == ""


def test_a_question_nobody_answers_is_exit_code_4(
    orders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What only a person can settle is asked; without one nothing is written."""
    before = tree(orders)
    assert main(["run", "fix the NameError in src/orders_controller.py", *NO_SERVER]) == 4
    err = capsys.readouterr().err
    assert "question: " in err
    assert "--answer" in err
    assert tree(orders) == before


def test_a_question_is_answered_by_a_flag(orders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--answer` stands for the person."""
    task = "fix the NameError in src/orders_controller.py"
    assert main(["run", task, "--answer", '"known"', "--yes", *NO_SERVER]) == 0
    capsys.readouterr()
    text = (orders / "src/orders_controller.py").read_text(encoding="utf-8")
    assert "stauts" not in text
    assert "known" in text


def test_an_answer_needs_no_model_where_the_project_knows(
    orders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where something is defined is read from the tree; the answer is all of standard output."""
    before = tree(orders)
    assert main(["ask", "where is apply_discount defined?", *NO_SERVER]) == 0
    out = capsys.readouterr()
    assert "src/orders.py" in out.out
    assert "answered (" in out.err
    assert tree(orders) == before


def test_a_server_that_is_down_is_exit_code_3(
    orders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A job that needs a model and has no server ends with one reason, and writes nothing."""
    before = tree(orders)
    words = ["add a function mean(prices) to src/orders.py", "--yes", *NO_SERVER]
    assert main(["run", *words]) == 3
    assert "127.0.0.1:9" in capsys.readouterr().err
    assert tree(orders) == before


def test_piped_text_is_evidence(orders: Path) -> None:
    """A traceback that is piped in says what to fix; its colours are taken out."""
    traceback = (
        'Traceback (most recent call last):\n  File "src/orders.py", line 23, in total_with_tax\n'
        "    return subtotl * (1 + TAX)\n\x1b[31mNameError: name 'subtotl' is not defined\x1b[0m\n"
    )
    command = [sys.executable, "-m", "harness", "run", "fix this", "--dry-run", *NO_SERVER]
    ran = subprocess.run(
        command,
        cwd=orders,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=traceback,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "+    return subtotal * (1 + TAX)" in ran.stdout
    assert ran.returncode == 0
    assert "\x1b" not in ran.stdout + ran.stderr


def at_terminal(words: list[str], folder: Path, typed: dict[str, str]) -> tuple[int, str]:
    """Exit code and screen of a command at a terminal; what is typed after which prompt."""
    pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")
    pid, leader = pty.fork()
    if pid == 0:
        os.chdir(folder)
        variables = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100"}
        variables.pop("NO_COLOR", None)
        os.execve(sys.executable, [sys.executable, "-m", "harness", *words], variables)
    screen, waiting, limit = "", dict(typed), time.monotonic() + 60
    while time.monotonic() < limit:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the command has ended
            break
        screen += piece.decode("utf-8", "replace")
        for prompt in [prompt for prompt in waiting if prompt in screen]:
            os.write(leader, waiting.pop(prompt).encode())
    _, status = os.waitpid(pid, 0)
    os.close(leader)
    return os.waitstatus_to_exitcode(status), screen


@pytest.mark.parametrize(("key", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_a_person_is_shown_the_change_and_asked(
    orders: Path, model: list[str], key: str, code: int
) -> None:
    """At a terminal the coloured diff comes first, then the question; only yes writes."""
    before = tree(orders)
    ended, screen = at_terminal(["run", ADD, *model], orders, {"Apply? [y/N]": key})
    assert ended == code
    assert screen.index("\x1b[32m+    return n * 2") < screen.index("Apply? [y/N]")
    assert (tree(orders) == before) is (code == 1)


def test_a_person_answers_a_question_by_its_number(orders: Path) -> None:
    """Options are numbered, and the number is an answer."""
    task = "fix the NameError in src/orders_controller.py"
    ended, screen = at_terminal(
        ["run", task, *NO_SERVER], orders, {"answer": '"known"\n', "Apply? [y/N]": "y\n"}
    )
    assert "question: " in screen
    assert ended == 0
    assert "stauts" not in (orders / "src/orders_controller.py").read_text(encoding="utf-8")


def test_an_interrupt_says_what_was_written(orders: Path, model: list[str]) -> None:
    """Ctrl-C at the question ends with 130, one line, and nothing written."""
    before = tree(orders)
    ended, screen = at_terminal(["run", ADD, *model], orders, {"Apply? [y/N]": "\x03"})
    assert ended == 130
    assert "interrupted; nothing was written" in screen
    assert "Traceback" not in screen
    assert tree(orders) == before


def test_a_run_plays_again_from_its_recording(
    orders: Path, model: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The recording of a run is told, and today's helper does the same on the same tree."""
    assert main(["run", ADD, "--yes", "--record", "kept.jsonl", *model]) == 0
    assert main(["undo"]) == 0
    capsys.readouterr()
    assert main(["replay", "kept.jsonl"]) == 0
    assert ADD in capsys.readouterr().out
    assert main(["replay", "kept.jsonl", "--check"]) == 0
    assert capsys.readouterr().out == "equal: 2 requests, the same end, the same files\n"
    text = (orders / "src/orders.py").read_text(encoding="utf-8")
    (orders / "src/orders.py").write_text(text.replace("TAX", "VAT"), encoding="utf-8")
    assert main(["replay", "kept.jsonl", "--check"]) == 1
    assert capsys.readouterr().out.startswith("stale since request 1: ")


def test_a_run_is_found_by_the_beginning_of_its_id(
    orders: Path, model: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`last` takes a whole id or its beginning, and says which there are where none fits."""
    assert main(["run", ADD, "--dry-run", *model]) == 0
    capsys.readouterr()
    assert main(["last", "2"]) == 0
    assert ADD in capsys.readouterr().out
    assert main(["last", "nothing"]) == 2
    assert "the last ones: 2" in capsys.readouterr().err


def test_a_recording_is_told_without_control_characters(tmp_path: Path) -> None:
    """What a model wrote reaches a terminal cleaned when it is told again, too."""
    path = tmp_path / "evil.jsonl"
    rows = [{"row": "head"}, {"row": "fault", "step": 1, "reason": "\x1b[2J\u202e"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    told = list(retelling.lines(path))
    assert told[1:] == ["step 1: no Action: \\x1b[2J\\u202e"]
    assert terminal.clean(told[1]) == told[1]


def test_a_killed_run_is_tidy_and_can_be_told(orders: Path) -> None:
    """A run that is told to end says so, leaves the tree, no copy and a record to tell again."""
    if sys.platform == "win32":
        pytest.skip("needs signals")
    slow = "import time\n\n\ntime.sleep(60)\n"
    (orders / "tests" / "test_slow.py").write_text(slow, encoding="utf-8")
    before, spare = tree(orders), orders.parent / "spare"
    spare.mkdir()
    command = [sys.executable, "-m", "harness", "run", TASK, "--json", *NO_SERVER]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(spare)}
    with subprocess.Popen(
        command,
        cwd=orders,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        for line in process.stdout:
            if json.loads(line)["event"] == "waiting":
                break
        time.sleep(1)  # by now the slow test runs
        process.terminate()
        said = process.stderr.read()
    assert process.returncode == 130
    assert said == "py-harness: interrupted; nothing was written\n"
    assert tree(orders) == before
    assert list(spare.iterdir()) == []
    assert main(["last"]) == 0
