"""The demo tree: its suite is green and each fault that it holds on purpose is still there."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).resolve().parents[1] / "demo" / "orders"


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """A copy of the demo that a test may run things in."""
    left_out = shutil.ignore_patterns("__pycache__", ".py-harness", ".pytest_cache", ".ruff_cache")
    return Path(shutil.copytree(DEMO, tmp_path / "orders", ignore=left_out))


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What a Python process says, started in the folder."""
    command = [sys.executable, "-B", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def test_the_tree_is_small(orders: Path) -> None:
    """Ten files and about three thousand bytes: a person reads all of it in five minutes."""
    files = [path for path in orders.rglob("*") if path.is_file()]
    assert len(files) == 10
    assert 2500 < sum(path.stat().st_size for path in files) < 3500


def test_its_suite_is_green_though_the_faults_are_there(orders: Path) -> None:
    """The suite passes with more than zero tests, which is why it shows none of the faults."""
    ran = python(orders, "-m", "unittest", "discover", "-s", "tests", "-t", ".")
    assert ran.returncode == 0
    assert "Ran 2 tests" in ran.stderr


def test_a_name_is_misspelt_within_reach(orders: Path) -> None:
    """`total_with_tax` fails on `subtotl`, while `subtotal` is in scope there."""
    ran = python(orders, "-c", "from src.orders import total_with_tax as t; t([10])")
    assert ran.stderr.strip().endswith("name 'subtotl' is not defined. Did you mean: 'subtotal'?")
    text = (orders / "src/orders.py").read_text(encoding="utf-8")
    (orders / "src/orders.py").write_text(text.replace("subtotl", "subtotal"), encoding="utf-8")
    mended = python(orders, "-c", "from src.orders import total_with_tax as t; print(t([10]))")
    assert mended.stdout == "12.0\n"


def test_a_name_is_misspelt_out_of_reach(orders: Path) -> None:
    """`OrdersController.status` fails on `stauts`; the near name, its own, is not in scope."""
    code = (
        "from src.orders_controller import OrdersController as C; "
        "from src.orders_service import OrdersService as S; "
        "s = S(); s.place(1, [2.0]); c = C(s); print(c.status(2)); c.status(1)"
    )
    ran = python(orders, "-c", code)
    assert ran.stdout == "unknown\n"
    assert "NameError: name 'stauts' is not defined" in ran.stderr
    tree = ast.parse((orders / "src/orders_controller.py").read_text(encoding="utf-8"))
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id.startswith("stat")}
    assert bound == set()


def test_a_function_says_nothing_of_itself(orders: Path) -> None:
    """`calc` works, and has no docstring and no name that says what it works out."""
    ran = python(orders, "-c", "from src.pricing import calc; print(calc(2.0, 10, 5))")
    assert ran.stdout == "19.0\n"
    tree = ast.parse((orders / "src/pricing.py").read_text(encoding="utf-8"))
    found = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    assert found.name == "calc"
    assert ast.get_docstring(found) is None
    assert all(len(argument.arg) == 1 for argument in found.args.args)


@pytest.mark.parametrize(("module", "other"), [("report", "render"), ("render", "report")])
def test_two_modules_import_each_other(orders: Path, module: str, other: str) -> None:
    """Importing either of report and render brings in the other, at module level."""
    code = f"import sys, src.{module}; print('src.{other}' in sys.modules)"
    assert python(orders, "-c", code).stdout == "True\n"
    tree = ast.parse((orders / f"src/{module}.py").read_text(encoding="utf-8"))
    names = [a.name for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names]
    assert other in names


def test_some_of_it_has_no_test(orders: Path) -> None:
    """The tests call neither `apply_discount` nor the service nor the controller."""
    tests = "".join(path.read_text(encoding="utf-8") for path in (orders / "tests").glob("*.py"))
    for name in ("apply_discount", "total_with_tax", "OrdersService", "OrdersController", "calc"):
        assert name not in tests
    ran = python(orders, "-c", "from src.orders import apply_discount as d; print(d(200.0, 10))")
    assert ran.stdout == "180.0\n"


def test_its_page_names_every_fault(orders: Path) -> None:
    """The demo's README tells each fault, so that nobody takes it for ours."""
    page = (orders / "README.md").read_text(encoding="utf-8")
    for name in ("subtotl", "stauts", "calc", "report.py", "render.py", "apply_discount"):
        assert name in page
    assert "on purpose" in page
