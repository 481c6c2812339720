"""What a task asks for: kind, subject, file and signature, read from words and project."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.road import jobs
from harness.source.project import Project

TREE = {
    "shop/__init__.py": "",
    "shop/basket.py": "def total(items):\n    return sum(items)\n\n\nclass Basket:\n"
    "    def add(self, item):\n        self.items.append(item)\n\n"
    "    def check(self):\n        return bool(self.items)\n",
    "shop/basket_controller.py": "def show(basket):\n    return str(basket)\n",
    "shop/text.py": "def shorten_text(text, limit):\n    return text[:limit]\n",
    "tests/__init__.py": "",
    "tests/test_basket.py": "import unittest\nfrom shop.basket import total\n\n\n"
    "class TestTotal(unittest.TestCase):\n    def test_sum(self):\n"
    "        self.assertEqual(total([1, 2]), 3)\n",
    "README.md": "# shop\n",
}
TRACE = """Traceback (most recent call last):
  File "/home/ann/shop-project/tests/test_basket.py", line 7, in test_sum
    self.assertEqual(total([1, 2]), 3)
  File "/home/ann/shop-project/shop/basket.py", line 2, in total
    return sum(items)
TypeError: unsupported operand type(s) for +: 'int' and 'str'
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A small project that is not among the benchmark's."""
    return Project(tmp_path, tuple(TREE), TREE.get)


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("what does total return?", "ask"),
        ("Where is Basket defined?", "ask"),
        ("write a test for total", "write-test"),
        ("Add unit tests for Basket.check", "write-test"),
        ("please write some tests covering shorten_text", "write-test"),
        ("fix the NameError in shop/basket.py", "fix"),
        ("total gives 4 instead of 3 for [1, 2]", "fix"),
        (
            "The test tests/test_basket.py::TestTotal::test_sum fails. Find the bug and fix it",
            "fix",
        ),
        ("fix the failing test for total", "fix"),
        ("add a function median(values) and a unit test", "add-function"),
        ("implement a helper called pad_left", "add-function"),
        ("create a new module with a function to_snake(name)", "add-function"),
        ("rename shorten_text to clip_text", "rename"),
        ("move shop/text.py to shop/words.py", "move"),
        ("make the basket nicer", "add-function"),
        ("look at the basket", "other"),
        ("Basket.check returns False though there is something in it", "fix"),
        ("shorten_text lets one letter too much through", "fix"),
    ],
)
def test_the_kind_of_a_job_follows_from_its_words(task: str, kind: str, project: Project) -> None:
    """Each kind of job is told by its words; a question never becomes a write."""
    assert jobs.read(task, project).kind == kind


@pytest.mark.parametrize(
    ("task", "subject", "path"),
    [
        ("write a test for total", "total", "shop/basket.py"),
        ("write a test for `Basket.add`", "Basket.add", "shop/basket.py"),
        ("what does shorten_text do with a limit of 0?", "shorten_text", "shop/text.py"),
        ("test the method check() of Basket", "Basket.check", "shop/basket.py"),
        ("fix the bug in text.py", "", "shop/text.py"),
        ("make it check that nothing is lost", "", ""),
        ("write a test for nothing_here", "", ""),
    ],
)
def test_the_subject_is_a_name_that_the_project_defines(
    task: str, subject: str, path: str, project: Project
) -> None:
    """Plain English words that happen to be names are no subject; brackets and ticks make them."""
    found = jobs.read(task, project)
    if found.kind != "add-function":
        assert (found.subject, found.path) == (subject, path)


@pytest.mark.parametrize(
    ("task", "subject", "signature", "path", "wants_test"),
    [
        ("add median(values) to shop/text.py", "median", "median(values)", "shop/text.py", False),
        ("add a function pad(text, width=8) and a unit test", "pad", "pad(text, width=8)",
         "shop/text.py", True),
        ("add a function basket_size", "basket_size", "", "shop/basket.py", False),
        ("create shop/colours.py with a function mix(a, b)", "mix", "mix(a, b)",
         "shop/colours.py", False),
        ("write a new module with a function slug_of(text), plus a test", "slug_of",
         "slug_of(text)", "shop/slug_of.py", True),
    ],
)  # fmt: skip
def test_something_new_gets_its_name_and_its_place(
    task: str, subject: str, signature: str, path: str, wants_test: bool, project: Project
) -> None:
    """The spelled signature is taken; the file is the named one, a new one, or by likeness."""
    job = jobs.read(task, project)
    assert (job.subject, job.signature, job.path) == (subject, signature, path)
    assert job.wants_test is wants_test


def test_a_piped_traceback_names_the_place(project: Project) -> None:
    """The innermost frame inside the project gives file and function; paths elsewhere match too."""
    job = jobs.read("fix this", project, evidence=TRACE)
    assert (job.kind, job.subject, job.path) == ("fix", "total", "shop/basket.py")
    assert job.error == "TypeError"


def test_failing_tests_are_read_in_either_form(project: Project) -> None:
    """pytest's and unittest's ids are both found in running text."""
    text = "tests/test_basket.py::TestTotal::test_sum fails"
    assert jobs.failing_tests(text) == ("tests/test_basket.py::TestTotal::test_sum",)
    text = "ERROR: tests.test_basket.TestTotal.test_sum"
    assert jobs.failing_tests(text) == ("tests.test_basket.TestTotal.test_sum",)


def test_a_base_name_that_two_files_share_names_neither() -> None:
    """A file is named by its path, or by a base name that only it has."""
    files = {"a/x.py": "", "b/x.py": "", "b/y.py": ""}
    project = Project(Path(), tuple(files), files.get)
    assert jobs.paths_in("see x.py and y.py and a/x.py", project) == ("b/y.py", "a/x.py")


@pytest.mark.parametrize(
    ("task", "target"),
    [("rename shorten_text to clip_text", "clip_text"), ("rename `total` to `sum_up`", "sum_up")],
)
def test_a_rename_names_old_and_new(task: str, target: str, project: Project) -> None:
    """What is renamed is found in the project; the new name is kept."""
    job = jobs.read(task, project)
    assert (job.target, bool(job.path)) == (target, True)
