"""Texts that one fix mends, and texts like them that it must leave as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import parts
from harness.source import symbols
from harness.source.project import Project

UNITTEST = {
    "src/o.py": "",
    "tests/test_a.py": "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n"
    "        pass\n",
}
ATTRIBUTE = (
    "class C:\n    def __init__(self):\n        self.status = 1\n\n    def m(self):\n"
    "        return self.stauts\n"
)
METHOD = (
    "class C:\n    def status(self):\n        return 1\n\n    def m(self):\n        return {}\n"
)
TWO_CLASSES = (
    "import unittest\n\n\nclass OTest(unittest.TestCase):\n    def test_a(self):\n        pass\n"
    "\n\nclass PTest(unittest.TestCase):\n    def test_a(self):\n        pass\n"
)

# By what is special about it: the fix, the text, and what it becomes; "" where it stays.
CASES = {
    "f-string": (
        "misspelt-name",
        'def f(name):\n    return f"naem {naem!r:>9} naem" + "naem"  # naem\n',
        'def f(name):\n    return f"naem {name!r:>9} naem" + "naem"  # naem\n',
    ),
    "f-string of several lines": (
        "misspelt-name",
        'def f(name):\n    return f"""naem\n  naem {naem}\n{naem}"""\n',
        'def f(name):\n    return f"""naem\n  naem {name}\n{name}"""\n',
    ),
    "behind letters of two bytes": (
        "misspelt-name",
        'def f(name):\n    x = "é" + naem\n    return f"é {naem}" f"{x}"\n',
        'def f(name):\n    x = "é" + name\n    return f"é {name}" f"{x}"\n',
    ),
    "each function by itself": (
        "misspelt-name",
        "def f(total):\n    return totl\n\n\ndef g(x):\n    return totl\n",
        "def f(total):\n    return total\n\n\ndef g(x):\n    return totl\n",
    ),
    "all places of a function or none": (
        "misspelt-name",
        "def f(n):\n    print(totl)\n    total = n\n    return totl\n",
        "",
    ),
    "a name that fits one of its two uses": (
        "misspelt-name",
        "def ordered(n):\n    return n\n\n\ndef f():\n    orderd(1)\n    return orderd\n",
        "",
    ),
    "a sum that starts under another name": (
        "misspelt-name",
        "def f(ns):\n    totl = 0\n    for n in ns:\n        total += n\n    return total\n",
        "def f(ns):\n    totl = 0\n    for n in ns:\n        totl += n\n    return totl\n",
    ),
    "a name that the library defines is no slip": (
        "misspelt-name",
        "def f(maths):\n    return math.sqrt(maths)\n",
        "",
    ),
    "an attribute that another may set": (
        "misspelt-attribute",
        ATTRIBUTE + "\n\ndef put(c):\n    c.stauts = 2\n",
        "",
    ),
    "an attribute that is asked for by its name": (
        "misspelt-attribute",
        ATTRIBUTE + "\n\nprint(hasattr(C(), 'stauts'))\n",
        "",
    ),
    "an attribute of a class with a hook": (
        "misspelt-attribute",
        ATTRIBUTE + "\n    def __getattr__(self, name):\n        return 1\n",
        "",
    ),
    "a near method that is not called": (
        "misspelt-attribute",
        METHOD.format("self.stauts"),
        "",
    ),
    "a near method that is called": (
        "misspelt-attribute",
        METHOD.format("self.stauts()"),
        METHOD.format("self.status()"),
    ),
    "a method never calls itself by a slip": (
        "misspelt-attribute",
        "class C:\n    def status(self):\n        return self.stauts()\n",
        "",
    ),
    "an import below docstring and future": (
        "missing-import",
        '"""Doc."""\n\nfrom __future__ import annotations\n\nX = re.compile("x")\n',
        '"""Doc."""\n\nfrom __future__ import annotations\n\nimport re\n\nX = re.compile("x")\n',
    ),
    "the first import stands two lines above a function": (
        "missing-import",
        "def f(x):\n    return json.dumps(x)\n",
        "import json\n\n\ndef f(x):\n    return json.dumps(x)\n",
    ),
    "what the library has not is not imported": (
        "missing-import",
        "def f():\n    return queue.append(1), np.zeros(3), json\n",
        "",
    ),
    "a class and its module under one name": (
        "missing-import",
        "X = datetime.now()\nY = datetime.timedelta(1)\n",
        "",
    ),
    "a property and a coroutine without self": (
        "missing-self",
        "class C:\n    @property\n    def p():\n        return self.z\n\n"
        '    async def q(*, a):\n        return f"{self.z}"\n',
        "class C:\n    @property\n    def p(self):\n        return self.z\n\n"
        '    async def q(self, *, a):\n        return f"{self.z}"\n',
    ),
    "parameters on their own lines": (
        "missing-self",
        "class C:\n    def m(\n        x,\n    ):\n        return self.y\n",
        "class C:\n    def m(self,\n        x,\n    ):\n        return self.y\n",
    ),
    "self of the function around": (
        "missing-self",
        "def f(self):\n    class C:\n        def m(x):\n            return self.y\n    return C\n",
        "",
    ),
    "self in another spelling": (
        "missing-self",
        "class C:\n    def m(slef, x):\n        return self.x\n",
        "",
    ),
    "a fence around what does not parse yet": (
        "stray-fence",
        "```python\n    def f():\n        pass\n```\n",
        "    def f():\n        pass\n",
    ),
    "a fence between two pieces": ("stray-fence", "x = 1\n\n```py\ny = 2\n```\nmore\n", ""),
    "methods flush with their class": (
        "indentation",
        "class C:\ndef a(self):\n    return '''\nraw\n'''\n\n@property\ndef b(self):\n"
        "    return 1\n\nif __name__ == '__main__':\n    C()\n",
        "class C:\n    def a(self):\n        return '''\nraw\n'''\n\n    @property\n"
        "    def b(self):\n        return 1\n\nif __name__ == '__main__':\n    C()\n",
    ),
    "a function that may be the class's or not": (
        "indentation",
        "class C:\ndef a(self):\n    return 1\n\ndef main():\n    C()\n",
        "",
    ),
    "a body that could end anywhere": (
        "indentation",
        "def f(x):\n    if x:\n    return 1\n    return 2\n",
        "",
    ),
    "a fault beside the indentation": ("indentation", "    def f(:\n        return 1\n", ""),
    "a test right below its class": (
        "bare-test-method",
        TWO_CLASSES + "\ndef test_b(self):\n    pass\n",
        TWO_CLASSES + "\n    def test_b(self):\n        pass\n",
    ),
    "a comment goes with its test": (
        "bare-test-method",
        "import unittest\n\n# about b\n@unittest.skip('x')\ndef test_b(self):\n    pass\n",
        "import unittest\n\n\nclass OTest(unittest.TestCase):\n    # about b\n"
        "    @unittest.skip('x')\n    def test_b(self):\n        pass\n",
    ),
    "a function that takes a fixture": (
        "bare-test-method",
        "def test_b(tmp_path):\n    assert tmp_path\n",
        "",
    ),
    "a test written for pytest": (
        "bare-test-method",
        "import pytest\n\n\ndef test_b():\n    assert 1\n",
        "",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_fix_mends_its_fault_and_nothing_like_it(case: str) -> None:
    """The text becomes what is written beside it, and so once only."""
    name, before, after = CASES[case]
    project = Project(Path("."), sorted(UNITTEST), UNITTEST.get)
    part = parts.load("fixes", name)
    for text in (before, after or before):
        mended = part.mend("tests/test_o.py", text, project)
        assert mended.text == (after or before)
        assert bool(mended.notes) == (text != mended.text)
    assert not after or name == "stray-fence" or symbols.parses(after) == ""
