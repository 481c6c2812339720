"""Renames and moves: the whole job or none, shown by running a project's suite afterwards."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from harness.fix import Carried
from harness.fixes import moved_module, rename
from harness.source import integrity, meaning
from harness.source.project import Project
from harness.types import Job
from tests.move_cases import MOVED
from tests.refused_cases import ASKED, REFUSED
from tests.rename_cases import DONE, TOTAL, Case, move
from tests.rename_cases import rename as named


def made(files: Mapping[str, str]) -> Project:
    """A project of texts alone."""
    return Project(Path("/nowhere"), tuple(files), files.get)


def carry(job: Job, files: Mapping[str, str]) -> Carried:
    """A job of this kind on a project; never left to others, never taken by both."""
    both = [part.carry(job, made(files)) for part in (rename, moved_module)]
    carried: Carried
    (carried,) = [one for one in both if one is not None]
    return carried


def lay(folder: Path, files: Mapping[str, str | None]) -> None:
    """Write files, remove those that are None."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")


def python(folder: Path, *arguments: str) -> str:
    """What Python says in a folder, with it and its src importable."""
    ran = subprocess.run(
        [sys.executable, "-B", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(folder / "src")])},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return ran.stdout + ran.stderr


def runs_green(folder: Path) -> bool:
    """Whether the unittest suite of a folder runs tests and all pass."""
    start = "tests" if (folder / "tests").is_dir() else "."
    said = python(folder, "-m", "unittest", "discover", "-s", start, "-t", ".")
    return bool(re.search(r"^Ran [1-9]", said, re.M)) and said.rstrip().endswith("OK")


@pytest.mark.parametrize("case", [*DONE, *MOVED], ids=lambda c: f"{c.job.kind} {c.name}")
def test_a_suite_is_green_after_a_rename_or_a_move(case: Case, tmp_path: Path) -> None:
    """All callers and imports are turned, those of the tests too; nothing of the old is left."""
    lay(tmp_path, case.files)
    assert runs_green(tmp_path)
    carried = carry(case.job, case.files)
    assert carried.files, (carried.question, carried.notes)
    lay(tmp_path, carried.files)
    assert runs_green(tmp_path), carried.files


@pytest.mark.parametrize("case", ASKED, ids=lambda c: c.name)
def test_a_name_that_will_not_do_is_a_question(case: Case) -> None:
    """A taken or impossible name, or a use that no analysis can vouch for, changes no file."""
    carried = carry(case.job, case.files)
    assert not carried.files
    assert carried.question is not None
    assert carried.question.text.endswith("?")


@pytest.mark.parametrize("case", REFUSED, ids=lambda c: c.name)
def test_half_a_job_is_none(case: Case) -> None:
    """What cannot be carried whole is left alone, with the reason."""
    carried = carry(case.job, case.files)
    assert not carried.files
    assert carried.question is None
    assert len(carried.notes) == 1


def test_other_jobs_are_left_to_others() -> None:
    """A fix, a question, a job without a subject or a file of the project is none of theirs."""
    project = made({"a.py": TOTAL, "data.json": "{}"})
    fix = replace(named("total", "a.py", "sum_up"), kind="fix")
    for job in (fix, named("", "a.py", "b"), move("b.py", "c.py"), move("data.json", "d.json")):
        assert rename.carry(job, project) is None
        assert moved_module.carry(job, project) is None


def test_strings_and_comments_stay_and_are_named_for_a_look() -> None:
    """Only names change; a string that may be looked up is named first, the others are counted."""
    text = f'"""The total."""\n{TOTAL}X = {{"total": total([1])}}  # total\n'
    files = {"a.py": text, "pyproject.toml": 'run = "a:total"\n', "README.md": "The total is.\n"}
    carried = carry(named("total", "a.py", "sum_up"), files)
    assert carried.files == {"a.py": text.replace("total(", "sum_up(")}
    assert carried.notes == (
        "total is sum_up now in 1 file",
        "a.py:4 still says total, which was not changed",
        "pyproject.toml:1 still says total, which was not changed",
        "2 other lines still say total, such as a.py:1",
    )


def test_a_foreign_module_keeps_its_names() -> None:
    """What is taken from outside the project is bound to the new name, not asked for by it."""
    (case,) = [c for c in DONE if c.name == "a foreign name of its own"]
    text = carry(case.job, case.files).files["a.py"] or ""
    assert "from fast_sums import total as sum_up\n" in text
    assert "def sum_up(prices)" in text


def test_a_move_names_what_still_says_the_old_module() -> None:
    """A patched name, a command and a path in other files are named; `__file__` is pointed at."""
    files = {
        "shop/__init__.py": "",
        "shop/a.py": "from pathlib import Path\n\nDATA = Path(__file__).parent\n",
        "test_a.py": 'import mock\nmock.patch("shop.a.DATA")\n',
        "Makefile": "run:\n\tpython -m shop.a\n",
    }
    carried = carry(move("shop/a.py", "shop/c.py"), files)
    said = "\n".join(carried.notes)
    assert "__file__ on line 3" in said
    assert "test_a.py:2 still says shop.a" in said
    assert "Makefile:2 still says shop.a" in said


def test_a_taken_name_can_be_answered_with_another() -> None:
    """The question's answer is the name instead; an answer that will not do is asked again."""
    files = {"a.py": "def f():\n    pass\n\n\ndef g():\n    f()\n"}
    job = named("f", "a.py", "g")
    done = rename.settle(job, made(files), "`h`")
    assert done is not None
    assert done.files["a.py"] == "def h():\n    pass\n\n\ndef g():\n    h()\n"
    again = rename.settle(job, made(files), "class")
    assert again is not None
    assert again.question is not None
    moved = moved_module.settle(move("a.py", "b.py"), made(files | {"b.py": ""}), "c.py")
    assert moved is not None
    assert set(moved.files) == {"a.py", "c.py"}


@pytest.mark.parametrize(("answer", "use"), [("rename", "x.due()"), ("leave", "x.amount()")])
def test_a_doubtful_use_is_settled_by_a_word(answer: str, use: str) -> None:
    """It is renamed with the rest or left as it is, and then named."""
    (case,) = [c for c in ASKED if c.name == "an object that may be of two classes"]
    done = rename.settle(case.job, made(case.files), answer)
    assert done is not None
    assert use in (done.files["a.py"] or "")
    assert any("left as it is: a.py:5" in note for note in done.notes) is (answer == "leave")
    assert rename.settle(case.job, made(case.files), "perhaps") is None


def test_a_use_told_by_its_name_alone_is_named() -> None:
    """Where one class alone has the method, an object of any type counts, and a note says so."""
    (case,) = [c for c in DONE if c.name == "a method with an override"]
    assert "told by the name alone: b.py:1" in carry(case.job, case.files).notes


def test_new_folders_become_packages_where_their_neighbours_are() -> None:
    """Each folder on the way gets its file inside a package, none beside plain folders."""
    shop = {"shop/__init__.py": "", "shop/a.py": "", "tools/run.py": ""}
    deep = carry(move("shop/a.py", "shop/x/y/a.py"), shop).files
    assert {p for p in deep if p.endswith("__init__.py")} == {
        "shop/x/__init__.py",
        "shop/x/y/__init__.py",
    }
    plain = carry(move("tools/run.py", "tools/deep/run.py"), shop).files
    assert set(plain) == {"tools/run.py", "tools/deep/run.py"}


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        ("f()\n", "g()\n", True),
        ("x = 'f'\nf()\n", "x = 'f'\ng()\n", True),
        ("f(1)\n", "g(2)\n", False),
        ("f()\nh()\n", "g()\n", False),
        ("def f(): ...\ng = 1\n", "def g(): ...\ng = 1\n", False),
        ("def f(): ...\ndef h(g): return f\n", "def g(): ...\ndef h(g): return g\n", False),
        (
            "def f(): ...\ndef h(g): return lambda: f\n",
            "def g(): ...\ndef h(g): return lambda: g\n",
            False,
        ),
        ("def sum(): ...\n", "def g(): ...\n", False),
    ],
)
def test_a_text_that_means_something_else_is_noticed(before: str, after: str, whole: bool) -> None:
    """Another value, a lost line, a captured name: each is told from a plain new name."""
    assert (meaning.differs(before, after, "f", "g") == "") is whole


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"a.py": "def f(:\n"}, "parse"),
        ({"a.py": "def g(): return undefined_name\n"}, "undefined"),
        ({"a.py": "def g(): ...\n"}, "still use a.f"),
        ({"b.py": "def f(): ...\nf()\n"}, "no longer import"),
        ({"a.py": "import b\ndef f(): ...\n"}, ""),
    ],
)
def test_a_broken_project_is_noticed(files: dict[str, str], reason: str) -> None:
    """A text that no longer parses, a lost name, a lost import; a sound change passes."""
    project = made({"a.py": "def f(): ...\n", "b.py": "import a\nfrom a import f\na.f()\nf()\n"})
    found = integrity.broken(integrity.change(project, files, {}), "f")
    assert (reason in found) if reason else found == ""


PROGRAM = {
    "src/shop/__init__.py": 'from .orders import Order, total\n\n__all__ = ["Order", "total"]\n',
    "src/shop/orders.py": '"""Orders: total."""\n\n\ndef total(prices):\n    """total"""\n'
    "    return sum(prices)\n\n\nclass Order:\n    def __init__(self, prices):\n"
    "        self.prices = prices\n\n    def amount(self):\n        return total(self.prices)\n",
    "src/shop/report.py": "from . import orders\nimport shop.orders\n\n\ndef show(order):\n"
    "    total = orders.total([1])\n"
    '    return f"total {order.amount()} {total} {shop.orders.total([2])}"\n',
    "src/shop/deep/__init__.py": "",
    "src/shop/deep/inner.py": "from ..orders import total as t\nfrom .. import orders, report\n\n\n"
    "def all():\n    return t([1]), orders.total([]), report.show(orders.Order([4]))\n",
    "main.py": "import sys\n\nsys.path.insert(0, 'src')\nimport shop.orders as so\nimport shop\n"
    "from shop.deep.inner import all\nfrom src.shop import orders as other\n\n"
    "print(so.total([3]), shop.Order([5]).amount(), all(), other.total([6]))\n",
}
JOBS = [
    named("total", "src/shop/orders.py", "sum_up"),
    named("Order", "src/shop/orders.py", "Purchase"),
    named("Order.amount", "src/shop/orders.py", "due"),
    move("src/shop/orders.py", "src/shop/billing.py"),
    move("src/shop/orders.py", "src/shop/deep/orders.py"),
    move("src/shop/orders.py", "src/shop/money/orders.py"),
    move("src/shop/deep/inner.py", "src/shop/inner.py"),
    move("src/shop/report.py", "said", "rename"),
]


@cache
def says(folder: Path) -> str:
    """What the small program prints."""
    return python(folder, "main.py")


@pytest.mark.parametrize("job", JOBS, ids=lambda j: f"{j.kind} {j.subject or j.path} {j.target}")
def test_a_program_runs_the_same_after_a_rename_or_a_move(job: Job, tmp_path: Path) -> None:
    """Every caller and import is turned: relative, dotted, aliased, with and without the src."""
    before, after = tmp_path / "before", tmp_path / "after"
    lay(before, PROGRAM)
    lay(after, PROGRAM)
    carried = carry(job, PROGRAM)
    assert carried.files, carried.notes
    lay(after, carried.files)
    shown = says(before)
    assert "Error" not in shown
    assert says(after) == shown
