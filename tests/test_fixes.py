"""The fixes: each does what its examples show, twice the same, and leaves good code alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from harness import parts
from harness.fix import Carried, Mend
from harness.source import scope, symbols
from harness.source.project import Project
from harness.types import Job
from tests import stdlib_files

DRAFT = {name: part for name, part in parts.all_of("fixes").items() if part.STAGE == "draft"}
WHOLE_JOB = {name: part for name, part in parts.all_of("fixes").items() if hasattr(part, "carry")}
SHOWN = [(n, before, after) for n, part in DRAFT.items() for before, after in part.EXAMPLES]


def made(files: Mapping[str, str]) -> Project:
    """A project of texts alone."""
    return Project(Path("/nowhere"), tuple(files), files.get)


def mend(name: str, text: str, files: Mapping[str, str] | None = None, path: str = "") -> Mend:
    """One fix on one draft."""
    part = DRAFT[name]
    project = made(files if files is not None else getattr(part, "PROJECT", {}))
    mended: Mend = part.mend(path or getattr(part, "PATH", "module.py"), text, project)
    return mended


def carry(name: str, job: Job, files: Mapping[str, str]) -> Carried | None:
    """One fix on one whole job."""
    carried: Carried | None = WHOLE_JOB[name].carry(job, made(files))
    return carried


def test_every_fix_defines_what_its_folder_asks_for() -> None:
    """A stage, a docstring, and examples that show a change and something left alone."""
    for name, part in parts.all_of("fixes").items():
        assert part.STAGE in ("draft", "project"), name
        assert parts.says(part), name
        assert hasattr(part, "mend" if part.STAGE == "draft" else "carry"), name
        if hasattr(part, "carry"):
            assert hasattr(part, "settle"), name
        if part.STAGE == "draft":
            assert any(before != after for before, after in part.EXAMPLES), name
            assert any(before == after for before, after in part.EXAMPLES), name


@pytest.mark.parametrize(("name", "before", "after"), SHOWN)
def test_a_fix_does_what_its_example_shows_and_no_more(name: str, before: str, after: str) -> None:
    """The draft becomes what is shown, with a note; a second time nothing is left to do."""
    mended = mend(name, before)
    assert mended.text == after
    assert bool(mended.notes) is (before != after)
    again = mend(name, after)
    assert again.text == after
    assert again.notes == ()


def complaints(path: Path) -> list[str]:
    """Changes that fixes make to a file of the library in which every name is defined."""
    text = stdlib_files.read(path)
    if text is None:
        return []
    relative = path.relative_to(stdlib_files.ROOT).as_posix()
    mended = {n: part.mend(relative, text, made({})) for n, part in DRAFT.items()}
    return [
        f"{name}: {path}: {mend.notes}"
        for name, mend in mended.items()
        if (mend.text != text or mend.question) and not _is_right(name, mend.text, text, path)
    ]


def _is_right(name: str, new: str, old: str, path: Path) -> bool:
    """Whether a change of a library's test mends a name that really is undefined in it."""
    before, after = len(scope.undefined(old)), len(scope.undefined(new))
    return stdlib_files.is_test(path) and before > 0 and (new == old or after < before)


def test_no_fix_changes_the_standard_library() -> None:
    """Good code stays as it is; only tests of the library hold names that are truly undefined."""
    files = stdlib_files.files(one_in=9)
    assert len(files) > 100
    assert list(stdlib_files.each(complaints, files)) == []


BROKEN = [
    ("stray-fence", "```\nx = 1\n"),
    ("indentation", "    x = 1\n    y = 2\n"),
    ("missing-self", "class C:\n    def m():\n        return self.x\n"),
    ("misspelt-name", "def f(total):\n    return totl\n"),
    ("misspelt-attribute", DRAFT["misspelt-attribute"].EXAMPLES[0][0]),
    ("missing-import", "print(json.dumps(1))\n"),
]


@pytest.mark.parametrize(("name", "text"), BROKEN)
def test_a_fix_says_what_it_did(name: str, text: str) -> None:
    """Each note names the file, so a person can look."""
    mended = mend(name, text)
    assert mended.text != text
    assert all(note.startswith("module.py") for note in mended.notes)


@pytest.mark.parametrize(
    "text",
    [
        '"""Doc.\n\n```python\nx\n```\n"""\n\nx = 1\n',
        'TEXT = """\n```\n"""\n',
        "x = 1  # ```\n",
        "```\n```\n",
        "",
    ],
)
def test_fences_that_belong_to_a_file_stay(text: str) -> None:
    """In a docstring, a string, a comment; and nothing is made of an empty reply."""
    assert mend("stray-fence", text).text == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("````py\nx = 1\n````", "x = 1\n"),
        ("```python\n```python\nx = 1\n```\n```\n", "x = 1\n"),
        ("\n```\nx = '''\n```\n'''\n```\n", "x = '''\n```\n'''\n"),
    ],
)
def test_fences_around_a_draft_come_off(text: str, after: str) -> None:
    """Four back-ticks, fences in fences, and fences inside the draft's own strings."""
    assert mend("stray-fence", text).text == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "    def f():\n        return '''\nraw\n'''\n",
            "def f():\n    return '''\nraw\n'''\n",
        ),
        ("x = 1\n  y = 2\n", "x = 1\ny = 2\n"),
        ("def f():\n   x = 1\n    return x\n", "def f():\n   x = 1\n   return x\n"),
        ("def f():\n    x = 1\n   return x\n", "def f():\n    x = 1\n    return x\n"),
    ],
)
def test_indentation_is_put_right(text: str, after: str) -> None:
    """As a whole, of a line too far in, of a line one blank off; raw strings stay."""
    assert mend("indentation", text).text == after


@pytest.mark.parametrize(
    "text",
    [
        "for a in b:\n    f(a)\n  g(a)\n",
        "def f(:\n    return 1\n",
        "def f():\nx = 1\nreturn x\nprint(f())\n",
        "if x:\ny = 1\n",
        "x = 1\n",
    ],
)
def test_indentation_with_two_meanings_stays(text: str) -> None:
    """Half-way between two levels, another syntax error, a body without a sure end."""
    assert mend("indentation", text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "def f(total):\n    return 'totl'  # totl\n",
        "def f():\n    total = totl\n",
        "class C:\n    total = 1\n    def f(self):\n        return totl\n",
        "def f(price, prices):\n    return prics\n",
        "from shop import *\ndef f(total):\n    return totl\n",
        "def total():\n    return totla\n",
    ],
)
def test_a_name_without_one_sure_neighbour_stays(text: str) -> None:
    """Strings, names not yet bound, class names, two neighbours, star imports, the own name."""
    assert mend("misspelt-name", text).text == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("def f(total):\n    return f'{totl:>{totl}} totl'\n", "{total:>{total}} totl"),
        ("def f(total):\n    x = totl\n    return totl\n", "x = total\n    return total"),
        ("def f(prices):\n    for price in prcies:\n        print(price)\n", "in prices:"),
        ("def f(n):\n    return n * ff(n - 1)\n", "ff(n - 1)"),
        ("def fact(n):\n    return n * fcat(n - 1)\n", "n * fact(n - 1)"),
        ("import json\ndef f(x):\n    return jsno.dumps(x)\n", "json.dumps(x)"),
        ("def f(x):\n    return 'é' + str(x) + sttr(x)\n", "+ str(x) + str(x)"),
    ],
)
def test_a_misspelt_name_is_exchanged_in_code(text: str, after: str) -> None:
    """In f-strings and their formats, at all its places, behind letters outside ASCII."""
    assert after in mend("misspelt-name", text).text


def test_what_was_undefined_before_a_draft_is_not_the_drafts_to_mend() -> None:
    """A draft that adds a function does not touch an old slip beside it; a new slip is mended."""
    old = "def f(total):\n    return totl\n"
    draft = old + "\n\ndef g(count):\n    return coutn\n"
    mended = mend("misspelt-name", draft, {"module.py": old})
    assert mended.text == draft.replace("coutn", "count")


def test_two_neighbours_are_a_question_with_both() -> None:
    """What a machine cannot decide is asked, best neighbour first."""
    mended = mend("misspelt-name", "def f(price, prices):\n    return prics\n")
    assert mended.question is not None
    assert set(mended.question.options) == {"price", "prices"}


SHOP = {
    "shop/__init__.py": "",
    "shop/orders.py": "from shop.money import Money\n\nLIMIT = 3\n\n\ndef total(ps):\n"
    "    return Money(sum(ps))\n",
    "shop/money.py": "class Money(int):\n    pass\n",
    "shop/a.py": "def twice(x):\n    return x\n",
    "shop/b.py": "import numpy as np\n\n\ndef twice(x):\n    return np.array(x)\n",
    "shop/near.py": "from .money import Money\n\n\ndef none():\n    return Money(0)\n",
    "tests/test_orders.py": "import unittest\n",
}


@pytest.mark.parametrize(
    ("path", "text", "statement"),
    [
        ("tests/test_x.py", "def test_a():\n    total([1])\n", "from shop.orders import total"),
        ("shop/new.py", "def f():\n    return Money(1), LIMIT\n", "from shop.money import Money"),
        ("shop/new.py", "from .a import twice\n\nprint(Money(1), twice)\n",
         "from .money import Money"),
        ("shop/new.py", "def f():\n    return np.zeros(1)\n", "import numpy as np"),
        ("shop/new.py", "def f():\n    return orders.total([])\n", "from shop import orders"),
        ("new.py", "def f():\n    return urllib.request.urlopen('x')\n", "import urllib.request"),
        ("new.py", "def f():\n    return os.path.join('a')\n", "import os"),
        ("new.py", "def f(x: Iterable):\n    return x\n", "from collections.abc import Iterable"),
        ("new.py", "@dataclass\nclass C:\n    x: int\n", "from dataclasses import dataclass"),
        ("new.py", "def f(d):\n    return date.today()\n", "from datetime import date"),
    ],
)  # fmt: skip
def test_an_import_is_added_where_it_can_only_be_one(path: str, text: str, statement: str) -> None:
    """As the project does it, from the project, relative in its manner, or from the library."""
    mended = mend("missing-import", text, SHOP, path)
    assert f"{statement}\n" in mended.text
    assert mended.text.endswith(text[-20:])
    assert symbols.parses(mended.text) == ""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop/new.py", "def f(x):\n    return twice(x)\n"),
        ("shop/money.py", "class Money(int):\n    def half(self):\n        return total([self])\n"),
        ("new.py", "def f():\n    return string.append(1)\n"),
        ("new.py", "def f():\n    return chain\n"),
        ("new.py", "def f():\n    return this.s\n"),
        ("new.py", "def f():\n    return code\n"),
    ],
)
def test_an_import_in_doubt_is_not_added(path: str, text: str) -> None:
    """Two modules define it, it would close a cycle, or the word may be anything."""
    assert mend("missing-import", text, SHOP, path).text == text


def test_imports_in_doubt_are_asked_about() -> None:
    """Two modules are two options; a cycle has none."""
    two = mend("missing-import", "def f(x):\n    return twice(x)\n", SHOP, "shop/new.py").question
    assert two is not None
    assert two.options == ("from shop.a import twice", "from shop.b import twice")
    text = "class Money(int):\n    def half(self):\n        return total([self])\n"
    circle = mend("missing-import", text, SHOP, "shop/money.py").question
    assert circle is not None
    assert "cycle" in circle.text


def test_an_import_stands_with_its_like() -> None:
    """Below docstring and future, library before others, in order of names."""
    text = (
        '#!/usr/bin/env python\n"""Doc."""\n\nfrom __future__ import annotations\n\nimport abc\n'
        "import sys\n\nimport yaml\n\n\nprint(json.dumps(1), abc, sys, yaml)\n"
    )
    mended = mend("missing-import", text)
    assert "import abc\nimport json\nimport sys\n\nimport yaml\n" in mended.text


def test_test_methods_find_their_class() -> None:
    """A new class after the file, or the one that is there; pytest's functions stay functions."""
    unit = {"tests/test_a.py": "import unittest\n\n\nclass A(unittest.TestCase):\n    pass\n"}
    plain = "def test_b():\n    assert 1\n"
    files = unit | {
        "tests/test_a.py": unit["tests/test_a.py"].replace("pass", "def test_a(self): ...")
    }
    wrapped = mend("bare-test-method", plain, files, "tests/test_b.py").text
    assert "class BTest(unittest.TestCase):\n    def test_b(self):\n" in wrapped
    pytested = files | {"conftest.py": ""}
    assert mend("bare-test-method", plain, pytested, "tests/test_b.py").text == plain
    used = "def test_b(self):\n    pass\n\n\nC.test_b = test_b\n"
    assert mend("bare-test-method", used, files, "tests/test_b.py").text == used
    assert mend("bare-test-method", "def test_b(self):\n    1\n", files, "src/b.py").notes == ()


ORDERS = (
    "def with_tax(prices):\n    subtotal = sum(prices)\n    return subtotl * 2\n\n\n"
    "class Desk:\n    def status(self, known):\n        return stauts\n"
)


def test_a_fix_job_mends_an_undefined_name_where_it_stands() -> None:
    """In the file named, or anywhere if the job speaks of a NameError; not for another error."""
    files = {"orders.py": ORDERS.split("\n\n\nclass")[0] + "\n", "other.py": "x = 1\n"}
    for job in (
        Job("fix", "fix the bug", path="orders.py"),
        Job("fix", "fix the NameError", error="NameError"),
        Job("fix", "x", evidence="NameError: name 'subtotl' is not defined", error="NameError"),
    ):
        carried = carry("undefined-name", job, files)
        assert carried is not None
        assert list(carried.files) == ["orders.py"]
        assert "return subtotal * 2" in str(carried.files["orders.py"])
    assert (
        carry("undefined-name", Job("fix", "x", path="orders.py", error="KeyError"), files) is None
    )
    assert carry("undefined-name", Job("write-test", "x", path="orders.py"), files) is None
    assert carry("undefined-name", Job("fix", "it is slow", path="other.py"), files) is None


def test_an_own_name_is_asked_about_and_refused_as_an_answer() -> None:
    """The method's own name is near and wrong; a literal or a bound name settles it."""
    files = {"desk.py": ORDERS.split("\n\n\n")[1]}
    job = Job("fix", "fix status", path="desk.py", subject="Desk.status")
    carried = carry("undefined-name", job, files)
    assert carried is not None
    assert carried.question is not None
    assert not carried.files
    settle = WHOLE_JOB["undefined-name"].settle
    assert settle(job, made(files), "status") is None
    assert settle(job, made(files), "nowhere") is None
    for answer in ("known", '"open"'):
        done = settle(job, made(files), answer)
        assert f"return {answer}\n" in done.files["desk.py"]


def test_a_stale_import_finds_its_module() -> None:
    """A bare name for a module in a package; what the library or others own stays."""
    text = "import unittest\nfrom orders import total\n\n\ntotal([])\n"
    assert "from shop.orders import total" in mend("stale-import", text, SHOP, "tests/t.py").text
    for left in ("from orders import nothing\n", "import json\n", "from numpy import array\n"):
        assert mend("stale-import", left, SHOP, "tests/t.py").text == left


def test_jobs_of_other_kinds_are_left() -> None:
    """A question or a test is no job for a fix."""
    part: ModuleType
    for part in WHOLE_JOB.values():
        assert part.carry(Job("ask", "what does f do?", subject="f", path="a.py"), made({})) is None
