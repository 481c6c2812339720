"""The index of a project: modules, definitions, callers, importers, tests, in any layout."""

from __future__ import annotations

import ast
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.source.project import Project

FLAT = {
    "README.md": "# Shop\n",
    "orders.py": "import os\n\nTAX = 1\n\n\ndef total(prices):\n    return sum(prices)\n\n\n"
    "class Basket:\n    def cost(self):\n        return total([])\n",
    "report.py": "import orders\n\n\ndef show():\n    return orders.total([1])\n",
    "test_orders.py": "from orders import total, Basket\n\n\ndef test_total():\n"
    "    assert total([]) == 0\n    assert Basket().cost() == 0\n",
}
SOURCE = {
    "src/shop/__init__.py": "",
    "src/shop/orders.py": "from . import prices\n\n\ndef total(ps):\n    return prices.of(ps)\n",
    "src/shop/prices.py": "def of(ps):\n    return sum(ps)\n",
    "src/shop/deep/__init__.py": "",
    "src/shop/deep/inner.py": "from ..orders import total\n\n\ndef twice():\n    total([])\n",
    "tests/test_orders.py": "from src.shop.orders import total\n\n\ndef test_a():\n    total([])\n",
    "tests/deep/test_inner.py": "import shop.deep.inner\n\n\ndef test_b():\n    pass\n",
}  # fmt: skip
NAMESPACE = {
    "app/models/user.py": "class User:\n    pass\n",
    "app/views.py": "from app.models.user import User\n\n\ndef show():\n    return User()\n",
    "tests/test_user.py": "from app.models import user\n\n\ndef test_a():\n    user.User()\n",
}


def made(files: Mapping[str, str]) -> Project:
    """A project of texts alone."""
    return Project(Path("/nowhere"), tuple(files), files.get)


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (FLAT, {"orders", "report", "test_orders"}),
        (SOURCE, {"shop", "shop.orders", "shop.deep", "shop.deep.inner"}),
        (NAMESPACE, {"app.models.user", "app.views"}),
        ({"src/a.py": "", "src/b.py": "import a\n"}, {"a", "b"}),
        ({"src/__init__.py": "", "src/a.py": ""}, {"src", "src.a"}),
        ({"tools/run.py": "", "tools/help.py": ""}, {"tools.run", "tools.help"}),
    ],
)
def test_modules_are_named_as_they_are_imported(files: dict[str, str], names: set[str]) -> None:
    """Flat, src and namespace layouts, and folders whose imports tell their root."""
    assert names <= set(made(files).modules())


def test_source_roots_are_where_names_start() -> None:
    """The folder above the packages; the project itself in a flat layout."""
    assert made(SOURCE).source_roots() == ("src",)
    assert made(FLAT).source_roots() == ("",)


def test_a_module_is_found_by_any_of_its_names() -> None:
    """With and without the prefix of its source folder; a foreign one is none of ours."""
    project = made(SOURCE)
    assert project.path_of("shop.orders") == "src/shop/orders.py"
    assert project.path_of("src.shop.orders") == "src/shop/orders.py"
    assert project.path_of("numpy") == ""
    assert project.module_of("src/shop/new.py") == "shop.new"


def test_importers_are_resolved_not_matched_by_word() -> None:
    """Relative imports, submodules and other prefixes count; a name in a string does not."""
    project = made(SOURCE | {"src/shop/other.py": 'X = "orders"\nimport os\n'})
    assert project.importers("shop.orders") == ("src/shop/deep/inner.py", "tests/test_orders.py")
    assert project.importers("shop.prices") == ("src/shop/orders.py",)
    assert project.importers("numpy") == ()


def test_files_that_reach_a_module_are_found_over_others() -> None:
    """Direct importers, importers of these, and users of a package around it; no one else."""
    project = made(SOURCE | {"apart.py": "import os\n", "user.py": "import shop\n"})
    assert project.reaching("src/shop/prices.py") == (
        "src/shop/__init__.py", "src/shop/deep/inner.py", "src/shop/orders.py",
        "src/shop/prices.py", "tests/deep/test_inner.py", "tests/test_orders.py", "user.py",
    )  # fmt: skip


def test_definitions_come_with_their_file_and_tests_come_last() -> None:
    """By name or qualified name, in every file; words that are no definition find nothing."""
    project = made(FLAT | {"a_test.py": "def total():\n    pass\n"})
    assert [p for p, _ in project.definitions("total")] == ["orders.py", "a_test.py"]
    assert [s.kind for _, s in project.definitions("Basket.cost")] == ["method"]
    assert [p for p, _ in project.definitions("TAX")] == ["orders.py"]
    for word in ("module", "it", "sum", "os", "not a name", ""):
        assert project.definitions(word) == ()


def test_callers_are_calls() -> None:
    """A plain and a dotted call with their line; an import and a comment are none."""
    project = made(FLAT)
    assert project.callers("total") == (
        ("orders.py", 12, "return total([])"),
        ("report.py", 5, "return orders.total([1])"),
        ("test_orders.py", 5, "assert total([]) == 0"),
    )
    assert project.callers("Basket.cost") == (("test_orders.py", 6, "assert Basket().cost() == 0"),)


def test_tests_are_known_by_name_or_folder_and_hold_tests() -> None:
    """Support files belong to the tests and hold none; a module with test in its name is source."""
    files = FLAT | {"tests/support.py": "x = 1\n", "latest.py": "", "contest_rules.py": ""}
    project = made(files)
    assert project.tests() == ("test_orders.py",)
    assert project.is_test("tests/support.py")
    assert not project.is_test("latest.py")
    assert not project.is_test("contest_rules.py")
    assert not project.is_test("tests/data.json")


@pytest.mark.parametrize(
    ("files", "path", "test"),
    [
        (FLAT, "orders.py", "test_orders.py"),
        (FLAT, "report.py", "test_report.py"),
        (FLAT, "test_orders.py", "test_orders.py"),
        (SOURCE, "src/shop/orders.py", "tests/test_orders.py"),
        (SOURCE, "src/shop/deep/inner.py", "tests/deep/test_inner.py"),
        (SOURCE, "src/shop/deep/more.py", "tests/deep/test_more.py"),
        (NAMESPACE, "app/models/user.py", "tests/test_user.py"),
        ({"a.py": ""}, "a.py", "tests/test_a.py"),
        ({"pkg/__init__.py": "", "pkg/_a.py": ""}, "pkg/_a.py", "tests/test_a.py"),
        ({"pkg/__init__.py": "", "pkg/tests/test_b.py": "def test_b(): ...\n", "pkg/a.py": ""},
         "pkg/a.py", "pkg/tests/test_a.py"),
    ],
)  # fmt: skip
def test_a_module_has_one_test_file(files: dict[str, str], path: str, test: str) -> None:
    """The existing one by name or import; a new one stands where the others stand."""
    assert made(files).test_file_for(path) == test


def test_the_function_at_a_line_is_the_innermost() -> None:
    """Inside a method its qualified name; outside any function nothing."""
    project = made(FLAT)
    assert project.symbol_at("orders.py", 12) == "Basket.cost"
    assert project.symbol_at("orders.py", 7) == "total"
    assert project.symbol_at("orders.py", 1) == ""


def test_a_new_module_belongs_beside_most_others() -> None:
    """The folder with most modules that are neither tests nor package files."""
    assert made(SOURCE).beside("new.py") == "src/shop/new.py"
    assert made(FLAT).beside("new.py") == "new.py"
    assert made({}).beside("new.py") == "new.py"


def test_import_cycles_are_found_by_module_and_lazy_imports_close_none() -> None:
    """Same file names in two packages are no cycle; nor is an import in a function or for types."""
    files = {
        "a/__init__.py": "", "a/x.py": "from a import y\n", "a/y.py": "import a.x\n",
        "b/__init__.py": "", "b/x.py": "from b import y\n", "b/y.py": "import a.x\n",
        "c/__init__.py": "", "c/x.py": "from c import y\n",
        "c/y.py": "def f():\n    from c import x\n    return x\n",
        "d/__init__.py": "", "d/x.py": "from d import y\nimport typing\n",
        "d/y.py": "import typing\nif typing.TYPE_CHECKING:\n    from d.x import C\n",
    }  # fmt: skip
    assert made(files).layout().cycles == (("a.x", "a.y"),)


def test_layout_names_large_modules_and_folders_without_tests() -> None:
    """Largest first; a folder is untested where no test imports any module of it."""
    layout = made(SOURCE).layout()
    assert layout.largest[0][1] >= layout.largest[-1][1]
    assert layout.untested == ()
    assert made(FLAT | {"more/b.py": "def f(): ...\n"}).layout().untested == ("more",)


def test_the_map_keeps_to_its_limit() -> None:
    """Signatures where there is room, names with less, then paths, then a count of the rest."""
    project = made(FLAT)
    assert "def total(prices)" in project.outline_text()
    short = project.outline_text(120)
    assert "def total" not in short
    assert "Basket" in short
    many = made({f"m{n}.py": "def f(): ...\n" for n in range(500)})
    assert len(many.outline_text(400)) <= 400
    assert "more files" in many.outline_text(400)


def test_files_that_cannot_be_read_or_parsed_are_empty() -> None:
    """A broken file has no outline and stops nothing."""
    project = Project(Path("/nowhere"), ("a.py", "b.py"), {"a.py": "def f(:\n"}.get)
    assert project.outline("a.py") == ()
    assert project.text("b.py") == ""
    assert project.layout().cycles == ()


def test_four_thousand_files_take_about_as_long_as_parsing_them() -> None:
    """Names, definitions and importers of a large project, with some files that do not parse."""
    body = "import os\n\n\n" + "\n\n".join(
        f"def f{i}(x):\n    return os.name, x" for i in range(30)
    )
    files = {f"p{n // 50}/m{n}.py": f"{body}\n\nN = {n}\n" for n in range(4000)}
    start = time.perf_counter()
    for text in list(files.values())[::10]:
        ast.parse(text)
    parsing = 10 * (time.perf_counter() - start)
    files |= {f"p{n}/__init__.py": "" for n in range(80)}
    files |= {f"p{n}/broken.py": "def f(:\n" for n in range(80)}
    files["p1/user.py"] = "from p0.m7 import f3\n\n\ndef wanted():\n    return f3(1)\n"
    project = made(files)
    start = time.perf_counter()
    assert len(project.modules()) == 4161
    assert [p for p, _ in project.definitions("wanted")] == ["p1/user.py"]
    assert project.importers("p0.m7") == ("p1/user.py",)
    assert project.callers("f3") == (("p1/user.py", 5, "return f3(1)"),)
    assert len(project.outline_text(4000)) <= 4000
    assert time.perf_counter() - start < 3 * parsing + 1
