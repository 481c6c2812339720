"""The project's own suite as proof: alone, compared, contained, by a person's command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from harness.suite import containment, sandbox
from harness.suite.oracle import Oracle, fingerprint, newly_red
from harness.suite.suite_output import SuiteRun
from harness.tree.filenames import is_protected
from harness.tree.scratch import Scratch
from tests.suites import CASE, GREEN, ORDERS, RED, SKIPPED, Make, ask, write


@pytest.fixture(autouse=True)
def bare_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suites below need none of the plugins that are installed beside us."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a project of these files."""
    return partial(write, tmp_path / "shop")


@pytest.fixture
def loose(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system without bubblewrap: its program is on no path."""
    monkeypatch.setenv("PATH", "/nowhere")
    containment.wrapper.cache_clear()
    yield
    containment.wrapper.cache_clear()


@pytest.mark.parametrize(
    "name",
    [
        "tests/test_orders.py::TestTotal::test_sum", "test_orders.TestTotal.test_sum",
        "tests/test_orders.py::TestTotal", "tests.test_orders.TestTotal.test_sum",
    ],
)  # fmt: skip
@pytest.mark.parametrize("runner", ["unittest", "pytest"])
def test_a_test_runs_alone_by_either_form_of_its_name(make: Make, name: str, runner: str) -> None:
    """Both runners take both forms; what else is red does not matter then."""
    wrong = "\n\nclass TestOther(unittest.TestCase):\n    def test_no(self):\n        self.fail()\n"
    files = {"orders.py": ORDERS, "tests/__init__.py": "", "tests/test_orders.py": GREEN + wrong}
    if name.startswith("test_orders"):
        del files["tests/__init__.py"]
    if runner == "pytest":
        files["pytest.ini"] = "[pytest]\n"
    report = ask(make(files), name)
    assert (report.status, report.collected) == ("green", 1), report.output


def test_one_parameter_runs_alone(make: Make) -> None:
    """A failure's own id, with its parameter in brackets, runs that one again."""
    tests = "import pytest\n\n\n@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_each(n):\n"
    root = make({"tests/test_kinds.py": f"{tests}    assert n != 2\n"})
    report = ask(root, "tests/test_kinds.py::test_each[2]")
    assert (report.status, report.collected, report.failed) == ("red", 1, 1)


@pytest.mark.parametrize("runner", ["unittest", "pytest"])
def test_a_test_that_is_not_there_is_never_green(make: Make, runner: str) -> None:
    """An id that fits nothing gives no proof."""
    files = {"orders.py": ORDERS, "tests/test_orders.py": GREEN}
    if runner == "pytest":
        files["pytest.ini"] = "[pytest]\n"
    assert not ask(make(files), "tests/test_orders.py::TestTotal::test_nope").green


def test_newly_red_names_what_broke_and_what_vanished(make: Make) -> None:
    """A test that fails now, or passed before and is gone or skipped now; old failures do not."""
    root = make({"orders.py": ORDERS, "tests/test_orders.py": RED})
    before = ask(root)
    assert newly_red(before, before) == ()
    assert newly_red(before, ask(root, "test_orders.TestTotal.test_wrong")) == ()
    (root / "orders.py").write_text(ORDERS.replace("sum(prices)", "0"), encoding="utf-8")
    assert newly_red(before, ask(root)) == ("test_orders.TestTotal.test_sum",)
    for text in (SKIPPED, RED.replace("test_sum", "test_renamed")):
        (root / "tests" / "test_orders.py").write_text(text, encoding="utf-8")
        (root / "orders.py").write_text(ORDERS, encoding="utf-8")
        assert newly_red(before, ask(root)) == ("test_orders.TestTotal.test_sum",)


def test_the_fingerprint_sees_tests_and_settings_and_nothing_else(make: Make) -> None:
    """Changing the product leaves it equal; a test, a conftest or a settings file does not."""
    root = make({"orders.py": ORDERS, "tests/test_orders.py": GREEN, "tests/data.py": "x = 1\n"})
    first = fingerprint(root)
    make({"orders.py": ORDERS + "\n"})
    assert fingerprint(root) == first
    seen = {first}
    for name in ("tests/test_orders.py", "tests/data.py", "conftest.py", "setup.cfg", "a.pth"):
        make({name: "# changed\n"})
        seen.add(fingerprint(root))
        assert is_protected(name) is (name in ("conftest.py", "setup.cfg", "a.pth"))
    assert len(seen) == 6


@pytest.mark.parametrize(
    ("command", "counts"),
    [
        ("python -m unittest discover -s tests -t .", ("red", 1, 1)),
        ("python -m pytest -q tests", ("red", 1, 1)),
        ("python -m unittest tests.test_orders && echo never", ("red", 1, 1)),
        ("python -c 'print(1)'", ("no-tests", 0, 0)),
        ("python -m unittest discover -s empty", ("no-tests", 0, 0)),
        ("no-such-program --test", ("red", 0, 0)),
    ],
)
def test_a_given_command_is_read_by_its_last_lines(
    make: Make, command: str, counts: tuple[str, int, int]
) -> None:
    """Counts of unittest and pytest are read; a command that tells no count is never green."""
    root = make({"orders.py": ORDERS, "tests/__init__.py": "", "tests/test_orders.py": RED,
                 "empty/x.py": ""})  # fmt: skip
    report = ask(root, test_cmd=command)
    assert (report.status, report.passed, report.failed) == counts, report.output
    if counts[2]:
        assert report.failures[0].error == "AssertionError: 3 != 4"
        assert (report.failures[0].path, report.failures[0].line) == ("tests/test_orders.py", 11)


shut_in = pytest.mark.skipif(
    not sandbox.contained(), reason="bubblewrap is not here, or does not work here"
)


@shut_in
def test_a_hostile_suite_reaches_neither_the_project_nor_the_network(make: Make) -> None:
    """It deletes its tree, edits tests, leaves for the project's path, calls out: all in vain."""
    root = make({"orders.py": ORDERS})
    hostile = (
        CASE
        + f"""    def test_a(self):
        import pathlib, shutil, socket
        for path in pathlib.Path({str(root)!r}).iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        pathlib.Path('tests').mkdir()
        pathlib.Path('tests/test_orders.py').write_text('')
        with self.assertRaises(OSError):
            socket.create_connection(('192.0.2.1', 80), 1)
        with self.assertRaises(OSError):
            pathlib.Path({str(Path(__file__).parent / "py-harness-test")!r}).write_text('x')
"""
    )
    make({"tests/test_orders.py": hostile})
    before = {path: path.read_bytes() for path in root.rglob("*.py")}
    with Scratch(root) as scratch:
        oracle = Oracle(root, timeout_s=20, memory_mb=1024)
        first = oracle.suite(scratch.folder)
        assert {path: path.read_bytes() for path in root.rglob("*.py")} == before
        scratch.reset()
        again = oracle.suite(scratch.folder)
    assert first.status == again.status == "green", first.output


CHILD = """import subprocess, sys, unittest


class TestTotal(unittest.TestCase):
    def test_sum(self):
        code = "from orders import total; print(total([1, 2]))"
        said = subprocess.check_output([sys.executable, "-c", code], cwd="/", text=True)
        self.assertEqual(said, "3\\n")
"""


@pytest.mark.parametrize("layout", ["", "src"])
@pytest.mark.parametrize("loosely", [False, True])
def test_an_editable_install_is_tested_in_the_copy(
    make: Make,
    layout: str,
    loosely: bool,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A .pth that leads to the project itself still imports the draft, also in a child process."""
    if loosely:
        request.getfixturevalue("loose")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    module = f"{layout}/orders.py".lstrip("/")
    root = make({module: ORDERS, "tests/test_orders.py": CHILD})
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root / ".venv")], check=True)
    packages = next((root / ".venv").rglob("site-packages"))
    (packages / "__editable__.pth").write_text(f"{root / layout}\n", encoding="utf-8")
    with Scratch(root) as scratch:
        oracle = Oracle(root, python=str(root / ".venv"), timeout_s=20, memory_mb=1024)
        before = oracle.suite(scratch.folder)
        scratch.lay({module: ORDERS.replace("sum(prices)", "0")})
        after = oracle.suite(scratch.folder)
    assert (before.status, after.status) == ("green", "red"), before.output
    assert after.command[0] == str(root / ".venv" / "bin" / "python")


@pytest.mark.parametrize("runner", ["unittest", "pytest"])
@pytest.mark.parametrize("loosely", [False, True])
def test_two_runs_of_the_same_red_suite_say_the_same(
    make: Make, runner: str, loosely: bool, request: pytest.FixtureRequest
) -> None:
    """Other scratch folder, other time, other addresses: equal failures and equal output."""
    if loosely:
        request.getfixturevalue("loose")
    body = """
    def test_noisy(self):
        import os, pathlib, tempfile
        made = tempfile.mkdtemp()
        print(object(), os.getcwd(), pathlib.Path(__file__).resolve(), made)
        self.fail(f"{object()} in {made} at {pathlib.Path(__file__).resolve()} {set('abcdef')}")
"""
    files = {"orders.py": ORDERS, "tests/test_orders.py": GREEN + body}
    if runner == "pytest":
        files["pytest.ini"] = "[pytest]\n"
    root = make(files)
    first, second = ask(root), ask(root)
    assert first.failures == second.failures
    assert first.output == second.output
    assert str(root) not in first.output
    assert "at tests/test_orders.py" in first.failures[0].error


def test_a_suite_that_eats_memory_is_red_and_nothing_else(make: Make) -> None:
    """The allocation fails in the test; the other test still counts."""
    body = "\n    def test_z(self):\n        x = bytearray(3_000_000_000)\n"
    report = ask(make({"orders.py": ORDERS, "tests/test_orders.py": GREEN + body}))
    assert (report.status, report.passed) == ("red", 1)
    assert report.failures[0].error.startswith("MemoryError")


def test_a_suite_that_prints_without_end_is_still_read(make: Make) -> None:
    """Results come as rows, so a flood of output, even of false totals, changes nothing."""
    body = """
    def test_z(self):
        for _ in range(300):
            print('x' * 100_000)
        print('FAILED (failures=9)\\nRan 0 tests in 0.1s\\n{"row": "end"}')
"""
    report = ask(make({"orders.py": ORDERS, "tests/test_orders.py": GREEN + body}))
    assert (report.status, report.passed) == ("green", 2)
    assert len(report.output) <= 4000


def test_a_test_that_patches_the_world_is_still_reported(make: Make) -> None:
    """open, os.write, json and the working folder are the test's to break."""
    body = """
    def test_z(self):
        import builtins, json, os, tempfile
        os.chdir(tempfile.mkdtemp())
        os.write = json.dumps = builtins.open = None
        os.closerange(10, 200)
"""
    report = ask(make({"orders.py": ORDERS, "tests/test_orders.py": GREEN + body}))
    assert (report.status, report.passed) == ("green", 2), report.output


@pytest.mark.parametrize("layout", ["", "src/"])
@pytest.mark.parametrize("loosely", [False, True])
def test_code_runs_in_the_copy(
    make: Make, layout: str, loosely: bool, request: pytest.FixtureRequest
) -> None:
    """A snippet imports the copy's modules, reads its input, and is bounded in time."""
    if loosely:
        request.getfixturevalue("loose")
    root = make({f"{layout}orders.py": ORDERS})
    with Scratch(root) as scratch:
        oracle = Oracle(root, memory_mb=1024)
        scratch.lay({f"{layout}orders.py": ORDERS.replace("sum(prices)", "42")})
        said = oracle.python(
            scratch.folder, "from orders import total\nprint(total(input()))", stdin="1\n"
        )
        late = oracle.python(scratch.folder, "while True: pass", seconds=0.5)
    assert (said.stdout, said.exit_code) == ("42\n", 0), said.stderr
    assert late.timed_out


def test_limits_are_told(make: Make) -> None:
    """A report says what was in force and, as `no …`, what was not."""
    report = ask(make({"orders.py": ORDERS, "tests/test_orders.py": GREEN}))
    assert "time 20 s" in report.limits
    assert ("network off" in report.limits) is sandbox.contained()
    if os.name == "posix":
        assert any(limit.startswith("file ") for limit in report.limits)


def test_a_report_keeps_which_tests_passed(make: Make) -> None:
    """The ids of passing tests are there to be missed later."""
    report = ask(make({"orders.py": ORDERS, "tests/test_orders.py": GREEN}))
    assert isinstance(report, SuiteRun)
    assert report.passing == ("test_orders.TestTotal.test_sum",)
