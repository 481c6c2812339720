"""Names that nothing defines: found where they are, and never where they are not."""

from __future__ import annotations

import ast
import builtins
import symtable
import sys
import warnings
from pathlib import Path

import pytest

from harness.source import bindings, near, scope
from tests import stdlib_files


def found(text: str) -> list[str]:
    """Undefined names of a text."""
    return [one.name for one in scope.undefined(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f():\n    return totl\n", ["totl"]),
        ("class C:\n    x = 1\n    def m(self):\n        return x\n", ["x"]),
        ("total = 0\ndef f(ps):\n    for p in ps:\n        totl += p\n", ["totl"]),
        ("print(later)\nlater = 1\n", ["later"]),
        ("def f(x):\n    return [y for x in x if z]\n", ["y", "z"]),
        ("def f():\n    return f'{a} b {c!r:>{d}}'\n", ["a", "c", "d"]),
        ("try:\n    import json\nexcept ValueError:\n    json = noone\n", ["noone"]),
        ("def f(x: Lst) -> Dct: ...\n", ["Dct", "Lst"]),
        ("def f():\n    return raw_input()\n", ["raw_input"]),
        ("@decorated\nclass C(Base, metaclass=M): ...\n", ["decorated", "Base", "M"]),
        ("import os\ndel os\nos.name\n", []),
        ("x = é + ü\n", ["é", "ü"]),
        ("def broken(:\n", []),
    ],
)
def test_an_undefined_name_is_found(text: str, names: list[str]) -> None:
    """Wherever code reads it: functions, class bodies, f-strings, annotations, decorators."""
    assert sorted(found(text)) == sorted(names)


@pytest.mark.parametrize(
    "text",
    [
        "from t import TYPE_CHECKING\nif TYPE_CHECKING:\n    from x import T\ndef f(a: 'T'): ...\n",
        "def f(a: 'no.such.Name'): ...\n",
        "try:\n    unicode\nexcept NameError:\n    unicode = str\n",
        "try:\n    basestring\nexcept NameError:\n    pass\n",
        "import sys\nif sys.version_info[0] == 2:\n    text = unicode\n",
        "import six\ntext = unicode if six.PY2 else str\n",
        "import builtins\ntext = reload if hasattr(builtins, 'reload') else None\n",
        "from os.path import *\njoin('a')\n",
        "def f():\n    global made\n    made = 1\ndef g():\n    return made\n",
        "for n in ('a', 'b'):\n    globals()[n] = 1\nprint(a)\n",
        "globals().update(a=1)\nprint(a)\n",
        "import sys\nsetattr(sys.modules[__name__], 'a', 1)\nprint(a)\n",
        "exec('a = 1')\nprint(a)\n",
        "def f():\n    x = 1\n    del x\n    return x\n",
        "limit = 3\ndef f():\n    return limit\ndel limit\n",
        "class C:\n    a = 1\n    b = [a for _ in range(3)]\n    c = __qualname__, __module__\n",
        "print(__file__, __name__, __spec__, __path__, __annotations__)\n",
        "def f():\n    return _('text')\n",
        "import builtins\nbuiltins.shout = print\nshout('a')\n",
        "def f():\n    return WindowsError\n",
        "def f():\n    return gone  # noqa: F821\n",
        "def f():\n    return gone  # type: ignore[name-defined]\n",
        "import pytest\ndef test_a():\n    with pytest.raises(NameError):\n        gone\n",
        "class T:\n    def test_a(self):\n        self.assertRaises(NameError, lambda: gone)\n",
        "if (n := 3) > 2:\n    print(n)\nprint([m := 1, m])\n",
        "def outer():\n    def inner():\n        return late\n    late = 1\n    return inner\n",
        "import enum\n@enum.global_enum\nclass C(enum.Enum):\n    A = 1\nprint(A)\n",
        "match [1, 2]:\n    case [a, *b] if a:\n        print(a, b)\n",
        "match {}:\n    case {'k': c, **d}:\n        print(c, d)\n",
        "try:\n    pass\nexcept* ValueError as e:\n    print(e)\n",
    ],
)  # fmt: skip
def test_modern_and_dynamic_python_raises_no_alarm(text: str) -> None:
    """Guards, hosts, injected names, star imports, walrus, match and late binding are right."""
    assert found(text) == []


@pytest.mark.skipif(sys.version_info < (3, 12), reason="this Python has no type parameters")
def test_type_parameters_raise_no_alarm() -> None:
    """PEP 695: a function's, a class's and an alias's own parameters are defined in it."""
    text = "type L[T] = list[T]\ndef f[U](x: U) -> U:\n    return x\nclass C[V]:\n    a: V\n"
    assert found(text) == []


def test_a_place_is_given_in_characters_of_its_line() -> None:
    """Line from 1, column from 0, letters outside ASCII counted once."""
    (one,) = scope.undefined("# ü\nx = 'üü' + totl\n")
    assert (one.line, one.column) == (2, 11)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(price):\n    subtotal = price\n    return subtotl\n", ("subtotal",)),
        ("def f():\n    x = subtotl\n    subtotal = 1\n", ()),
        ("class C:\n    status = 1\n    def m(self):\n        return stauts\n", ()),
        ("def status():\n    return stauts\n", ()),
        ("def fact(n):\n    return n * fcat(n - 1)\n", ("fact",)),
        ("def f(items):\n    return lenn(items)\n", ("len",)),
        ("def f():\n    return lst\n", ()),
        ("import json\ndef f(x):\n    return jsn.dumps(x)\n", ("json",)),
        ("import json\ndef f(x):\n    return jsn(x)\n", ()),
        ("def total(): ...\ndef f():\n    return totl\n", ()),
        ("def f(price, prices):\n    return prics\n", ("price", "prices")),
        ("def f(item1):\n    return item2\n", ()),
        ("def f(x):\n    return y\n", ()),
        ("def f(x):\n    return x is none\n", ("None",)),
        (
            "def f(rows):\n    return [rwo for row in rows for rwo in row if roww]\n",
            ("row", "rows"),
        ),
        ("def f():\n    raise ValueEror('a')\n", ("ValueError",)),
        ("def f(value):\n    raise MyException('a')\n", ()),
        ("TOTAL = 1\ndef f():\n    return Total\n", ("TOTAL",)),
    ],
)
def test_near_names_are_those_bound_there_that_fit(text: str, names: tuple[str, ...]) -> None:
    """Not yet bound, a class's own, the function itself, another number or kind are not near."""
    assert [u.in_scope for u in scope.undefined(text)][-1] == names


def test_a_near_name_out_of_scope_is_told_apart() -> None:
    """The method's own name is near, and said to be elsewhere."""
    (one,) = scope.undefined("class C:\n    def status(self):\n        return stauts\n")
    assert (one.in_scope, one.elsewhere) == ((), ("status",))


@pytest.mark.parametrize(
    ("wrong", "right", "is_near"),
    [
        ("subtotl", "subtotal", True),
        ("stauts", "status", True),
        ("recieve_itme", "receive_item", True),
        ("totla", "total", True),
        ("Total", "total", True),
        ("ab", "abc", False),
        ("x1", "x2", False),
        ("week_1", "week_12", False),
        ("Exception", "MyException", False),
        ("cat", "dog", False),
        ("price", "prize_list", False),
        ("__name", "name", False),
        ("total", "total", False),
    ],
)
def test_nearness(wrong: str, right: str, is_near: bool) -> None:
    """One mistake, two in long names, case aside; a number or an affix makes another name."""
    assert near.is_near(wrong, right) is is_near
    assert near.is_near(right, wrong) is is_near


def test_distance_counts_edits() -> None:
    """Damerau-Levenshtein in its restricted form, cut off above the limit."""
    assert near.distance("abcd", "abdc") == 1
    assert near.distance("abc", "abc") == 0
    assert near.distance("kitten", "sitting", 9) == 3
    assert near.distance("a", "abcdef") == 3


def bound_by(table: symtable.SymbolTable) -> set[str]:
    """Names that a module binds by Python's own symbol table, at its top or as a global."""
    names = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    waiting = list(table.get_children())
    while waiting:
        inner = waiting.pop()
        waiting += inner.get_children()
        declared = [s for s in inner.get_symbols() if s.is_declared_global()]
        names |= {s.get_name() for s in declared if s.is_assigned() or s.is_imported()}
    return names


def false_alarms(path: Path) -> list[str]:
    """Alarms about a library file that are wrong, or that are raised where no test stands."""
    text = stdlib_files.read(path)
    alarms = scope.undefined(text) if text else ()
    if text is None or not alarms:
        return []
    if not stdlib_files.is_test(path):
        return [f"{path}:{one.line}: {one.name}" for one in alarms]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = bound_by(symtable.symtable(text, str(path), "exec")) | set(dir(builtins))
    return [f"{path}:{one.line}: {one.name}" for one in alarms if one.name in known]


def test_the_standard_library_raises_no_false_alarm() -> None:
    """No alarm outside its tests; there, only names that Python's own symbol table binds nowhere.

    The tests of the library use undefined names on purpose, in code that is compiled and never
    run.
    """
    files = stdlib_files.files(one_in=5)
    assert len(files) > 200
    assert list(stdlib_files.each(false_alarms, files)) == []


def slips(path: Path) -> tuple[int, int]:
    """Names that a file's functions read, misspelt one at a time: how many, how many are found."""
    text = stdlib_files.read(path) or ""
    known = bindings.of(text)
    made = caught = 0
    if "import *" in text:
        return 0, 0
    for usage in (known.usages if known else ())[::97][:4]:
        node, lines = usage.node, text.split("\n")
        if usage.scope.kind != "function" or len(node.id) < 4 or node.lineno > len(lines):
            continue
        row = lines[node.lineno - 1]
        if not row.isascii() or row[node.col_offset : node.end_col_offset] != node.id:
            continue
        lines[node.lineno - 1] = f"{row[: node.end_col_offset]}qq{row[node.end_col_offset :]}"
        broken = "\n".join(lines)
        made += 1
        caught += f"{node.id}qq" in found(broken)
    return made, caught


def test_slips_in_the_standard_library_are_found() -> None:
    """Silence is no trick: of names misspelt in real files at least 95 of 100 raise an alarm."""
    files = [p for p in stdlib_files.files(one_in=11) if not stdlib_files.is_test(p)]
    counted = [slips(path) for path in files[:60]]
    made, caught = sum(m for m, _ in counted), sum(c for _, c in counted)
    assert made > 40
    assert caught >= 0.95 * made


def test_bindings_know_where_a_name_is_bound() -> None:
    """Parameters, loops, handlers, patterns and walrus bind; `+=` reads and does not bind."""
    text = (
        "def f(a, *b, c=1, **d):\n"
        "    for e in a:\n        g += e\n"
        "    try:\n        pass\n    except ValueError as h:\n        pass\n"
        "    with a as (i, j):\n        pass\n"
        "    return [k for k in a if (m := k)]\n"
    )
    known = bindings.of(text)
    assert known is not None
    inside = {name for u in known.usages for s in u.scope.chain() for name in s.bound}
    assert {"a", "b", "c", "d", "e", "h", "i", "j", "k", "m"} <= inside
    assert "g" not in inside
    assert bindings.of("def f(:\n") is None
    assert isinstance(known.usages[0].node, ast.Name)
