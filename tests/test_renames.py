"""Renames and moves: the whole job or none, shown by running a program before and after."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from harness.fix import Carried
from harness.fixes import moved_module, rename
from harness.project import Project
from harness.types import Job


def made(files: Mapping[str, str]) -> Project:
    """A project of texts alone."""
    return Project(Path("/nowhere"), tuple(files), files.get)


def carry(job: Job, files: Mapping[str, str]) -> Carried:
    """A job of this kind on a project; never left to others."""
    part = moved_module if job.kind == "move" else rename
    carried = part.carry(job, made(files))
    assert carried is not None
    return carried


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
    Job("rename", "", subject="total", path="src/shop/orders.py", target="sum_up"),
    Job("rename", "", subject="Order", path="src/shop/orders.py", target="Purchase"),
    Job("rename", "", subject="Order.amount", path="src/shop/orders.py", target="due"),
    Job("move", "", path="src/shop/orders.py", target="src/shop/billing.py"),
    Job("move", "", path="src/shop/orders.py", target="src/shop/deep/orders.py"),
    Job("move", "", path="src/shop/orders.py", target="src/shop/money/orders.py"),
    Job("move", "", path="src/shop/deep/inner.py", target="src/shop/inner.py"),
    Job("move", "", path="src/shop/report.py", target="said"),
]


@cache
def says(folder: Path) -> str:
    """What the small program prints."""
    ran = subprocess.run(
        [sys.executable, "-B", "main.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return ran.stdout + ran.stderr


def lay(folder: Path, files: Mapping[str, str | None]) -> None:
    """Write files, remove those that are None."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")


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
    changed = "".join(text or "" for text in carried.files.values())
    assert '"""Orders: total."""' in changed or job.path != "src/shop/orders.py"


TWO = {"a.py": "def f(): ...\ndef g(): ...\n"}


@pytest.mark.parametrize(
    ("job", "files"),
    [
        (Job("rename", "", subject="f", path="a.py", target="g"), TWO),
        (Job("rename", "", subject="f", path="a.py", target="two words"), TWO),
        (Job("rename", "", subject="f", path="a.py", target="class"), {"a.py": "def f(): ...\n"}),
        (Job("rename", "", subject="f", path="a.py", target="g"), {"a.py": "x = 1\n"}),
        (Job("move", "", path="a.py", target="b.py"), {"a.py": "x = 1\n", "b.py": ""}),
        (Job("move", "", path="a.py", target="my-file.py"), {"a.py": "x = 1\n"}),
        (Job("rename", "", subject="C.get", path="a.py", target="take"),
         {"a.py": "class C:\n    def get(self): ...\n", "b.py": "def f(c):\n    return c.get()\n"}),
    ],
)  # fmt: skip
def test_half_a_rename_is_none(job: Job, files: dict[str, str]) -> None:
    """A taken or impossible name, nothing to rename, a use that no analysis can vouch for."""
    carried = carry(job, files)
    assert not carried.files
    assert carried.question or carried.notes


def test_a_taken_name_can_be_answered_with_another() -> None:
    """The question's answer is the name instead."""
    files = {"a.py": "def f():\n    pass\n\n\ndef g():\n    f()\n"}
    job = Job("rename", "", subject="f", path="a.py", target="g")
    done = rename.settle(job, made(files), "h")
    assert done is not None
    assert done.files["a.py"] == "def h():\n    pass\n\n\ndef g():\n    h()\n"
