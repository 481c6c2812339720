"""Every command: its help, its exit codes, and its words on bad input."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from harness import parts
from harness.cli import main
from harness.errors import HarnessError
from harness.person import catalogue, flags
from harness.settings import KNOBS

ROOT = Path(__file__).resolve().parents[1]
NAMES = parts.names("commands")
PARTS = ("actions", "drafters", "engines", "fixes", "guards")


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


def typed(
    words: list[str], folder: Path, *, stdin: bytes = b"", **environ: str
) -> subprocess.CompletedProcess[bytes]:
    """A command line as a process of its own, with bytes piped into it."""
    command = [sys.executable, "-m", "harness", *words]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environ}
    return subprocess.run(
        command, cwd=folder, input=stdin, env=variables, capture_output=True, timeout=120
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its help has its usage and its own first sentence, and is asked for in two ways."""
    assert main([name, "--help"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: py-harness {name}")
    assert parts.says(parts.load("commands", name))[:40] in " ".join(said.split())
    assert main(["help", name]) == 0
    assert capsys.readouterr().out == said


@pytest.mark.parametrize("name", NAMES)
def test_every_command_says_what_a_flag_is(name: str) -> None:
    """No option is without help, no line of the help is a mere word, and none is dear to width."""
    parser = flags.parser_of(name, parts.load("commands", name))
    for action in parser._actions:
        assert action.help
        assert len(action.help) > 7
    assert max(len(line) for line in parser.format_help().splitlines()) <= flags.WIDTH


@pytest.mark.parametrize("name", NAMES)
def test_every_command_refuses_an_unknown_flag(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown flag is one line on standard error, and exit code 2."""
    assert main([name, "--no-such-flag"]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.count("\n") == 1
    assert out.err.startswith("py-harness: ")


def test_the_overview_lists_every_command_without_importing_one() -> None:
    """`--help` has one line a command, in order, and imports none of them."""
    code = (
        "import sys; from harness.cli import main; main(['--help']); "
        "print([m for m in sys.modules if m.startswith('harness.commands.')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "[]"
    listed = re.findall(r"^  ([a-z-]+)  +\S", ran.stdout, re.MULTILINE)
    assert set(listed) == set(NAMES)
    assert listed[:3] == ["ask", "run", "undo"]
    assert max(len(line) for line in ran.stdout.splitlines()) <= 105


def test_alone_it_says_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    """`py-harness` alone prints a short how-to whose commands exist."""
    assert main([]) == 0
    said = capsys.readouterr().out
    assert len(said.splitlines()) < 10
    for name in re.findall(r"^  py-harness (\w+)", said, re.MULTILINE):
        assert name in NAMES


def test_every_knob_is_a_flag_of_run() -> None:
    """Each setting is a flag, declared nowhere else; `ask` lacks those that speak of a change."""
    run = flags.parser_of("run", parts.load("commands", "run")).format_help()
    ask = flags.parser_of("ask", parts.load("commands", "ask")).format_help()
    for name in KNOBS:
        assert flags.flag(name) in run
        changes = name in ("yes", "dry_run", "commit", "drafts", "road")
        assert (re.search(rf"{flags.flag(name)}\b", ask) is None) is changes


def test_flags_win_over_the_table_and_the_table_over_the_default(shop: Path) -> None:
    """What is typed wins over pyproject.toml, which wins over the default."""
    (shop / "pyproject.toml").write_text(
        "[tool.py-harness]\nsteps = 7\nmodel = 'a:1b'\n", encoding="utf-8"
    )
    parser = flags.parser_of("run", parts.load("commands", "run"))
    options = parser.parse_intermixed_args(["--steps", "9", "fix", "--scope", "a", "--scope", "b"])
    settings = flags.settings_of(options, shop)
    assert (settings.steps, settings.model, settings.drafts) == (9, "a:1b", 5)
    assert settings.scope == ("a", "b")


@pytest.mark.parametrize(
    ("words", "root", "task", "files"),
    [
        (["fix it"], ".", "fix it", ()),
        (["sub", "fix it", "a.py"], "sub", "fix it", ("a.py",)),
        (["--yes", "fix it", "--steps", "3", "shop.py"], ".", "fix it", ("shop.py",)),
        (["-C", "sub", "fix it", "a.py"], "sub", "fix it", ("a.py",)),
        (["-C", "sub", "fix it", "sub/a.py"], "sub", "fix it", ("a.py",)),
        (["fix it", "./sub/../sub/a.py"], ".", "fix it", ("sub/a.py",)),
        (["--", "-1 is returned, why?"], ".", "-1 is returned, why?", ()),
    ],
)
def test_folder_task_and_files_are_told_apart(
    words: list[str], root: str, task: str, files: tuple[str, ...], shop: Path
) -> None:
    """A folder may come first, files come after the task, flags stand anywhere."""
    (shop / "sub").mkdir()
    (shop / "sub" / "a.py").write_text("a = 1\n", encoding="utf-8")
    options = flags.parser_of("run", parts.load("commands", "run")).parse_intermixed_args(words)
    wanted = flags.wanted(options, options.words, "task")
    assert wanted == flags.Wanted(Path(root), task, files)


@pytest.mark.parametrize("topic", PARTS)
def test_a_catalogue_comes_from_the_parts(topic: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each catalogue lists every part of its folder with its own words, for people and programs."""
    assert main([topic]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert main([topic, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == list(parts.names(topic))
    assert len(lines) == len(rows)
    for line, (name, part) in zip(lines, parts.all_of(topic).items(), strict=True):
        assert line.startswith(name)
        assert line.endswith(parts.says(part))


@pytest.mark.parametrize("topic", ["settings", "exit codes", "commands", "help run", *PARTS])
def test_generated_text_is_markdown_of_one_form(topic: str) -> None:
    """Each topic is a table in which every row has the header's cells."""
    table = [row for row in catalogue.text(topic).splitlines() if row.startswith("|")]
    cells = {len(re.findall(r"(?<!\\)\|", row)) for row in table}
    assert len(table) > 2
    assert len(cells) == 1


def test_the_settings_table_names_every_knob() -> None:
    """Settings are listed as the project's table spells them."""
    text = catalogue.text("settings")
    for name in KNOBS:
        assert f"| {name.replace('_', '-')} |" in text


PAGE = "# Use\n\n<!-- generated: exit codes -->\nstale words\n<!-- end generated -->\n\nKept.\n"


def test_pages_are_checked_and_renewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A stale page is named with exit code 1, renewed on request, and then left alone."""
    page = tmp_path / "guide" / "use.md"
    page.parent.mkdir()
    page.write_bytes(PAGE.encode("utf-8"))
    assert main(["catalogue", "--check", str(tmp_path)]) == 1
    assert f"stale: {page.as_posix()}" in capsys.readouterr().out
    assert page.read_bytes() == PAGE.encode("utf-8")
    assert main(["catalogue", "--write", str(tmp_path)]) == 0
    written = page.read_text(encoding="utf-8")
    assert "| `4` | the run had a question and nobody answered |" in written
    assert written.startswith("# Use\n\n<!-- generated: exit codes -->\n")
    assert written.endswith("<!-- end generated -->\n\nKept.\n")
    assert "stale words" not in written
    assert main(["catalogue", "--check", str(tmp_path)]) == 0


@pytest.mark.parametrize(
    ("page", "says"),
    [
        ("<!-- generated: exit codes -->\n", "a generated block without its end"),
        ("<!-- generated: nothing -->\n<!-- end generated -->\n", "no catalogue 'nothing'"),
        ("<!-- generated: help fly -->\n<!-- end generated -->\n", "no command 'fly'"),
    ],
)
def test_a_page_that_cannot_be_renewed_is_one_line(page: str, says: str) -> None:
    """An open block or an unknown topic is said, and nothing is written."""
    with pytest.raises(HarnessError, match=re.escape(says)):
        catalogue.renewed(page)


def test_pages_of_this_project_are_fresh() -> None:
    """Generated text that is committed says what the code says."""
    stale = [page.path.name for page in catalogue.stale(ROOT / "docs")]
    assert stale == []


def test_a_closed_pipe_is_quiet(shop: Path) -> None:
    """A reader that goes away ends the command without a word."""
    command = [sys.executable, "-m", "harness", "--help"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=shop, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_a_narrow_console_gets_escapes_and_json_stays_json(shop: Path) -> None:
    """A console without a letter shows its escape; JSON is UTF-8 whatever the console is."""
    ran = typed(["run"], shop, PYTHONIOENCODING="ascii")
    assert ran.returncode == 2
    assert b'py-harness run "\\u2026"' in ran.stderr
    (shop / "AGENTS.md").write_text("# Caf\u00e9\n", encoding="utf-8")
    ran = typed(["brief", "--json"], shop, PYTHONIOENCODING="ascii")
    assert json.loads(ran.stdout.decode("utf-8"))["rules"] == "AGENTS.md: Caf\u00e9"


def test_the_project_declares_the_command() -> None:
    """What is installed as `py-harness` is what is tested here."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["scripts"]["py-harness"] == "harness.cli:main"
