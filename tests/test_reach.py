"""Where a job about an undefined name looks, and what is mended, asked and left there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from harness import parts
from harness.fix import Carried
from harness.source import reach
from harness.source.project import Project
from harness.types import Job

FIX = parts.load("fixes", "undefined-name")
SLIP = "def f(total):\n    return totl\n"
OTHER = "def g(names):\n    return nmes\n"
TWICE = "def twice(x):\n    return x\n"


def made(files: Mapping[str, str]) -> Project:
    """A project of texts alone."""
    return Project(Path("."), sorted(files), files.get)


def carried(job: Job, files: Mapping[str, str]) -> Carried | None:
    """The job carried out on these files."""
    done: Carried | None = FIX.carry(job, made(files))
    return done


def changed(job: Job, files: Mapping[str, str]) -> list[str]:
    """Paths that the job changes."""
    done = carried(job, files)
    return sorted(done.files) if done else []


def error(task: str = "fix the NameError", **more: object) -> Job:
    """A job that speaks of a NameError."""
    return Job("fix", task, error="NameError", **more)  # type: ignore[arg-type]


def test_a_file_that_the_person_names_wins() -> None:
    """Another file with a slip stays as it is, even if the named one has none."""
    files = {"a.py": SLIP, "b.py": OTHER, "c.py": "x = 1\n"}
    assert changed(error(files=("b.py",), path="a.py"), files) == ["b.py"]
    assert changed(error(files=("c.py",), path="a.py"), files) == []


def test_without_a_file_every_file_at_fault_is_mended() -> None:
    """All files with one candidate each; what is open is said beside them."""
    own = "def status(known):\n    return stauts\n"
    done = carried(error(), {"a.py": SLIP, "b.py": OTHER, "c.py": own, "d.py": "x = 1\n"})
    assert done is not None
    assert sorted(done.files) == ["a.py", "b.py"]
    assert done.notes[0] == "a.py line 2: totl -> total"
    assert done.notes[-1].startswith("left open: c.py, line 2: stauts")


def test_the_error_says_which_name_and_the_traceback_which_file() -> None:
    """Other undefined names stay; the innermost file of the traceback comes first."""
    text = SLIP + "\n\n" + OTHER
    evidence = (
        'Traceback\n  File "b.py", line 1, in h\n  File "a.py", line 2, in f\n'
        "NameError: name 'totl' is not defined. Did you mean: 'total'?"
    )
    done = carried(error(evidence=evidence), {"a.py": text, "b.py": SLIP})
    assert done is not None
    assert done.files == {
        "a.py": text.replace("totl", "total"),
        "b.py": SLIP.replace("totl", "total"),
    }
    only_b = evidence.replace('  File "a.py", line 2, in f\n', "")
    assert changed(error(evidence=only_b), {"a.py": text, "b.py": SLIP}) == ["b.py"]


def test_a_job_without_such_an_error_reaches_what_its_subject_runs() -> None:
    """A slip in another function of the file has nothing to do with a wrong sum."""
    files = {"a.py": f"from b import g\n\n\ndef f(ns):\n    return g(ns)\n\n\n{OTHER[:-5]}ms\n"}
    files = {"a.py": "from b import g\n\n\ndef f(ns):\n    return g(ns)\n", "b.py": OTHER}
    wrong = Job("fix", "f rounds the wrong way", subject="f", path="a.py")
    assert changed(wrong, files) == ["b.py"]
    beside = {"a.py": "def f(ns):\n    return sum(ns)\n\n\n" + OTHER}
    assert changed(wrong, beside) == []
    assert changed(error(path="a.py", subject="f"), beside) == ["a.py"]


def test_a_subject_that_calls_itself_is_followed_once() -> None:
    """Recursion, also by way of another function, ends."""
    text = "def f(n):\n    return g(n)\n\n\ndef g(names):\n    return f(nmes)\n"
    assert changed(Job("fix", "f is wrong", subject="f", path="a.py"), {"a.py": text}) == ["a.py"]


def test_a_test_that_lacks_its_import_is_mended_where_it_is_named_or_nothing_else_is_wrong() -> (
    None
):
    """By its path in the task, or as the only file with an undefined name."""
    test = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        f(1)\n"
    files = {"shop/a.py": "def f(total):\n    return total\n", "tests/test_a.py": test}
    for job in (error(), error("tests/test_a.py fails", files=("tests/test_a.py",))):
        done = carried(job, files)
        assert done is not None
        assert "from shop.a import f\n" in str(done.files["tests/test_a.py"])


def test_a_named_test_does_not_hide_the_slip_in_the_code() -> None:
    """The test is named because it fails; the fault stands in a source file."""
    test = "from a import f\n\n\ndef test_f():\n    assert f(1) == 1\n"
    job = error("test_a.py::test_f fails", files=("test_a.py",))
    assert changed(job, {"a.py": SLIP, "test_a.py": test}) == ["a.py"]


def test_attributes_are_mended_for_an_attribute_error() -> None:
    """The attribute that the error names, where its class gives exactly one near it."""
    text = (
        "class O:\n    def __init__(self):\n        self.status = 1\n        self.amount = 2\n\n"
        "    def m(self):\n        return self.stauts, self.amuont\n"
    )
    told = "AttributeError: 'O' object has no attribute 'stauts'"
    done = carried(Job("fix", told, error="AttributeError"), {"a.py": text})
    assert done is not None
    assert done.files == {"a.py": text.replace("self.stauts", "self.status")}


@pytest.mark.parametrize("kind", ["ask", "write-test", "add-function", "rename", "move", "other"])
def test_no_other_kind_of_job_is_its_own(kind: str) -> None:
    """Only a fix, and no fix of another error."""
    assert reach.aim(Job(kind, "x"), made({"a.py": SLIP})) is None  # type: ignore[arg-type]
    assert reach.aim(Job("fix", "x", error="KeyError"), made({"a.py": SLIP})) is None


ASKED = {
    "the own name": ("def status(known):\n    return stauts\n", "status", None),
    "a name that is not there": ("def status(known):\n    return stauts\n", "nowhere", None),
    "the slip again": ("def status(known):\n    return stauts\n", "stauts", None),
    "a call": ("def status(known):\n    return stauts\n", "known()", None),
    "two statements": ("def status(known):\n    return stauts\n", "known; 1", None),
    "nothing": ("def status(known):\n    return stauts\n", "", None),
    "a name in scope": ("def status(known):\n    return stauts\n", "known", "return known\n"),
    "in back-ticks": ("def status(known):\n    return stauts\n", "`known`", "return known\n"),
    "a string": ("def status(known):\n    return stauts\n", "'open'", "return 'open'\n"),
    "a number": ("def status(known):\n    return stauts\n", "-1", "return -1\n"),
    "one of two": ("def f(price, prices):\n    return prics\n", "prices", "return prices\n"),
    "an unclosed string": ("def status(known):\n    return stauts\n", "'open", None),
    "an attribute of self": (
        "class C:\n    limit = 1\n\n    def m(self):\n        return limit\n",
        "self.limit",
        "return self.limit\n",
    ),
}


@pytest.mark.parametrize("case", ASKED)
def test_an_answer_is_carried_out_only_if_it_can_stand_there(case: str) -> None:
    """A literal or a name in scope does; anything else leaves the question open."""
    text, answer, line = ASKED[case]
    job, project = error(path="a.py"), made({"a.py": text})
    asked = FIX.carry(job, project)
    assert asked.question is not None
    assert not asked.files
    done = FIX.settle(job, project, answer)
    assert (done is None) == (line is None)
    assert line is None or str(done.files["a.py"]).endswith(line)


def test_an_import_in_doubt_is_settled_by_one_of_its_options() -> None:
    """No other import is taken, though it may exist."""
    files = {"a.py": "def f(x):\n    return twice(x)\n", "p/one.py": TWICE, "p/two.py": TWICE}
    job, project = error(path="a.py"), made(files)
    options = FIX.carry(job, project).question.options
    assert options == ("from p.one import twice", "from p.two import twice")
    assert FIX.settle(job, project, "import os") is None
    assert FIX.settle(job, project, "from p.three import twice") is None
    done = FIX.settle(job, project, options[1])
    assert done.files == {"a.py": "from p.two import twice\n\n\ndef f(x):\n    return twice(x)\n"}


def test_a_name_that_an_import_would_define_is_never_taken_for_a_slip() -> None:
    """Two modules define it, so it is asked about, though a near name is in scope."""
    text = "def f(twices):\n    return twice(twices)\n"
    files = {"a.py": text, "p/one.py": TWICE, "p/two.py": TWICE}
    done = carried(error(path="a.py"), files)
    assert done is not None
    assert done.question is not None
    assert "Which import" in done.question.text
    assert parts.load("fixes", "misspelt-name").mend("a.py", text, made(files)).text == text


def test_there_is_nothing_to_settle_where_nothing_was_asked() -> None:
    """An answer to no question does nothing."""
    assert FIX.settle(error(path="a.py"), made({"a.py": SLIP}), "total") is None
