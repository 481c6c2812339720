"""The command lines: what they print, how they fail, and that start-up stays light."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness import __version__
from harness.cli import main as harness_main
from measure.cli import main
from tests import bench_start

ROOT = Path(__file__).resolve().parents[1]


def test_the_helper_offers_no_command_that_it_does_not_have(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without a command it says how to begin; a command it lacks is refused, not pretended."""
    assert harness_main([]) == 0
    assert "py-harness --help" in capsys.readouterr().out
    assert harness_main(["ship", "it"]) == 2
    assert "no command 'ship'" in capsys.readouterr().err


def test_versions_agree(capsys: pytest.CaptureFixture[str]) -> None:
    """Both commands, the package and the citation name one version."""
    assert harness_main(["--version"]) == 0
    assert capsys.readouterr().out == f"py-harness {__version__}\n"
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.split()[-1] == __version__
    assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_show_prints_a_figure_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """A figure is printed whole, as it stands in the record."""
    assert main(["--root", str(ROOT), "show", "wall.llama3.1-8b.worked"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["value"]["successes"] == 8
    assert shown["decided_by"] == "model"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "wall.llama"], "no figure 'wall.llama' in the record (did you mean"),
        (["replay", "wall.llama3.1-8b.worked"], "its replay is: planned"),
        (["--root", "nowhere-at-all", "check"], "data/published"),
        (["transcribe", "no-such-folder"], "give the folder of the facts"),
    ],
)
def test_bad_input_is_one_line_and_exit_1(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a user can mend is one line on stderr that says what to do."""
    assert main(arguments) == 1
    out = capsys.readouterr()
    assert out.err.count("\n") == 1
    assert message in out.err


def test_the_record_is_found_from_a_folder_beneath(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`py-measure` works anywhere inside the project, and says so outside."""
    monkeypatch.chdir(ROOT / "docs")
    assert main(["counts"]) == 0
    assert "published figures in the record (figures)" in capsys.readouterr().out
    monkeypatch.chdir(Path(ROOT.anchor))
    assert main(["counts"]) == 1
    assert "no data/published here or above" in capsys.readouterr().err


def test_the_helper_starts_light() -> None:
    """`py-harness` imports nothing that a command may need and `--version` does not."""
    code = (
        "import sys, harness.cli; harness.cli.main(['--version']); "
        "heavy = ('pydantic', 'scipy', 'measure', 'mkdocs', 'argparse', 'json', 'rich', 'httpx'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines()[-1] == "[]"


def test_the_help_of_a_command_starts_light() -> None:
    """The help of `run`, and a flag it lacks, cost none of what a run needs."""
    code = (
        "import sys, harness.cli; harness.cli.main(['run', '--help']); "
        "heavy = ('harness.session', 'rich', 'httpx', 'ollama', 'pyflakes', 'rope'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines()[-1] == "[]"


def test_start_up_takes_at_most_three_times_as_long_as_python_itself() -> None:
    """Median of interleaved runs; what is measured on a busy machine is tried three times."""
    assert any(bench_start.ratio(runs=7) <= 3 for _ in range(3))


def test_the_measure_of_start_up_sees_a_heavy_import() -> None:
    """The check above can fail: a start that imports a server's client is above three times."""
    heavy = bench_start.VERSION.replace("import sys;", "import sys, httpx, rich.console;")
    assert bench_start.ratio(heavy, runs=3) > 3
