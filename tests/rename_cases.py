"""Small projects to rename in, each with a suite that is green before and after."""

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
RENAME = rename("total", "a.py", "sum_up")
AMOUNT = rename("Order.amount", "a.py", "due")

DONE = [
    Case(
        "flat",
        RENAME,
        {
            "a.py": TOTAL,
            "test_a.py": suite(
                "import a\nfrom a import total", "self.assertEqual(total([1]), a.total([1]))"
            ),
        },
    ),
    Case(
        "prefix of the source folder",
        rename("total", "src/shop/a.py", "sum_up"),
        {
            "src/shop/__init__.py": "",
            "src/shop/a.py": TOTAL,
            "src/shop/b.py": "from src.shop.a import total\nimport src.shop.a as m\n"
            "from src.shop import a\nx = total([1]) + m.total([1]) + a.total([])\n",
            "tests/__init__.py": "",
            "tests/test_b.py": suite("from src.shop import b", "self.assertEqual(b.x, 2)"),
        },
    ),
    Case(
        "exported by its package and by a star",
        rename("total", "shop/a.py", "sum_up"),
        {
            "shop/__init__.py": 'from .a import *\nfrom . import b\n__all__ = ["total", "b"]\n',
            "shop/a.py": '__all__ = (\n    "total",  # total\n)\n' + TOTAL,
            "shop/b.py": "from .a import total as t\nfrom . import a\nx = t([1]) + a.total([1])\n",
            "test_a.py": suite(
                "import shop\nfrom shop import *\nfrom shop import total",
                "self.assertEqual(total([2]), b.x)",
                "self.assertIn('b', shop.__all__)",
            ),
        },
    ),
    Case(
        "a submodule through its package",
        rename("total", "shop/a.py", "sum_up"),
        {
            "shop/__init__.py": "from . import a\n",
            "shop/a.py": TOTAL,
            "test_a.py": suite("import shop", "self.assertEqual(shop.a.total([1]), 1)"),
        },
    ),
    Case(
        "another definition where it is missing",
        RENAME,
        {
            "a.py": TOTAL,
            "b.py": "try:\n    from a import total\nexcept ImportError:\n"
            "    def total(x): return 0\n",
            "test_a.py": suite("from b import total", "self.assertEqual(total([1]), 1)"),
        },
    ),
    Case(
        "a foreign name of its own",
        RENAME,
        {
            "a.py": "try:\n    from fast_sums import total\nexcept ImportError:\n"
            "    def total(prices): return sum(prices)\n",
            **USES_A,
        },
    ),
    Case(
        "overloads and branches",
        RENAME,
        {
            "a.py": "from typing import overload\nimport os\n@overload\n"
            "def total(p: int) -> int: ...\n"
            "@overload\ndef total(p: list) -> int: ...\ndef total(p):\n    return sum(p)\n"
            "if not os.name:\n    def total(p): return 0\n",
            **USES_A,
        },
    ),
    Case(
        "files that do not parse",
        RENAME,
        {
            "a.py": TOTAL,
            "bad.py": "def f(:\n  total(1)\n",
            "old.py": 'print "total"\n',
            **USES_A,
        },
    ),
    Case(
        "every kind of expression",
        RENAME,
        {
            "a.py": TOTAL
            + "def f(x, total_=total):\n    match x:\n        case [_, *r] if total(r): pass\n"
            "    y = [w for z in x if (w := total(z))] + [(lambda total: total)(1)]\n"
            "    def g(total=2): return total\n"
            '    return f"{total(x[0])!r:>{total([3])}}", y, g(total=5), list(map(total, x))\n',
            "test_a.py": suite("import a", "self.assertEqual(a.f([[1]]), ('  1', [1, 1], 5, [1]))"),
        },
    ),
    Case(
        "letters beyond ASCII and a declared encoding",
        RENAME,
        {
            "a.py": '# -*- coding: latin-1 -*-\n# éééééééé\nS = "éé"; T = 1\n'
            + TOTAL
            + "def again(): return total([1])\n",
            "test_a.py": suite(
                "from a import again, total",
                "d = {'é😀': total([1])}; self.assertEqual(again(), d['é😀'])",
            ),
        },
    ),
    Case(
        "locals of that name that do not meet it",
        RENAME,
        {
            "a.py": TOTAL + "def f(sum_up): return sum_up\nclass C:\n    sum_up = 2\n",
            "b.py": "from a import *\nimport a\ndef g():\n    sum_up = a.total([1])\n"
            "    return sum_up, C.sum_up, f(3)\n",
            "test_a.py": suite("from b import g", "self.assertEqual(g(), (1, 2, 3))"),
        },
    ),
    Case(
        "a constant",
        rename("TAX", "a.py", "RATE"),
        {
            "a.py": "TAX = 2\ndef f(x): return x * TAX\ndef g():\n    global TAX\n    TAX = 3\n",
            "test_a.py": suite(
                "import a\nfrom a import TAX", "a.g(); self.assertEqual(a.f(1) + a.TAX + TAX, 8)"
            ),
        },
    ),
    Case(
        "a class",
        rename("Order", "a.py", "Purchase"),
        {
            "a.py": "from __future__ import annotations\nclass Order:\n"
            "    other: Order | None = None\n"
            "    @classmethod\n    def make(cls) -> Order: return Order()\n"
            "class Big(Order):\n    def me(self): return super(Big, self).make()\n",
            "test_a.py": suite(
                "from a import Order, Big", "self.assertIsInstance(Big().me(), Order)"
            ),
        },
    ),
    Case(
        "a nested function",
        rename("f.inner", "a.py", "core"),
        {
            "a.py": "def inner(): return 0\ndef f():\n    def inner(): return 1\n"
            "    return inner()\n",
            "test_a.py": suite("import a", "self.assertEqual((a.f(), a.inner()), (1, 0))"),
        },
    ),
    Case(
        "a method with an override",
        AMOUNT,
        {
            "a.py": ORDER + "    def show(self): return str(self.amount())\n",
            "big.py": "from a import Order\nclass Big(Order):\n"
            "    def amount(self): return super().amount() * 2\n",
            "b.py": "def f(order): return order.amount()\ndef amount(x): return x\n",
            "test_a.py": suite(
                "from big import Big\nimport b",
                "self.assertEqual(b.f(Big()), 2)",
                "self.assertEqual(b.amount(1), 1)",
                "self.assertEqual(Big().show(), '2')",
            ),
        },
    ),
    Case(
        "an override, named by the class below",
        rename("Big.amount", "big.py", "due"),
        {
            "a.py": ORDER,
            "big.py": "import a\nclass Big(a.Order):\n"
            "    def amount(self): return super().amount() * 2\n",
            "test_a.py": suite(
                "from a import Order\nfrom big import Big",
                "self.assertEqual(Order().amount() + Big().amount(), 3)",
            ),
        },
    ),
    Case(
        "a property with its setter",
        rename("Order.cost", "a.py", "due"),
        {
            "a.py": "class Order:\n    @property\n    def cost(self): return self.c\n"
            "    @cost.setter\n    def cost(self, v): self.c = v\n",
            "test_a.py": suite(
                "from a import Order", "o = Order(); o.cost = 3", "self.assertEqual(o.cost, 3)"
            ),
        },
    ),
    Case(
        "a method that another class has too",
        AMOUNT,
        {
            "a.py": ORDER + "class Bill:\n    def amount(self): return 2\n    def x(self): "
            "return self.amount()\ndef g(): return Bill().amount()\ndef h():\n    o = Order()\n"
            "    return o.amount()\ndef i(o: 'Order', b: Bill): return o.amount(), b.amount()\n",
            "test_a.py": suite(
                "from a import *",
                "self.assertEqual((g(), h(), Bill().x()), (2, 1, 2))",
                "self.assertEqual(i(Order(), Bill()), (1, 2))",
            ),
        },
    ),
    Case(
        "a method named as those of Python's own types",
        rename("Cart.count", "a.py", "size"),
        {
            "a.py": "class Cart:\n    def count(self): return 1\n"
            "def f(x: Cart): return x.count() + 'aa'.count('a') + [1].count(1)\n",
            "test_a.py": suite("from a import Cart, f", "self.assertEqual(f(Cart()), 4)"),
        },
    ),
]
