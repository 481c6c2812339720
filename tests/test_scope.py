"""Names that nothing defines: found where they are, silent elsewhere; what is near a slip."""

from __future__ import annotations

import pytest

from harness import near, scope


def names(text: str) -> list[str]:
    """Undefined names of a text, in reading order."""
    return [found.name for found in scope.undefined(text)]


FOUND = {
    "a name in a function": ("def f(total):\n    return totl\n", ["totl"]),
    "a name of the module": ("x = 1\ny = xx\n", ["xx"]),
    "each place once": ("def f():\n    return a + a\n", ["a", "a"]),
    "after a star target": ("first, *rest = [1, 2]\nprint(rset)\n", ["rset"]),
    "a class's name in its method": (
        "class C:\n    limit = 1\n\n    def m(self):\n        return limit\n",
        ["limit"],
    ),
    "a comprehension's own name outside it": ("x = [i for i in range(3)]\nprint(i)\n", ["i"]),
    "a class's name in the inside of a comprehension": (
        "class C:\n    n = 2\n    rows = [n for _ in range(3)]\n",
        ["n"],
    ),
    "a name after del": ("x = 1\ndel x\nprint(x)\n", ["x"]),
    "an inner function's own name": (
        "def f():\n    def g():\n        inner = 1\n        return inner\n    return inner\n",
        ["inner"],
    ),
    "an exception's name after its handler": (
        "try:\n    pass\nexcept OSError as wrong:\n    pass\nprint(wrong)\n",
        ["wrong"],
    ),
    "an f-string's code": ('def f(name):\n    return f"name {naem!r:>{widht}}"\n', ["naem", "widht"]),
    "a lambda's": ("f = lambda x: y\n", ["y"]),
    "a decorator, a default, an annotation, a base": (
        "@deco\ndef f(a: Kind = start) -> Out:\n    return a\n\n\nclass C(Base):\n    pass\n",
        ["deco", "Kind", "start", "Out", "Base"],
    ),
    "a match's subject": ("match subjct:\n    case 1:\n        pass\n", ["subjct"]),
    "an augmented name that was never set": ("def f():\n    totl += 1\n", ["totl"]),
    "a handler of another error": (
        "try:\n    x = unicod\nexcept ValueError:\n    x = str\n",
        ["unicod"],
    ),
    "the else of a try with NameError": (
        "try:\n    x = 1\nexcept NameError:\n    x = 2\nelse:\n    y = missing\n",
        ["missing"],
    ),
}

SILENT = {
    "builtins": "print(len([]), __name__, __file__, NotImplemented, ValueError)\n",
    "no text": "",
    "no Python": "def f(:\n",
    "TYPE_CHECKING": (
        "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from x import Y\n\n\ndef f(a: Y) -> Y:\n    return a\n"
    ),
    "a NameError that is caught": (
        "try:\n    text = unicode\nexcept NameError:\n    text = str\n"
    ),
    "a NameError that a test expects": (
        "import pytest\n\n\ndef test_a():\n    with pytest.raises(NameError):\n        nothing\n"
    ),
    "a NameError that assertRaises expects": (
        "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        "        self.assertRaises(NameError, lambda: nothing)\n"
    ),
    "a star import": "from os.path import *\n\nprint(join('a', 'b'))\n",
    "del of a name under a condition": "def f(a):\n    x = a\n    if a:\n        del x\n    return x\n",
    "globals() written": "globals()['made'] = 1\nprint(made)\n",
    "globals() updated": "globals().update(made=1)\nprint(made)\n",
    "exec in the module": "exec('made = 1')\nprint(made)\n",
    "a function below its use": "def f():\n    return g()\n\n\ndef g():\n    return 1\n",
    "global": "def f():\n    global made\n    made = 1\n\n\ndef g():\n    return made\n",
    "nonlocal": (
        "def f():\n    n = 0\n\n    def g():\n        nonlocal n\n        n += 1\n        return n\n\n"
        "    return g\n"
    ),
    "a class's own name in its body": "class C:\n    n = 2\n    m = n + 1\n",
    "the first iterable of a comprehension in a class": (
        "class C:\n    ns = (1, 2)\n    rows = [n for n in ns]\n"
    ),
    "a walrus out of a comprehension": "print([last := n for n in (1, 2)])\nprint(last)\n",
    "match": (
        "def f(x):\n    match x:\n        case {'a': a, **rest}:\n            return a, rest\n"
        "        case [first, *others] if first:\n            return first, others\n"
        "        case str() as said:\n            return said\n        case other:\n"
        "            return other\n"
    ),
    "__class__ in a method": "class C:\n    def m(self):\n        return __class__\n",
    "except*": "try:\n    pass\nexcept* OSError as group:\n    print(group)\n",
    "a with of several": "with open('a') as a, open('b') as (b, *c):\n    print(a, b, c)\n",
    "a name asked for first": "if 'made' in globals():\n    print(made)\n",
    "Python 2 under its version": (
        "import sys\nif sys.version_info < (3,):\n    text = unicode\nelse:\n    text = str\n"
    ),
    "a line told to be quiet": "print(given)  # noqa: F821\n",
    "a name in a doctest": 'def f():\n    """\n    >>> missing\n    """\n',
    "a forward annotation": (
        "from __future__ import annotations\n\n\nclass A:\n    def f(self) -> B: ...\n\n\n"
        "class B:\n    pass\n"
    ),
}


@pytest.mark.parametrize("case", FOUND)
def test_a_name_that_nothing_defines_is_found(case: str) -> None:
    """Found once a place, in reading order."""
    text, expected = FOUND[case]
    assert names(text) == expected


@pytest.mark.parametrize("case", SILENT)
def test_good_code_raises_no_alarm(case: str) -> None:
    """Right Python is left in peace."""
    assert names(SILENT[case]) == []


def test_a_place_is_a_line_and_a_column_in_characters() -> None:
    """The column counts characters, not bytes, inside f-strings too."""
    text = 'def f(name):\n    é = "é" + f"é {naem}"\n    return é\n'
    (found,) = scope.undefined(text)
    assert found.line == 2
    row = text.splitlines()[1]
    assert row[found.column : found.column + 4] == "naem"


def test_a_column_in_a_long_f_string_points_at_the_code() -> None:
    """A same word in the text of an f-string of many lines is not taken for the code."""
    text = 'def f(name):\n    return f"""naem\n  naem {naem}\n{naem}"""\n'
    rows = text.splitlines()
    found = scope.undefined(text)
    assert [one.line for one in found] == [3, 4]
    assert [rows[one.line - 1][one.column - 1] for one in found] == ["{", "{"]


NEAR = {
    "one letter left out": ("def f(total):\n    return totl\n", ("total",), ()),
    "two letters swapped": ("def f(status):\n    return stauts\n", ("status",), ()),
    "two mistakes in a long name": (
        "def f(quantities):\n    return quantitis + 1\n",
        ("quantities",),
        (),
    ),
    "case": ("def f(userId):\n    return userid\n", ("userId",), ()),
    "a builtin that is called": ("def f(x):\n    return lenn(x)\n", ("len",), ()),
    "an exception that is raised": ("def f():\n    raise ValeuError\n", ("ValueError",), ()),
    "two that fit": ("def f(price, prices):\n    return prics\n", ("price", "prices"), ()),
    "a function where a value is wanted": (
        "def order():\n    pass\n\n\ndef f():\n    return oder\n",
        (),
        ("order",),
    ),
    "the function's own name": ("def status(known):\n    return stauts\n", (), ("status",)),
    "the method's own name": (
        "class C:\n    def status(self, known):\n        return stauts\n",
        (),
        ("status",),
    ),
    "a name bound further down": (
        "def f():\n    print(totl)\n    total = 1\n    return total\n",
        (),
        ("total",),
    ),
    "a class's name in a method": (
        "class C:\n    limit = 1\n\n    def m(self):\n        return limti\n",
        (),
        ("limit",),
    ),
    "another number": ("def f(item1, item2):\n    return item3\n", (), ()),
    "a short name": ("def f(a, b):\n    return c\n", (), ()),
    "another function's name": (
        "def f(total):\n    return total\n\n\ndef g():\n    return totl\n",
        (),
        (),
    ),
    "a plural is no slip of two letters": ("def f(box):\n    return boxes\n", (), ()),
}


@pytest.mark.parametrize("case", NEAR)
def test_near_names_that_fit_and_near_names_that_do_not(case: str) -> None:
    """What may stand there is apart from what is only like it."""
    text, in_scope, elsewhere = NEAR[case]
    found = scope.undefined(text)[0]
    assert found.in_scope == in_scope
    assert found.elsewhere == elsewhere


def test_a_name_deleted_or_bound_in_a_branch_is_no_misspelling() -> None:
    """A name that some road binds is at worst not bound yet, which is another fault."""
    assert names("def f(a):\n    if a:\n        x = 1\n    return x\n") == []


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("abcd", "abcd", 0), ("abcd", "abdc", 1), ("abcd", "abc", 1), ("ca", "abc", 3), ("", "ab", 2)],
)
def test_the_distance_counts_a_swap_once(a: str, b: str, expected: int) -> None:
    """Restricted Damerau-Levenshtein, symmetric."""
    assert near.distance(a, b, 5) == near.distance(b, a, 5) == expected


def test_the_distance_gives_up_at_its_limit() -> None:
    """Anything further away than the limit is limit + 1."""
    assert near.distance("abcdefgh", "stuvwxyz", 2) == 3
