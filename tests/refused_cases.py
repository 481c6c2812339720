"""Small projects in which a rename or a move is asked about or refused."""

from __future__ import annotations

from tests.rename_cases import AMOUNT, ORDER, RENAME, TOTAL, Case, move, rename

ASKED = [
    Case("two in one file", rename("f", "a.py", "g"), {"a.py": "def f(): ...\ndef g(): ...\n"}),
    Case("no name", rename("f", "a.py", "two words"), {"a.py": "def f(): ...\n"}),
    Case("a keyword", rename("f", "a.py", "class"), {"a.py": "def f(): ...\n"}),
    Case(
        "a local name of a caller",
        RENAME,
        {
            "a.py": TOTAL,
            "b.py": "from a import total\ndef f():\n    sum_up = total([1])\n    return sum_up\n",
        },
    ),
    Case(
        "a name around a caller",
        RENAME,
        {
            "a.py": TOTAL + "def f(sum_up):\n    def g(): return total(sum_up)\n    return g()\n",
        },
    ),
    Case("a builtin that the file uses", rename("total", "a.py", "sum"), {"a.py": TOTAL}),
    Case(
        "a function of an importing file",
        RENAME,
        {
            "a.py": TOTAL,
            "b.py": "from a import total\ndef sum_up(x): return total(x)\n",
        },
    ),
    Case(
        "an imported name",
        rename("total", "a.py", "join"),
        {
            "a.py": "from os.path import join\n" + TOTAL + "def g(): return join('a')\n",
        },
    ),
    Case(
        "an attribute of the object",
        AMOUNT,
        {
            "a.py": "class Order:\n    def __init__(self): self.due = 7\n"
            "    def amount(self): return 1\n",
        },
    ),
    Case(
        "a method of a class below",
        AMOUNT,
        {
            "a.py": ORDER + "class B(Order):\n    def due(self): return 2\n",
        },
    ),
    Case(
        "an object that may be of two classes",
        AMOUNT,
        {
            "a.py": ORDER
            + "class Bill:\n    def amount(self): return 2\ndef f(x): return x.amount()\n",
        },
    ),
    Case(
        "an object that may be of Python's own",
        rename("C.get", "a.py", "take"),
        {
            "a.py": "class C:\n    def get(self): ...\n",
            "b.py": "def f(c):\n    return c.get()\n",
        },
    ),
    Case("a file that is there", move("a.py", "b.py"), {"a.py": "x = 1\n", "b.py": ""}),
    Case("no module's name", move("a.py", "my-file.py"), {"a.py": "x = 1\n"}),
    Case("a name of the standard library", move("a.py", "json.py"), {"a.py": "x = 1\n"}),
    Case("outside", move("a.py", "../a.py"), {"a.py": "x = 1\n"}),
]

REFUSED = [
    Case("nothing of that name", rename("f", "a.py", "g"), {"a.py": "x = 1\n"}),
    Case("the same name", rename("f", "a.py", "f"), {"a.py": "def f(): ...\n"}),
    Case(
        "a special method",
        rename("C.__len__", "a.py", "size"),
        {
            "a.py": "class C:\n    def __len__(self): return 1\n",
        },
    ),
    Case(
        "an override of the standard library's",
        rename("W.run", "a.py", "go"),
        {
            "a.py": "from threading import Thread as T\nclass W(T):\n    def run(self): ...\n",
        },
    ),
    Case(
        "a package", move("shop/__init__.py", "store/__init__.py"), {"shop/__init__.py": "X = 1\n"}
    ),
    Case(
        "a circle of imports",
        move("c.py", "pkg/c.py"),
        {
            "pkg/__init__.py": "from d import g\n",
            "c.py": "def f(): return 1\n",
            "d.py": "from c import f\ndef g(): return f()\n",
        },
    ),
    Case(
        "an import that cannot be turned",
        move("shop/a.py", "money/a.py"),
        {
            "shop/__init__.py": "",
            "shop/a.py": TOTAL,
            "b.py": "import shop.a\ndef f(money): return shop.a.total(money)\n",
        },
    ),
]
