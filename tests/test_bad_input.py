"""Bad input: each is one clear line with its exit code, and nothing of the project is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli import main
from harness.person import piped

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one module and one test, in which the command is typed."""
    (tmp_path / "shop.py").write_text("def total(a, b):\n    return a + b\n", encoding="utf-8")
    (tmp_path / "test_shop.py").write_text(
        "import unittest\nfrom shop import total\n\n\n"
        "class TotalTest(unittest.TestCase):\n"
        "    def test_adds(self):\n        self.assertEqual(total(1, 2), 3)\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a folder but for the helper's own."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".py-harness" not in path.parts
    }


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["rnu"], "no command 'rnu' (did you mean run?)"),
        (["zzz"], "no command 'zzz' (see py-harness --help)"),
        (["fix the bug in x.py"], 'the command comes first: py-harness run "…"'),
        (["please", "mend", "it"], 'the command comes first: py-harness run "…"'),
        (["--bogus"], "no option --bogus before the command"),
        (["run"], 'no task was given (in quotes: py-harness run "…")'),
        (["run", "  "], "no task was given"),
        (["ask"], 'no question was given (in quotes: py-harness ask "…")'),
        (["run", "-C", "nowhere", "fix it"], "no folder nowhere (give the project's folder"),
        (["run", "-C", "shop.py", "fix it"], "shop.py is a file (give the project's folder"),
        (["run", "empty"], "empty is a folder, no task (write the task after it)"),
        (["run", "empty", "fix it"], "no Python file in"),
        (["run", "fix the bug", "in", "shop.py"], "no file in in the project (names of files come"),
        (["run", "fix it", "shpo.py"], "no file shpo.py in the project (did you mean shop.py?)"),
        (["run", "fix it", "empty"], "empty is a folder (give it as --scope empty"),
        (["run", "-C", "empty", "fix it", "shop.py"], "shop.py is outside the project empty"),
        (["run", "fix it", "--steps", "x"], "argument --steps: invalid int value: 'x'"),
        (["run", "fix it", "--steps", "0"], "steps is 0 (from 1 to 200)"),
        (["run", "fix it", "--road", "wide"], "road is 'wide' (one of auto, short, long)"),
        (["run", "fix it", "--engine", "olama"], "no engine 'olama' (there are: ollama)"),
        (["run", "fix it", "--off", "nothing-such"], "no guard, fix or drafter 'nothing-such'"),
        (["run", "fix it", "--num-ctx", "1e4"], "argument --num-ctx: invalid int value"),
        (["run", "fix it", "--dry"], "unrecognized arguments: --dry"),
        (["run", "--continue", "and now?"], "no run to continue here"),
        (["undo"], "undo"),
        (["last"], "no run is kept here"),
        (["replay", "nothing.jsonl"], "no recording nothing.jsonl"),
        (["replay", "shop.py"], "shop.py line 1 is no row of a recording"),
        (["layout", "-C", "empty"], "no Python file in empty"),
        (["catalogue", "empty"], "one of the arguments --check --write is required"),
        (["models", "--engine", "replay"], "--engine replay needs a recording"),
        (["run", "fix it", "bytes.py"], "bytes.py"),
        (["run", "fix it", "large.py"], "large.py"),
        (["run", "fix it", "picture.png"], "picture.png"),
        (["run", "fix it", ".env"], ".env"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_lost(
    words: list[str], says: str, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad input is exit code 2 and one line that says what to do; no file is touched."""
    (shop / "empty").mkdir()
    (shop / "bytes.py").write_bytes(b"x = 1\n\x00\x00\xff")
    (shop / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (shop / ".env").write_text("KEY=1\n", encoding="utf-8")
    with (shop / "large.py").open("wb") as large:
        large.truncate(50 * 1024 * 1024)
    before = {path: len(data) for path, data in tree(shop).items()}
    assert main(words) == 2
    out = capsys.readouterr()
    assert says in out.err
    assert out.err.count("\n") == 1
    assert "Traceback" not in out.err
    assert {path: len(data) for path, data in tree(shop).items()} == before


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("[tool.py-harness]\nmodle = 'x'\n", "has no setting 'modle'"),
        ("[tool.py-harness]\nsteps = 'many'\n", "steps wants int, not 'many'"),
        ("[tool.py-harness]\nengine = 'abacus'\n", "no engine 'abacus'"),
        ("[tool.py-harness\n", "pyproject.toml cannot be read"),
    ],
)
@pytest.mark.parametrize("command", ["run", "ask", "brief", "doctor", "models"])
def test_a_bad_table_in_pyproject_is_one_line(
    table: str, says: str, command: str, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A setting that is unknown or does not fit is named, by every command that reads settings."""
    (shop / "pyproject.toml").write_text(table, encoding="utf-8")
    words = [command, "why is it so?"] if command in ("run", "ask") else [command]
    assert main(words) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1


def test_an_unreadable_pyproject_as_bytes_is_one_line(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pyproject.toml that is no UTF-8 is a line, not a traceback."""
    (shop / "pyproject.toml").write_bytes(b"\xff\xfe[tool]")
    assert main(["brief"]) == 2
    assert "pyproject.toml cannot be read" in capsys.readouterr().err


def test_a_folder_without_the_right_to_write_is_one_line(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no run can be kept, that is said before anything is done; reading still works."""
    shop.chmod(0o555)
    try:
        if os.access(shop, os.W_OK):
            pytest.skip("whoever runs this may write everywhere")
        assert main(["run", "fix the error in shop.py", "--yes"]) == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert "Permission denied" in err
        assert main(["brief"]) == 0
        assert main(["ask", "where is total defined?", "--no-record"]) == 0
        assert "shop.py" in capsys.readouterr().out
    finally:
        shop.chmod(0o755)


def test_a_file_in_the_way_of_the_record_is_one_line(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is called as the helper's folder is named, and kept."""
    (shop / ".py-harness").write_text("mine", encoding="utf-8")
    assert main(["run", "fix the error in shop.py", "--yes"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert ".py-harness" in err
    assert (shop / ".py-harness").read_text(encoding="utf-8") == "mine"


PIPED = """
import sys
from harness.person import piped
print(ascii(piped.text(lambda note: print('note:', note))[-200:]))
"""


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        (b"", "", ""),
        (b"E   assert 1 == 2\r\nFAILED t\n", "E   assert 1 == 2\nFAILED t\n", ""),
        (b"caf\xe9 broke\n", "caf\ufffd broke\n", "no UTF-8"),
        ("\ufeffTraceback ä\r\n".encode(), "Traceback ä\n", ""),
        ("Traceback ä\r\n".encode("utf-16"), "Traceback ä\n", ""),
        (
            b"a" * 3_000_000 + b"end",
            "a" * 197 + "end",
            "of 3,000,003 bytes piped in, the last 65,536",
        ),
        ("ä".encode() * 1_000_000 + b"!", "ä" * 199 + "!", "of 2,000,001 bytes"),
    ],
)
def test_what_is_piped_in_is_bounded_text(data: bytes, text: str, note: str) -> None:
    """Any bytes become text: the end is kept, line ends are one, and a note says what was lost."""
    ran = subprocess.run(
        [sys.executable, "-c", PIPED], cwd=ROOT, input=data, capture_output=True, timeout=60
    )
    *notes, last = ran.stdout.decode().splitlines()
    assert last == ascii(text)
    assert (note in "".join(notes)) if note else notes == []


def test_waiting_for_a_pipe_is_said() -> None:
    """A pipe that stays open is waited for, and a person is told so after a moment."""
    command = [sys.executable, "-c", PIPED]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as waiting:
        assert waiting.stdin
        assert waiting.stdout
        said = waiting.stdout.readline() if _wait(waiting) else ""
        waiting.stdin.write("late\n")
        waiting.stdin.close()
        assert "give < /dev/null to skip" in said + waiting.stdout.readline()
        assert waiting.stdout.read().endswith("'late\\n'\n")


def _wait(process: subprocess.Popen[str]) -> bool:
    """Whether the process is still there after the time after which it speaks."""
    try:
        process.wait(piped.PATIENCE_S + 0.5)
    except subprocess.TimeoutExpired:
        return False
    return True
