"""What a suite's run means: every way it can end, every kind of outcome, for both runners."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.suites import GREEN, ORDERS, OTHERS, PLAIN, RED, SKIPPED, Make, ask, write


@pytest.fixture(autouse=True)
def bare_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suites below need none of the plugins that are installed beside us."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a project of these files."""
    return partial(write, tmp_path / "shop")


EMPTY = "import unittest\n"
BODIES = {
    "green": GREEN,
    "red": RED,
    "no-tests": EMPTY,
    "no-tests skipped": SKIPPED,
    "not-importable": "import nowhere_to_be_found\n" + GREEN,
    "not-importable syntax": GREEN + "def broken(:\n",
    "crashed exit": GREEN + "\n    def test_z(self):\n        import os\n        os._exit(0)\n",
    "crashed signal": GREEN
    + "\n    def test_z(self):\n        import os\n        os.kill(os.getpid(), 11)\n",
    "red sys.exit": GREEN + "\n    def test_z(self):\n        raise SystemExit(0)\n",
    "timeout": GREEN + "\n    def test_z(self):\n        while True: pass\n",
}


@pytest.mark.parametrize("runner", ["unittest", "pytest"])
@pytest.mark.parametrize("case", BODIES)
def test_each_way_a_suite_can_end_is_told_apart(make: Make, case: str, runner: str) -> None:
    """Green, red, nothing ran, did not import, crashed, did not end: both runners agree."""
    files = {"orders.py": ORDERS, "tests/test_orders.py": BODIES[case]}
    if runner == "pytest":
        files["pytest.ini"] = "[pytest]\n"
    report = ask(make(files), timeout_s=2.5 if case == "timeout" else 20.0)
    assert report.runner == runner
    assert report.status == case.split()[0], report.output
    assert report.green is (case == "green")
    if case.startswith(("crashed", "timeout")):
        assert [f.test.replace("::", ".").split(".")[-1] for f in report.failures] == ["test_z"]
        assert "while this test ran" in report.failures[0].error
    if case.startswith("not-importable"):
        assert report.failures[0].import_failed


@pytest.mark.skipif(len(OTHERS) < 2, reason="no other Python versions are installed here")
def test_zero_tests_and_green_are_alike_on_every_python(make: Make) -> None:
    """unittest's exit code for zero tests changed in 3.12: the status does not."""
    said = {}
    for version, program in OTHERS.items():
        for text in (GREEN, EMPTY):
            root = make({"orders.py": ORDERS, "tests/test_orders.py": text})
            said[version, text] = ask(root, python=str(program)).status
    assert {status for (_, text), status in said.items() if text == GREEN} == {"green"}
    assert {status for (_, text), status in said.items() if text == EMPTY} == {"no-tests"}
    assert len(said) == 2 * len(OTHERS)


def test_a_failure_names_its_place_and_its_values(make: Make) -> None:
    """Id, error, frame in the project and values of the failing frame, for both runners."""
    files = {"orders.py": ORDERS, "tests/test_orders.py": RED}
    by_unittest = ask(make(files)).failures[0]
    by_pytest = ask(make({**files, "pytest.ini": "[pytest]\n"})).failures[0]
    assert by_unittest.test == "test_orders.TestTotal.test_wrong"
    assert by_pytest.test == "tests/test_orders.py::TestTotal::test_wrong"
    for failure in (by_unittest, by_pytest):
        assert failure.error == "AssertionError: 3 != 4"
        assert (failure.path, failure.line) == ("tests/test_orders.py", 11)
        assert "given = [1, 2]" in failure.detail
        assert len(failure.detail) <= 1200


def test_the_innermost_frame_of_the_project_is_told(make: Make) -> None:
    """An error deep in a library is placed where the project called it."""
    code = "import json\n\n\ndef total(prices):\n    return json.loads(prices)\n"
    report = ask(make({"orders.py": code, "tests/test_orders.py": GREEN}))
    assert (report.failures[0].path, report.failures[0].line) == ("orders.py", 5)
    assert report.failures[0].error.startswith("TypeError: the JSON object must be")


KINDS = """import unittest


class TestKinds(unittest.TestCase):
    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 1)

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    @unittest.expectedFailure
    def test_unexpected(self):
        pass

    def test_skipped(self):
        self.skipTest("later")

    def test_bad_text(self):
        class Odd(Exception):
            def __str__(self):
                raise ValueError("no text")
        raise Odd()


class TestNoClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("no database")

    def test_never(self):
        pass
"""


def test_every_kind_of_outcome_of_unittest_is_counted(make: Make) -> None:
    """Subtests count for their test; expected failures are no failures; a class's set-up is one."""
    report = ask(make({"tests/test_kinds.py": KINDS}))
    said = {failure.test: failure.error for failure in report.failures}
    assert set(said) == {
        "test_kinds.TestKinds.test_parts", "test_kinds.TestKinds.test_unexpected",
        "test_kinds.TestKinds.test_bad_text", "test_kinds.TestNoClass",
    }  # fmt: skip
    assert said["test_kinds.TestKinds.test_parts"].startswith("(n=1) AssertionError")
    assert said["test_kinds.TestNoClass"] == "setUpClass RuntimeError: no database"
    assert (report.passed, report.skipped, report.failed) == (1, 1, 4)
    assert report.status == "red"


PYTEST_KINDS = """import pytest


@pytest.fixture
def broken():
    raise RuntimeError("no database")


@pytest.fixture
def late():
    yield
    raise RuntimeError("not closed")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_each(n):
    assert n != 2


class TestClass:
    def test_needs(self, broken):
        pass

    def test_after(self, late):
        pass

    @pytest.mark.xfail
    def test_expected(self):
        assert False

    @pytest.mark.xfail(strict=True)
    def test_unexpected(self):
        pass

    def test_skipped(self):
        pytest.skip("later")
"""


def test_every_kind_of_outcome_of_pytest_is_counted(make: Make) -> None:
    """Parameters, fixtures that fail before or after, expected failures, skips."""
    report = ask(make({"tests/test_kinds.py": PYTEST_KINDS}))
    said = {failure.test.removeprefix("tests/test_kinds.py::"): failure.error
            for failure in report.failures}  # fmt: skip
    assert set(said) == {
        "test_each[2]", "TestClass::test_needs", "TestClass::test_after",
        "TestClass::test_unexpected",
    }  # fmt: skip
    assert said["TestClass::test_needs"] == "setup RuntimeError: no database"
    assert said["TestClass::test_after"] == "teardown RuntimeError: not closed"
    assert (report.passed, report.skipped, report.failed, report.collected) == (3, 1, 4, 8)


@pytest.mark.parametrize("runner", ["unittest", "pytest"])
def test_one_module_that_does_not_import_hides_no_other(make: Make, runner: str) -> None:
    """The other modules' tests run; the broken one is a failure marked as such."""
    broken = "import nowhere\nimport unittest\n"
    files = {"orders.py": ORDERS, "tests/test_a.py": GREEN, "tests/test_b.py": broken}
    if runner == "pytest":
        files["pytest.ini"] = "[pytest]\n"
    report = ask(make(files))
    assert (report.status, report.passed, report.failed) == ("red", 1, 1)
    assert report.failures[0].import_failed
    assert report.failures[0].error == "ModuleNotFoundError: No module named 'nowhere'"
    assert report.failures[0].path == "tests/test_b.py"


def test_a_conftest_that_does_not_import_is_not_importable(make: Make) -> None:
    """pytest stops before the first row; the report still names the file and the error."""
    files = {"conftest.py": "import nowhere\n", "orders.py": ORDERS, "test_orders.py": PLAIN}
    report = ask(make(files))
    assert report.status == "not-importable"
    assert report.failures[0].test == "conftest.py"
    assert "No module named 'nowhere'" in report.failures[0].error


def test_settings_that_name_missing_plugins_do_not_stop_the_suite(make: Make) -> None:
    """Options of coverage, xdist or a plugin nobody knows: the tests run all the same."""
    ini = "[pytest]\naddopts = -x --cov=orders --cov-report term -n 4 {more}\n"
    ini += "required_plugins = pytest-none\n"
    tests = "from orders import total\ndef test_a():\n    assert total([]) == 1\n" + PLAIN
    files = {"orders.py": ORDERS, "test_orders.py": tests, "pytest.ini": ini.format(more="")}
    known = ask(make(files))
    unknown = ask(make({**files, "pytest.ini": ini.format(more="--frobnicate=3")}))
    for report in (known, unknown):
        assert (report.status, report.passed, report.failed) == ("red", 1, 1), report.output


@pytest.mark.parametrize("command", ["", "python -m pytest -p no:cacheprovider"])
def test_a_run_inside_the_run_is_not_counted(make: Make, command: str) -> None:
    """A suite that calls pytest itself, in the same process or in another, reports only itself."""
    tests = """import pathlib, subprocess, sys
import pytest

def test_inner(tmp_path):
    (tmp_path / "test_x.py").write_text("def test_red(): assert False")
    assert pytest.main([str(tmp_path), "-q", "-p", "no:cacheprovider"]) == 1
    assert subprocess.call([sys.executable, "-m", "pytest", str(tmp_path)]) == 1
"""
    report = ask(make({"test_outer.py": tests}), test_cmd=command)
    assert (report.status, report.collected, report.failures) == ("green", 1, ()), report.output
