"""Small projects to rename and move in, each with a suite that is green before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.types import Job


@dataclass(frozen=True)
class Case:
    """One job on one small project."""

    name: str
    job: Job
    files: dict[str, str]


def rename(subject: str, path: str, target: str) -> Job:
    """A job that gives a definition another name."""
    return Job("rename", f"rename {subject} to {target}", subject=subject, path=path, target=target)


def move(path: str, target: str, word: Literal["move", "rename"] = "move") -> Job:
    """A job that moves a module, or gives its file another name."""
    return Job("move", f"{word} {path} to {target}", path=path, target=target)


def suite(imports: str, *body: str) -> str:
    """A test file with one test."""
    lines = "".join(f"        {line}\n" for line in body)
    head = "import unittest\n\nclass T(unittest.TestCase):\n    def test_all(self):\n"
    return f"{imports}\n{head}{lines}"


TOTAL = "def total(prices):\n    return sum(prices)\n"
ORDER = "class Order:\n    def amount(self): return 1\n"
USES_A = {"test_a.py": suite("from a import total", "self.assertEqual(total([1]), 1)")}
_RENAME = rename("total", "a.py", "sum_up")
_AMOUNT = rename("Order.amount", "a.py", "due")

DONE = [
    Case("flat", _RENAME, {
        "a.py": TOTAL,
        "test_a.py": suite("import a\nfrom a import total", "self.assertEqual(total([1]), a.total([1]))"),
    }),
    Case("prefix of the source folder", rename("total", "src/shop/a.py", "sum_up"), {
        "src/shop/__init__.py": "", "src/shop/a.py": TOTAL,
        "src/shop/b.py": "from src.shop.a import total\nimport src.shop.a as m\n"
                         "from src.shop import a\nx = total([1]) + m.total([1]) + a.total([])\n",
        "tests/__init__.py": "",
        "tests/test_b.py": suite("from src.shop import b", "self.assertEqual(b.x, 2)"),
    }),
    Case("exported by its package and by a star", rename("total", "shop/a.py", "sum_up"), {
        "shop/__init__.py": 'from .a import *\nfrom . import b\n__all__ = ["total", "b"]\n',
        "shop/a.py": '__all__ = (\n    "total",  # total\n)\n' + TOTAL,
        "shop/b.py": "from .a import total as t\nfrom . import a\nx = t([1]) + a.total([1])\n",
        "test_a.py": suite("import shop\nfrom shop import *\nfrom shop import total",
                           "self.assertEqual(total([2]), b.x)", "self.assertIn('b', shop.__all__)"),
    }),
    Case("a submodule through its package", rename("total", "shop/a.py", "sum_up"), {
        "shop/__init__.py": "from . import a\n", "shop/a.py": TOTAL,
        "test_a.py": suite("import shop", "self.assertEqual(shop.a.total([1]), 1)"),
    }),
    Case("another definition where it is missing", _RENAME, {
        "a.py": TOTAL,
        "b.py": "try:\n    from a import total\nexcept ImportError:\n    def total(x): return 0\n",
        "test_a.py": suite("from b import total", "self.assertEqual(total([1]), 1)"),
    }),
    Case("a foreign name of its own", _RENAME, {
        "a.py": "try:\n    from fast_sums import total\nexcept ImportError:\n"
                "    def total(prices): return sum(prices)\n",
        **USES_A,
    }),
    Case("overloads and branches", _RENAME, {
        "a.py": "from typing import overload\nimport os\n@overload\ndef total(p: int) -> int: ...\n"
                "@overload\ndef total(p: list) -> int: ...\ndef total(p):\n    return sum(p)\n"
                "if not os.name:\n    def total(p): return 0\n",
        **USES_A,
    }),
    Case("files that do not parse", _RENAME, {
        "a.py": TOTAL, "bad.py": "def f(:\n  total(1)\n", "old.py": 'print "total"\n', **USES_A,
    }),
    Case("every kind of expression", _RENAME, {
        "a.py": TOTAL + "def f(x, total_=total):\n    match x:\n        case [*r] if total(r): pass\n"
                "    y = [w for z in x if (w := total(z))] + [(lambda total: total)(1)]\n"
                "    def g(total=2): return total\n    global total\n"
                '    return f"{total(x[0])!r:>{total([3])}}", y, g(total=5), list(map(total, x))\n',
        "test_a.py": suite("import a", "self.assertEqual(a.f([[1]]), ('  1', [1, 1], 5, [1]))"),
    }),
    Case("letters beyond ASCII and a declared encoding", _RENAME, {
        "a.py": '# -*- coding: latin-1 -*-\n# é\nS = "é"; T = 1\n' + TOTAL,
        "test_a.py": suite("from a import total", "d = {'é😀': total([1])}; self.assertTrue(d)"),
    }),
    Case("a constant", rename("TAX", "a.py", "RATE"), {
        "a.py": "TAX = 2\ndef f(x): return x * TAX\ndef g():\n    global TAX\n    TAX = 3\n",
        "test_a.py": suite("import a\nfrom a import TAX",
                           "a.g(); self.assertEqual(a.f(1) + a.TAX + TAX, 8)"),
    }),
    Case("a class", rename("Order", "a.py", "Purchase"), {
        "a.py": "from __future__ import annotations\nclass Order:\n    other: Order | None = None\n"
                "    @classmethod\n    def make(cls) -> Order: return Order()\n"
                "class Big(Order):\n    def me(self): return super(Big, self).make()\n",
        "test_a.py": suite("from a import Order, Big", "self.assertIsInstance(Big().me(), Order)"),
    }),
    Case("a nested function", rename("f.inner", "a.py", "core"), {
        "a.py": "def inner(): return 0\ndef f():\n    def inner(): return 1\n    return inner()\n",
        "test_a.py": suite("import a", "self.assertEqual((a.f(), a.inner()), (1, 0))"),
    }),
    Case("a method with an override", _AMOUNT, {
        "a.py": ORDER + "    def show(self): return str(self.amount())\n",
        "big.py": "from a import Order\nclass Big(Order):\n"
                  "    def amount(self): return super().amount() * 2\n",
        "b.py": "def f(order): return order.amount()\ndef amount(x): return x\n",
        "test_a.py": suite("from big import Big\nimport b", "self.assertEqual(b.f(Big()), 2)",
                           "self.assertEqual(b.amount(1), 1)", "self.assertEqual(Big().show(), '2')"),
    }),
    Case("an override, named by the class below", rename("Big.amount", "big.py", "due"), {
        "a.py": ORDER,
        "big.py": "import a\nclass Big(a.Order):\n    def amount(self): return super().amount() * 2\n",
        "test_a.py": suite("from a import Order\nfrom big import Big",
                           "self.assertEqual(Order().amount() + Big().amount(), 3)"),
    }),
    Case("a property with its setter", rename("Order.cost", "a.py", "due"), {
        "a.py": "class Order:\n    @property\n    def cost(self): return self.c\n"
                "    @cost.setter\n    def cost(self, v): self.c = v\n",
        "test_a.py": suite("from a import Order", "o = Order(); o.cost = 3",
                           "self.assertEqual(o.cost, 3)"),
    }),
    Case("a method that another class has too", _AMOUNT, {
        "a.py": ORDER + "class Bill:\n    def amount(self): return 2\n    def x(self): "
                "return self.amount()\ndef g(): return Bill().amount()\ndef h():\n    o = Order()\n"
                "    return o.amount()\ndef i(o: 'Order', b: Bill): return o.amount(), b.amount()\n",
        "test_a.py": suite("from a import *", "self.assertEqual((g(), h(), Bill().x()), (2, 1, 2))",
                           "self.assertEqual(i(Order(), Bill()), (1, 2))"),
    }),
    Case("a method named as those of Python's own types", rename("Cart.count", "a.py", "size"), {
        "a.py": "class Cart:\n    def count(self): return 1\n"
                "def f(x: Cart): return x.count() + 'aa'.count('a') + [1].count(1)\n",
        "test_a.py": suite("from a import Cart, f", "self.assertEqual(f(Cart()), 4)"),
    }),
]  # fmt: skip

_SHOP = {
    "shop/__init__.py": "", "shop/a.py": TOTAL,
    "shop/b.py": "from shop.a import total\nfrom .a import total as t\nfrom . import a\nimport shop.a as m\n"
                 "y = total([1]) + t([1]) + a.total([1]) + m.total([1])\n",
    "test_a.py": suite("import shop.b\nimport shop.a", "self.assertEqual(shop.b.y, 4)",
                       "self.assertEqual((shop\n            .a.total([1])), 1)"),
}  # fmt: skip
_PACKAGE = {
    "shop/__init__.py": 'from . import a\n__all__ = ["a"]\n', "shop/a.py": TOTAL,
    "b.py": "import shop\nimport shop as s\ndef f(): return shop.a.total([1]) + s.a.total([1])\n",
    "test_a.py": suite("import b\nfrom shop import *", "self.assertEqual(b.f(), 2)"),
}  # fmt: skip

MOVED = [
    Case("a new name", move("shop/a.py", "c.py"), _SHOP),
    Case("into a new package", move("shop/a.py", "money/a.py"), _SHOP),
    Case("into new folders", move("shop/a.py", "shop/x/y/"), _SHOP),
    Case("out of its package", move("shop/a.py", "./"), _SHOP),
    Case("through its package, a new name", move("shop/a.py", "shop/c.py"), _PACKAGE),
    Case("prefix of the source folder", move("src/shop/a.py", "src/shop/money/a.py"), {
        "src/shop/__init__.py": "", "src/shop/a.py": TOTAL,
        "src/shop/b.py": "from src.shop.a import total\nimport src.shop.a as o\nfrom src.shop import a\n"
                         "import src.shop.a\nx = total([1]) + o.total([1]) + a.total([])\n"
                         "x += src.shop.a.total([1])\n",
        "tests/__init__.py": "",
        "tests/test_b.py": suite("from src.shop import b\nimport shop.a", "self.assertEqual(b.x, 3)",
                                 "self.assertEqual(shop.a.total([1]), 1)"),
    }),
    Case("in brackets", move("shop/a.py", "money/a.py"), {
        "shop/__init__.py": "", "shop/a.py": TOTAL, "shop/c.py": "X = 1\n",
        "shop/b.py": "from . import (\n    c,\n    a,  # sums\n)\nfrom shop import (\n    a as o,\n)\n"
                     "from .a import (\n    total,\n)\nfrom shop \\\n    import a as p, c as q\n"
                     "y = a.total([c.X]) + o.total([1]) + total([1]) + p.total([q.X])\n",
        "test_a.py": suite("import shop.b", "self.assertEqual(shop.b.y, 4)"),
    }),
    Case("a folder by its word", move("a.py", "money"), {
        "a.py": TOTAL, "money/__init__.py": "", **USES_A,
    }),
    Case("a dotted name", move("a.py", "money.sums"), {
        "a.py": TOTAL, "money/__init__.py": "",
        "test_a.py": suite("import a", "self.assertEqual(a.total([1]), 1)"),
    }),
    Case("a name without its ending", move("a.py", "sums", "rename"), {"a.py": TOTAL, **USES_A}),
    Case("its own relative imports", move("shop/deep/c.py", "shop/c.py"), {
        "shop/__init__.py": "", "shop/deep/__init__.py": "", "shop/a.py": TOTAL,
        "shop/deep/k.py": "K = 1\n",
        "shop/deep/c.py": "from ..a import total\nfrom .. import a\nfrom . import k\nfrom .k import K\n"
                          "y = total([1]) + a.total([k.K]) + K\n",
        "test_a.py": suite("import shop.deep.c", "self.assertEqual(shop.deep.c.y, 3)"),
    }),
    Case("names that are something else", move("a.py", "c.py"), {
        "a.py": TOTAL,
        "b.py": "import a\ndef f(c): return a.total(c)\ndef g(a): return a\n"
                "def h():\n    import os, a; return a.total([1])\n",
        "test_a.py": suite("import b", "self.assertEqual(b.f([1]) + b.g(1) + b.h(), 3)"),
    }),
    Case("a test file", move("tests/test_a.py", "tests/unit/test_a.py"), {
        "a.py": TOTAL, "tests/__init__.py": "", "tests/support.py": "X = 1\n",
        "tests/test_a.py": suite("from a import total\nfrom .support import X\nfrom tests import support",
                                 "self.assertEqual(total([X]), support.X)"),
    }),
    Case("files that do not parse", move("a.py", "c.py"), {
        "a.py": TOTAL, "old.py": 'print "x"\nimport a\n', **USES_A,
    }),
]  # fmt: skip

ASKED = [
    Case("two in one file", rename("f", "a.py", "g"), {"a.py": "def f(): ...\ndef g(): ...\n"}),
    Case("no name", rename("f", "a.py", "two words"), {"a.py": "def f(): ...\n"}),
    Case("a keyword", rename("f", "a.py", "class"), {"a.py": "def f(): ...\n"}),
    Case("a local name of a caller", _RENAME, {
        "a.py": TOTAL,
        "b.py": "from a import total\ndef f():\n    sum_up = total([1])\n    return sum_up\n",
    }),
    Case("a name around a caller", _RENAME, {
        "a.py": TOTAL + "def f(sum_up):\n    def g(): return total(sum_up)\n    return g()\n",
    }),
    Case("a builtin that the file uses", rename("total", "a.py", "sum"), {"a.py": TOTAL}),
    Case("a function of an importing file", _RENAME, {
        "a.py": TOTAL, "b.py": "from a import total\ndef sum_up(x): return total(x)\n",
    }),
    Case("an imported name", rename("total", "a.py", "join"), {
        "a.py": "from os.path import join\n" + TOTAL + "def g(): return join('a')\n",
    }),
    Case("an attribute of the object", _AMOUNT, {
        "a.py": "class Order:\n    def __init__(self): self.due = 7\n    def amount(self): return 1\n",
    }),
    Case("a method of a class below", _AMOUNT, {
        "a.py": ORDER + "class B(Order):\n    def due(self): return 2\n",
    }),
    Case("an object that may be of two classes", _AMOUNT, {
        "a.py": ORDER + "class Bill:\n    def amount(self): return 2\ndef f(x): return x.amount()\n",
    }),
    Case("an object that may be of Python's own", rename("C.get", "a.py", "take"), {
        "a.py": "class C:\n    def get(self): ...\n", "b.py": "def f(c):\n    return c.get()\n",
    }),
    Case("a file that is there", move("a.py", "b.py"), {"a.py": "x = 1\n", "b.py": ""}),
    Case("no module's name", move("a.py", "my-file.py"), {"a.py": "x = 1\n"}),
    Case("a name of the standard library", move("a.py", "json.py"), {"a.py": "x = 1\n"}),
    Case("outside", move("a.py", "../a.py"), {"a.py": "x = 1\n"}),
]  # fmt: skip

REFUSED = [
    Case("nothing of that name", rename("f", "a.py", "g"), {"a.py": "x = 1\n"}),
    Case("the same name", rename("f", "a.py", "f"), {"a.py": "def f(): ...\n"}),
    Case("a special method", rename("C.__len__", "a.py", "size"), {
        "a.py": "class C:\n    def __len__(self): return 1\n",
    }),
    Case("an override of the standard library's", rename("W.run", "a.py", "go"), {
        "a.py": "from threading import Thread as T\nclass W(T):\n    def run(self): ...\n",
    }),
    Case("a package", move("shop/__init__.py", "store/__init__.py"), {"shop/__init__.py": "X = 1\n"}),
    Case("a circle of imports", move("c.py", "pkg/c.py"), {
        "pkg/__init__.py": "from d import g\n", "c.py": "def f(): return 1\n",
        "d.py": "from c import f\ndef g(): return f()\n",
    }),
    Case("an import that cannot be turned", move("shop/a.py", "money/a.py"), {
        "shop/__init__.py": "", "shop/a.py": TOTAL,
        "b.py": "import shop.a\ndef f(money): return shop.a.total(money)\n",
    }),
]  # fmt: skip
