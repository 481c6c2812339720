"""Small projects to move a module in, each with a suite that is green before and after."""

from __future__ import annotations

from tests.rename_cases import TOTAL, USES_A, Case, move, suite

_SHOP = {
    "shop/__init__.py": "",
    "shop/a.py": TOTAL,
    "shop/b.py": "from shop.a import total\nfrom .a import total as t\nfrom . import a\n"
    "import shop.a as m\n"
    "y = total([1]) + t([1]) + a.total([1]) + m.total([1])\n",
    "test_a.py": suite(
        "import shop.b\nimport shop.a",
        "self.assertEqual(shop.b.y, 4)",
        "self.assertEqual((shop\n            .a.total([1])), 1)",
    ),
}
_PACKAGE = {
    "shop/__init__.py": 'from . import a\n__all__ = ["a"]\n',
    "shop/a.py": TOTAL,
    "b.py": "import shop\nimport shop as s\ndef f(): return shop.a.total([1]) + s.a.total([1])\n",
    "test_a.py": suite("import b\nfrom shop import *", "self.assertEqual(b.f(), 2)"),
}

MOVED = [
    Case("a new name", move("shop/a.py", "c.py"), _SHOP),
    Case("into a new package", move("shop/a.py", "money/a.py"), _SHOP),
    Case("into new folders", move("shop/a.py", "shop/x/y/"), _SHOP),
    Case("out of its package", move("shop/a.py", "./"), _SHOP),
    Case("through its package, a new name", move("shop/a.py", "shop/c.py"), _PACKAGE),
    Case(
        "prefix of the source folder",
        move("src/shop/a.py", "src/shop/money/a.py"),
        {
            "src/shop/__init__.py": "",
            "src/shop/a.py": TOTAL,
            "src/shop/b.py": "from src.shop.a import total\nimport src.shop.a as o\n"
            "from src.shop import a\n"
            "import src.shop.a\nx = total([1]) + o.total([1]) + a.total([])\n"
            "x += src.shop.a.total([1])\n",
            "tests/__init__.py": "",
            "tests/test_b.py": suite(
                "from src.shop import b\nimport shop.a",
                "self.assertEqual(b.x, 3)",
                "self.assertEqual(shop.a.total([1]), 1)",
            ),
        },
    ),
    Case(
        "in brackets",
        move("shop/a.py", "money/a.py"),
        {
            "shop/__init__.py": "",
            "shop/a.py": TOTAL,
            "shop/c.py": "X = 1\n",
            "shop/b.py": "from . import (\n    c,\n    a,  # sums\n)\nfrom shop import (\n"
            "    a as o,\n)\n"
            "from .a import (\n    total,\n)\nfrom shop \\\n    import a as p, c as q\n"
            "y = a.total([c.X]) + o.total([1]) + total([1]) + p.total([q.X])\n",
            "test_a.py": suite("import shop.b", "self.assertEqual(shop.b.y, 4)"),
        },
    ),
    Case(
        "a folder by its word",
        move("a.py", "money"),
        {
            "a.py": TOTAL,
            "money/__init__.py": "",
            **USES_A,
        },
    ),
    Case(
        "a dotted name",
        move("a.py", "money.sums"),
        {
            "a.py": TOTAL,
            "money/__init__.py": "",
            "test_a.py": suite("import a", "self.assertEqual(a.total([1]), 1)"),
        },
    ),
    Case("a name without its ending", move("a.py", "sums", "rename"), {"a.py": TOTAL, **USES_A}),
    Case(
        "its own relative imports",
        move("shop/deep/c.py", "shop/c.py"),
        {
            "shop/__init__.py": "",
            "shop/deep/__init__.py": "",
            "shop/a.py": TOTAL,
            "shop/deep/k.py": "K = 1\n",
            "shop/deep/c.py": "from ..a import total\nfrom .. import a\nfrom . import k\n"
            "from .k import K\n"
            "y = total([1]) + a.total([k.K]) + K\n",
            "test_a.py": suite("import shop.deep.c", "self.assertEqual(shop.deep.c.y, 3)"),
        },
    ),
    Case(
        "names that are something else",
        move("a.py", "c.py"),
        {
            "a.py": TOTAL,
            "b.py": "import a\ndef f(c): return a.total(c)\ndef g(a): return a\n"
            "def h():\n    import os, a; return a.total([1])\n",
            "test_a.py": suite("import b", "self.assertEqual(b.f([1]) + b.g(1) + b.h(), 3)"),
        },
    ),
    Case(
        "a test file",
        move("tests/test_a.py", "tests/unit/test_a.py"),
        {
            "a.py": TOTAL,
            "tests/__init__.py": "",
            "tests/support.py": "X = 1\n",
            "tests/test_a.py": suite(
                "from a import total\nfrom .support import X\nfrom tests import support",
                "self.assertEqual(total([X]), support.X)",
            ),
        },
    ),
    Case(
        "files that do not parse",
        move("a.py", "c.py"),
        {
            "a.py": TOTAL,
            "old.py": 'print "x"\nimport a\n',
            **USES_A,
        },
    ),
]
