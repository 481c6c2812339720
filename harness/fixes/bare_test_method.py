"""Puts a test method that stands outside any class into a TestCase, where it will run.

A plain test function too, where all the project's tests are unittest's. Leaves pytest's functions,
and functions that something else in the file uses.
"""

from __future__ import annotations

import ast
import re

from harness.fix import Mend
from harness.source import imports, symbols, syntax
from harness.source.project import Project
from harness.source.testcalls import is_test_class

STAGE = "draft"
PATH = "tests/test_orders.py"
EXAMPLES = (
    (
        "def test_sum(self):\n    self.assertEqual(1 + 1, 2)\n",
        "import unittest\n\n\nclass OrdersTest(unittest.TestCase):\n    def test_sum(self):\n"
        "        self.assertEqual(1 + 1, 2)\n",
    ),
    (
        "import unittest\n\n\nclass SumTest(unittest.TestCase):\n    def test_a(self):\n"
        "        self.assertTrue(1)\n\n\ndef test_b(self):\n    self.assertTrue(2)\n\n\n"
        'if __name__ == "__main__":\n    unittest.main()\n',
        "import unittest\n\n\nclass SumTest(unittest.TestCase):\n    def test_a(self):\n"
        "        self.assertTrue(1)\n\n    def test_b(self):\n        self.assertTrue(2)\n\n\n"
        'if __name__ == "__main__":\n    unittest.main()\n',
    ),
    ("def test_sum():\n    assert 1 + 1 == 2\n",) * 2,
)

_HOOKS = {"setUp", "tearDown", "asyncSetUp", "asyncTearDown"}
_PYTEST = re.compile(r"\bpytest\b")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def mend(path: str, text: str, project: Project) -> Mend:
    """The draft of a test file with its bare test methods inside a TestCase."""
    parsed = syntax.tree(text) if project.is_test(path) else None
    if parsed is None:
        return Mend(text)
    plain = _is_unittest_alone(text, path, project)
    loose = [n for n in parsed.body if isinstance(n, Function) and _is_bare(n, text, plain)]
    if not any(n.name.startswith("test") for n in loose):
        return Mend(text)
    homes = _homes(parsed, loose)
    new = _new_name(path, symbols.top_level(text))
    changed = _without(text, loose)
    for node, home in zip(loose, homes, strict=True):
        if home:
            changed = symbols.insert(changed, _as_method(node, text), home)
    methods = [_as_method(n, text) for n, home in zip(loose, homes, strict=True) if not home]
    if methods:
        body = "\n".join(syntax.shifted(m, "    ") for m in methods)
        changed = symbols.insert(changed, f"class {new}(unittest.TestCase):\n{body}")
    changed = imports.add(changed, "import unittest")
    changed = _spaced(changed, new if methods else homes[0])
    if symbols.parses(changed):
        return Mend(text)
    notes = [f"{path}: put {n.name} into {h or new}" for n, h in zip(loose, homes, strict=True)]
    return Mend(changed, tuple(notes))


def _is_bare(node: Function, text: str, plain: bool) -> bool:
    """Whether a function of the module is a test method, or a hook, that lost its class."""
    first = [a.arg for a in symbols.arguments(node)][:1]
    is_method = first == ["self"] and (node.name.startswith("test") or node.name in _HOOKS)
    is_plain = plain and not first and node.name.startswith("test_") and not node.decorator_list
    used = len(re.findall(rf"\b{node.name}\b", text)) > 1
    return (is_method or is_plain) and not used


def _is_unittest_alone(text: str, path: str, project: Project) -> bool:
    """Whether the project's tests are all unittest's, so a plain function would never run."""
    others = [t for t in project.tests() if t != path]
    configured = {"pytest.ini", "conftest.py", "tox.ini"} & {
        p.rsplit("/", 1)[-1] for p in project.files
    }
    said = any(
        _PYTEST.search(project.text(p))
        for p in project.files
        if p in ("pyproject.toml", "setup.cfg") or p.startswith("requirements")
    )
    if not others or configured or said or _PYTEST.search(text):
        return False
    texts = [project.text(t) for t in others]
    return all("unittest" in t and not re.search(r"^def test", t, re.M) for t in texts)


def _homes(parsed: ast.Module, loose: list[Function]) -> list[str]:
    """The TestCase that each function belongs into: right above it, else the only one, else ``."""
    classes = {n.name: n for n in parsed.body if isinstance(n, ast.ClassDef)}
    cases = {n for n, node in classes.items() if _is_case(node) and is_test_class(node, classes)}
    only = min(cases) if len(cases) == 1 else ""
    found = []
    above = ""
    for statement in parsed.body:
        if statement in loose:
            found.append(above or only)
        else:
            above = getattr(statement, "name", "")
            above = above if above in cases else ""
    return found


def _is_case(node: ast.ClassDef) -> bool:
    """Whether a class says itself that it is a TestCase."""
    return any(ast.unparse(base).endswith("TestCase") for base in node.bases)


def _as_method(node: Function, text: str) -> str:
    """A function's own lines and the comments above it, with self among its parameters."""
    rows = syntax.lines(text)
    source = "".join(rows[_start(node, rows) : node.end_lineno])
    if not symbols.arguments(node):
        source = re.sub(rf"\b({node.name}\s*\()\s*", r"\1self", source, count=1)
    return source if source.endswith("\n") else source + "\n"


def _start(node: Function, rows: list[str]) -> int:
    """Index of the first line that belongs to a function: comments above, decorators."""
    at = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1
    # What stands in the first line is about the file.
    while at > 1 and rows[at - 1].startswith("#"):
        at -= 1
    return at


def _without(text: str, nodes: list[Function]) -> str:
    """The text without some functions of the module."""
    rows = syntax.lines(text)
    for node in sorted(nodes, key=lambda n: -n.lineno):
        start = _start(node, rows)
        del rows[start : node.end_lineno]
        while (
            start < len(rows) and start and not rows[start].strip() and not rows[start - 1].strip()
        ):
            del rows[start]
    return "".join(rows).rstrip("\n") + "\n" if "".join(rows).strip() else ""


def _new_name(path: str, taken: frozenset[str]) -> str:
    """A name for the class, after the file."""
    stem = path.rsplit("/", 1)[-1].removesuffix(".py")
    words = [w for w in stem.split("_") if w and w not in ("test", "tests")]
    name = "".join(word.capitalize() for word in words) + "Test"
    return name if name not in taken else f"{name}Case"


def _spaced(text: str, home: str) -> str:
    """The text with two blank lines above a class that the import was put in front of."""
    symbol = symbols.find(text, home)
    if symbol is None or symbol.first_line < 2:
        return text
    rows = syntax.lines(text)
    at = symbol.first_line - 1
    while at and not rows[at - 1].strip():
        at -= 1
    if rows[at - 1].startswith("#"):
        return text
    return "".join([*rows[:at], "\n\n", *rows[symbol.first_line - 1 :]])
