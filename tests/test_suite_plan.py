"""How a project's suite is found, in every layout, with either runner."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from harness.suite.oracle import Oracle
from tests.suites import GREEN, ORDERS, OTHERS, PLAIN, Make, ask, write


@pytest.fixture(autouse=True)
def bare_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suites below need none of the plugins that are installed beside us."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a project of these files."""
    return partial(write, tmp_path / "shop")


@pytest.mark.parametrize(
    ("files", "runner"),
    [
        ({"test_orders.py": GREEN}, "unittest"),
        ({"tests/test_orders.py": GREEN}, "unittest"),
        ({"tests/test_orders.py": PLAIN}, "pytest"),
        ({"tests/test_orders.py": GREEN, "conftest.py": ""}, "pytest"),
        ({"tests/test_orders.py": GREEN, "pytest.ini": "[pytest]\n"}, "pytest"),
        ({"tests/test_orders.py": GREEN, "setup.cfg": "[tool:pytest]\n"}, "pytest"),
        ({"tests/test_orders.py": GREEN, "tox.ini": "[tox]\n"}, "unittest"),
        ({"test_orders.py": GREEN, "pyproject.toml": "[tool.pytest.ini_options]\n"}, "pytest"),
        ({"test_orders.py": GREEN, "pyproject.toml": "not toml ["}, "unittest"),
        ({"orders.py": ORDERS}, "none"),
    ],
)  # fmt: skip
def test_the_runner_is_found(make: Make, files: dict[str, str], runner: str) -> None:
    """Settings, conftest and the way the tests are written tell pytest from unittest."""
    plan = Oracle(make(files)).plan()
    assert plan.runner == runner
    assert plan.why


@pytest.mark.parametrize(
    "files",
    [
        {"orders.py": ORDERS, "test_orders.py": GREEN},
        {"orders.py": ORDERS, "tests/test_orders.py": GREEN},
        {"orders.py": ORDERS, "tests/__init__.py": "", "tests/test_orders.py": GREEN},
        {"orders.py": ORDERS, "test/deep/test_orders.py": GREEN},
        {"src/orders.py": ORDERS, "tests/test_orders.py": GREEN},
        {"orders.py": ORDERS, "tests/orders_test.py": GREEN},
        {
            "src/__init__.py": "", "src/orders.py": ORDERS, "tests/__init__.py": "",
            "tests/test_orders.py": GREEN.replace("from orders", "from src.orders"),
        },
        {
            "src/shop/__init__.py": "", "src/shop/orders.py": ORDERS,
            "src/shop/tests/__init__.py": "",
            "src/shop/tests/test_orders.py": GREEN.replace("from orders", "from shop.orders"),
        },
    ],
)  # fmt: skip
def test_unittest_is_green_in_every_layout(make: Make, files: dict[str, str]) -> None:
    """Flat, src, nested and packaged tests are found once each, and import the project."""
    report = ask(make(files))
    assert (report.status, report.passed, report.collected) == ("green", 1, 1), report.output


def test_several_folders_of_tests_are_all_run(make: Make) -> None:
    """Tests at the top and in two folders: each counts once."""
    other = GREEN.replace("TestTotal", "TestOther")
    files = {"orders.py": ORDERS, "test_top.py": GREEN, "tests/test_a.py": GREEN,
             "more/__init__.py": "", "more/test_b.py": other}  # fmt: skip
    report = ask(make(files))
    assert (report.status, report.collected) == ("green", 3), report.output


@pytest.mark.parametrize("layout", ["", "src/"])
def test_pytest_is_green_in_both_layouts(make: Make, layout: str) -> None:
    """Plain test functions beside a module, and a src folder that nobody installed."""
    report = ask(make({f"{layout}orders.py": ORDERS, "tests/test_orders.py": PLAIN}))
    assert (report.status, report.runner, report.passed) == ("green", "pytest", 1), report.output


def test_pytest_tests_without_pytest_say_what_to_do(make: Make) -> None:
    """Tests that nothing here can run are not read as none, and not as green."""
    without = next((path for version, path in OTHERS.items() if version != "3.11.7"), None)
    if without is None:
        pytest.skip("no Python without pytest is installed here")
    report = ask(make({"orders.py": ORDERS, "test_orders.py": PLAIN}), python=str(without))
    assert (report.status, report.runner) == ("not-importable", "none")
    assert "install pytest" in report.output
    assert "--test-cmd" in report.output


def test_a_project_without_tests_has_no_suite(make: Make) -> None:
    """No test file at all is told apart from a suite that ran nothing."""
    assert ask(make({"orders.py": ORDERS})).status == "no-suite"
