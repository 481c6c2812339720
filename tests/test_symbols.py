"""Definitions in a text: found, shown, replaced and added without touching another byte."""

from __future__ import annotations

import pytest

from harness.source import symbols, syntax
from harness.types import Fault
from tests import stdlib_files

TEXT = '''"""A shop."""

import os
from typing import overload

TAX = 0.2


# Sums.
@overload
def total(prices: int) -> int: ...
@overload
def total(prices: list) -> int: ...
def total(prices):
    """Sum of the prices."""
    return sum(prices)


class Basket(list):
    """Prices."""

    SIZE = 3

    # What it costs.
    @property
    def cost(self):
        text = """
  kept as it is
"""
        return total(self), text

    @cost.setter
    def cost(self, value):
        self.value = value

    async def pay(self):
        def inner():
            return os.name

        return inner()


if os.name:
    def only():
        return 1
else:
    def only():
        return 2


# Starts it.
if __name__ == "__main__":
    print(total([1]))
'''


def same(text: str | Fault) -> str:
    """A text that is no Fault."""
    assert isinstance(text, str), text
    return text


def test_an_outline_names_what_a_file_defines_and_nothing_inside_functions() -> None:
    """Functions, classes, methods and assignments are listed in order, with their signature."""
    found = [(s.qualname, s.kind) for s in symbols.outline(TEXT)]
    assert found[0] == ("TAX", "assignment")
    assert ("Basket.SIZE", "assignment") in found
    assert ("Basket.pay", "method") in found
    assert not any("inner" in name for name, _ in found)
    assert symbols.outline("def broken(:\n") == ()


@pytest.mark.parametrize(
    ("name", "line", "signature"),
    [
        ("total", 14, "def total(prices)"),
        ("Basket", 19, "class Basket(list)"),
        ("Basket.cost", 26, "def cost(self)"),
        ("Basket.pay", 36, "async def pay(self)"),
        ("Basket.pay.inner", 37, "def inner()"),
        ("only", 44, "def only()"),
    ],
)
def test_a_name_finds_its_real_definition(name: str, line: int, signature: str) -> None:
    """Overloads, setters and the other branch of an if are not what a name means."""
    found = symbols.find(TEXT, name)
    assert found is not None
    assert (found.line, found.signature) == (line, signature)


def test_a_name_that_is_not_there_is_not_found() -> None:
    """Half a qualified name, an empty one and a broken text find nothing."""
    assert symbols.find(TEXT, "cost") is None
    assert symbols.find(TEXT, "") is None
    assert symbols.find("def f(:\n", "f") is None


def test_a_source_holds_decorators_and_not_the_comment_above() -> None:
    """What is shown of a definition is what would be replaced."""
    found = symbols.find(TEXT, "Basket.cost")
    assert found is not None
    assert symbols.source(TEXT, found).startswith("    @property\n    def cost(self):\n")


def test_replacing_keeps_every_other_byte() -> None:
    """Before and after the span nothing changes, trailing blanks and form feeds included."""
    text = "x = 1  \n\x0c\ndef f():  # old\n    return 1\n\n\ny = 2"
    changed = same(symbols.replace(text, "f", "def f():\n    return 2\n"))
    assert changed == "x = 1  \n\x0c\ndef f():\n    return 2\n\n\ny = 2"


def test_a_method_is_indented_as_its_class_and_its_strings_stay() -> None:
    """Lines inside a string that is no docstring are data; the rest moves."""
    new = 'def pay(self):\n    """Doc.\n\n    More.\n    """\n    return """\nraw\n"""\n'
    changed = same(symbols.replace(TEXT, "Basket.pay", new))
    assert '    def pay(self):\n        """Doc.\n\n        More.\n        """\n' in changed
    assert '        return """\nraw\n"""\n' in changed
    assert symbols.parses(changed) == ""


@pytest.mark.parametrize(
    "reply",
    [
        "def total(prices):\n    return 7\n",
        "    def total(prices):\n        return 7\n",
        "import math\n\ndef other():\n    pass\n\ndef total(prices):\n    return 7\n",
        "def total(prices):\n    return 7",
    ],
)
def test_the_wanted_definition_is_taken_out_of_a_reply(reply: str) -> None:
    """A whole file, several definitions or an indented one give the same replacement."""
    changed = same(symbols.replace(TEXT, "total", reply))
    assert "def total(prices):\n    return 7\n\n\nclass Basket" in changed
    assert "other" not in changed


def test_a_method_is_taken_out_of_its_class() -> None:
    """A reply that repeats the class around a method gives the method alone."""
    reply = "class Basket:\n    def pay(self):\n        return 1\n"
    changed = same(symbols.replace(TEXT, "Basket.pay", reply))
    assert "    def pay(self):\n        return 1\n" in changed
    assert changed.count("class Basket") == 1


def test_decorators_that_a_reply_leaves_out_stay_and_its_own_replace_them() -> None:
    """Leaving a decorator out is seldom meant; writing another is."""
    kept = same(symbols.replace(TEXT, "Basket.cost", "def cost(self):\n    return 1\n"))
    assert "    @property\n    def cost(self):\n        return 1\n" in kept
    new = same(symbols.replace(TEXT, "Basket.cost", "@cached\ndef cost(self):\n    return 1\n"))
    assert "    # What it costs.\n    @cached\n    def cost(self):\n        return 1\n" in new


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("nowhere", "def nowhere():\n    pass\n"),
        ("total", "def other():\n    pass\n"),
        ("total", "def total(:\n"),
        ("total", "no code at all"),
    ],
)
def test_what_cannot_be_replaced_is_a_fault_that_says_what_to_write(name: str, reply: str) -> None:
    """A missing name, another definition and broken code are values, not exceptions."""
    found = symbols.replace(TEXT, name, reply)
    assert isinstance(found, Fault)
    assert found.reason
    assert found.next_action


def test_something_new_goes_above_the_main_guard() -> None:
    """A function is put before the guard and the comment right above it, two lines apart."""
    changed = symbols.insert(TEXT, "def late():\n    return 1\n")
    assert changed.endswith(
        "        return 2\n\n\ndef late():\n    return 1\n\n\n# Starts it.\n"
        'if __name__ == "__main__":\n    print(total([1]))\n'
    )


def test_something_new_goes_where_it_is_asked_to() -> None:
    """Below a function, into a class as its method, or with constants below the imports."""
    below = symbols.insert(TEXT, "def near():\n    return 1\n", "total")
    assert "return sum(prices)\n\n\ndef near():\n    return 1\n\n\nclass Basket" in below
    inside = symbols.insert(TEXT, "def new(self):\n    return 1\n", "Basket")
    assert "        return inner()\n\n    def new(self):\n        return 1\n\n\nif os" in inside
    constant = symbols.insert(TEXT, "RATE = 1\n")
    assert "import overload\n\nRATE = 1\n\nTAX" in constant
    assert symbols.insert("", "def f():\n    pass\n") == "def f():\n    pass\n"


def test_what_vanished_is_named() -> None:
    """Lost functions, methods and constants are named; imported and inherited ones are not lost."""
    before = "A = 1\n\n\ndef f(): ...\n\n\nclass C:\n    def m(self): ...\n    def n(self): ...\n"
    assert symbols.vanished(before, "class C:\n    def n(self): ...\n") == ("A", "f", "C.m")
    assert symbols.vanished(before, "A = 1\nfrom x import f, C\n") == ()
    moved = (
        "A = 1\ndef f(): ...\nclass B:\n    def m(self): ...\nclass C(B):\n    def n(self): ...\n"
    )
    assert symbols.vanished(before, moved) == ()
    assert symbols.vanished("def f(:\n\ndef g():\n    pass\n", "def f(): ...\n") == ("g",)
    assert symbols.vanished(before, "def broken(:\n") == ()


def test_calls_and_parameters_are_read_from_the_tree() -> None:
    """A word in a string is no call; starred and keyword-only parameters are parameters."""
    assert symbols.calls("f(a.b.c(), 'g()')  # h()\n") == {"f", "c", "a.b.c"}
    assert symbols.parameters("def f(a, /, b, *c, d=1, **e): ...") == ("a", "b", "c", "d", "e")
    assert symbols.parameters(TEXT, "Basket.cost") == ("self",)


TESTS = '''import unittest
from shop import total, Basket as B, unused

"""total(1)"""


def helper(prices):
    return total(prices)


def test_plain():
    assert helper([1]) == 1


def test_only_a_word():
    """total()"""
    assert "total()"


class Common(unittest.TestCase):
    def setUp(self):
        self.basket = B([1])


class Cost(Common):
    def test_cost(self):
        self.assertEqual(self.basket.cost, 1)

    def test_raises(self):
        self.assertRaises(TypeError, total, 1)

    def check(self):
        total([])


class Plain:
    def test_never_runs(self):
        total([])


class TestPlain:
    def test_runs(self):
        assert total([]) == 0
'''


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("total", ("test_plain", "Cost.test_raises", "TestPlain.test_runs")),
        ("Basket.cost", ("Cost.test_cost",)),
        ("unused", ()),
        ("helper", ()),
        ("", ()),
    ],
)
def test_only_a_call_inside_a_test_is_coverage(name: str, tests: tuple[str, ...]) -> None:
    """An import, a word, no test, a class that never runs, the test file's own double: none."""
    found = symbols.tests_that_call(TESTS, name)
    assert tuple(t for t in found if t != "test_only_a_word") == found
    assert found == tests


def test_a_preparation_that_runs_before_a_test_counts() -> None:
    """setUp of a class, and a pytest fixture, run for the test that has them."""
    unit = TESTS.replace(
        "class Cost(Common)", "class Other(Common)\n    pass\n\nclass Cost(Common)"
    )
    assert symbols.tests_that_call(unit, "nothing") == ()
    own = (
        "class TestA:\n    def setup_method(self):\n        f()\n    def test_a(self):\n        1\n"
    )
    assert symbols.tests_that_call(own, "f") == ("TestA.test_a",)
    fixed = "@fixture\ndef made():\n    return f()\n\ndef test_a(made):\n    assert made\n"
    assert symbols.tests_that_call(fixed, "f") == ("test_a",)


LIBRARY = ("ast.py", "dataclasses.py", "enum.py", "functools.py", "textwrap.py", "unittest/case.py")


@pytest.mark.parametrize("name", LIBRARY)
def test_every_definition_replaced_by_itself_leaves_a_file_as_it_was(name: str) -> None:
    """Its own source put back, as it stands or flush left, gives the same file byte for byte."""
    text = (stdlib_files.ROOT / name).read_text(encoding="utf-8")
    found = [s for s in symbols.everything(text) if s.kind != "assignment"]
    checked = 0
    for symbol in found[::3]:
        # Overloads, setters and the other branches of an if are not what a name finds.
        if symbols.find(text, symbol.qualname) == symbol:
            checked += 1
            own = symbols.source(text, symbol)
            for given in (own, syntax.shifted(own, "")):
                assert symbols.replace(text, symbol.qualname, given) == text, symbol.qualname
    assert checked >= len(found) // 6


def test_what_is_put_back_is_not_what_was_there_if_it_changed() -> None:
    """The check above notices one changed byte."""
    text = "def f():\n    return 1 \n\n\nx = 1\n"
    found = symbols.find(text, "f")
    assert found is not None
    assert symbols.replace(text, "f", symbols.source(text, found).replace("1", "2")) != text


def test_a_text_that_does_not_parse_says_why_in_one_line() -> None:
    """The error names its kind and line; null bytes and deep nesting are no crash."""
    assert symbols.parses("x = 1\n") == ""
    assert "line 2" in symbols.parses("x = 1\ny = (\n")
    assert symbols.parses("x = '\0'\n")
    assert symbols.parses("(" * 5000 + ")" * 5000)
