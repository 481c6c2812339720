"""Owns how the tests of a reply become part of a test file: their class, names and imports.

Does not cover product code (`splice`), nor whether a test is any good (`checks`, `mutants`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from harness.source import imports, pruning, splice, symbols, syntax
from harness.source.testcalls import is_test_class
from harness.types import Fault

Function = ast.FunctionDef | ast.AsyncFunctionDef
_DEF = re.compile(r"^(?P<head>\s*(?:async\s+)?def\s+)(?P<name>\w+)(?P<open>\s*\(\s*)", re.MULTILINE)
_AFTER_IMPORTS = re.compile(
    r"^((?:from|import) [^\n]*)\n{2}(?=(?:async )?def |class |@)", re.MULTILINE
)


@dataclass(frozen=True)
class Place:
    """What tests are written for, and how."""

    subject: str
    """Qualified name of what is tested; empty if not known."""
    module: str
    """Dotted name by which tests import its file."""
    defined: frozenset[str]
    """Top-level names of that file: a reply's own copies of them are dropped."""
    conventions: Literal["pytest", "unittest"] = "unittest"
    """How the project runs its tests."""

    def class_name(self) -> str:
        """Name of a new class of tests, such as `TestCartTotal`."""
        words = re.split(r"[_.]+", self.subject or self.module.rsplit(".", 1)[-1])
        return "Test" + "".join(w[:1].upper() + w[1:] for w in words if w)


def lay(text: str, code: str, place: Place) -> str | Fault:
    """A test file's text with the tests of some code in it; every test that was there stays.

    Loose tests go into a class where the project runs unittest. Imports of the subject name its
    real module. A name that is taken gets a number.
    """
    tree = syntax.tree(code)
    if tree is None:
        return Fault(
            f"the tests do not parse: {syntax.error(code)}", "write the tests again, whole"
        )
    if not _has_tests(tree):
        return Fault("it holds no test", "write a test, from its def line on")
    source = pruning.split(_own(code, tree, place))
    if place.conventions == "unittest":
        source = _classed(source, text, place)
        if not source:
            return Fault("its tests need pytest, which this project does not use", "use unittest")
    merged = _merged(text, source)
    return _imported(merged, tree, place)


def stands_alone(text: str, place: Place) -> bool:
    """Whether a new test file can be taken as it is: real imports, no copies, tests that run."""
    tree = syntax.tree(text)
    if tree is None or place.defined & symbols.top_level(text):
        return False
    loose = [n for n in tree.body if isinstance(n, Function) and n.name.startswith("test")]
    real = any(i.module == place.module for i in imports.of(text))
    return real and not (loose and place.conventions == "unittest")


def _has_tests(tree: ast.Module) -> bool:
    """Whether a tree defines a test anywhere."""
    return any(isinstance(n, Function) and n.name.startswith("test") for n in ast.walk(tree))


def _own(code: str, tree: ast.Module, place: Place) -> str:
    """The code's definitions and constants without copies of what it tests."""
    kept = []
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef):
            if node.name not in place.defined:
                kept.append(_lines(code, node))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            kept.append(_lines(code, node))
    return "\n\n".join(kept)


def _lines(code: str, node: ast.stmt) -> str:
    """Lines of a statement, decorators included, ended by a line feed."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return "".join(syntax.lines(code)[first - 1 : node.end_lineno]).rstrip("\n") + "\n"


def _classed(source: str, text: str, place: Place) -> str:
    """The source with its loose tests in a class; empty where none of its tests can run there."""
    tree = syntax.tree(source)
    if tree is None:
        return ""
    loose, rest = [], []
    for node in tree.body:
        if isinstance(node, Function) and node.name.startswith("test"):
            loose.append(_method(_lines(source, node), node))
        else:
            rest.append(_lines(source, node))
    methods = [m for m in loose if m]
    if methods:
        name = _class_for(text, place)
        rest.append(f"class {name}(unittest.TestCase):\n" + "\n".join(methods))
    elif not any(_has_tests(ast.Module([n], [])) for n in tree.body if isinstance(n, ast.ClassDef)):
        return ""
    return "\n\n".join(rest)


def _method(source: str, node: Function) -> str:
    """A test function as a method; empty where it takes fixtures or parameters."""
    names = [a.arg for a in symbols.arguments(node)]
    if [n for n in names if n != "self"] or node.decorator_list:
        return ""
    if not names:
        source = _DEF.sub(lambda m: m["head"] + m["name"] + m["open"] + "self", source, count=1)
    raises = re.sub(r"\bpytest\.raises\((\w[\w.]*)\)", r"self.assertRaises(\1)", source)
    raises = re.sub(r"\bpytest\.fail\(", "self.fail(", raises)
    return syntax.shifted(raises, "    ")


def _class_for(text: str, place: Place) -> str:
    """The class for loose tests: one of that name, the file's only one, or a new one."""
    tree = syntax.tree(text) or ast.Module([], [])
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    tests = [n for n, node in classes.items() if is_test_class(node, classes)]
    if place.class_name() in tests or not tests:
        return place.class_name()
    calling = {t.split(".")[0] for t in symbols.tests_that_call(text, place.subject) if "." in t}
    fitting = [n for n in tests if n in calling]
    if len(fitting) == 1 and not _has_set_up(classes[fitting[0]]):
        return fitting[0]
    return place.class_name()


def _has_set_up(node: ast.ClassDef) -> bool:
    """Whether a class prepares its tests, so that a stranger may not fit in."""
    return any(isinstance(n, Function) and n.name.lower().startswith("setup") for n in node.body)


def _merged(text: str, source: str) -> str:
    """Both texts in one; classes of one name become one class."""
    tree = syntax.tree(source)
    if not text.strip() or tree is None:
        return source
    for node in tree.body:
        lines = _lines(source, node)
        if isinstance(node, ast.ClassDef) and symbols.find(text, node.name):
            text = _into_class(text, node, lines)
        elif isinstance(node, Function):
            text = _put(text, node, lines, "")
        elif isinstance(node, ast.ClassDef):
            text = symbols.insert(text, lines)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {t.id for t in targets if isinstance(t, ast.Name)}
            text = text if names & symbols.top_level(text) else symbols.insert(text, lines)
    return text


def _into_class(text: str, node: ast.ClassDef, source: str) -> str:
    """The text with a class's methods in the class of that name; beside it if set up otherwise."""
    members = [m for m in node.body if isinstance(m, Function)]
    others = [m for m in members if not m.name.startswith("test")]
    if any(not _same(text, f"{node.name}.{m.name}", m) for m in others):
        return symbols.insert(text, _renamed(text, source, node.name, ""))
    for member in members:
        if member.name.startswith("test"):
            found = symbols.find(source, f"{node.name}.{member.name}")
            lines = symbols.source(source, found) if found else ""
            text = _put(text, member, syntax.shifted(lines, ""), node.name)
    return text


def _put(text: str, node: Function, lines: str, owner: str) -> str:
    """The text with one function, under a free name; as it is where it holds the same one."""
    name = f"{owner}.{node.name}" if owner else node.name
    if _same(text, name, node):
        return text
    return symbols.insert(text, _renamed(text, lines, node.name, owner), owner)


def _same(text: str, qualname: str, node: Function) -> bool:
    """Whether the text defines a function of that name with the same code."""
    found = symbols.find(text, qualname)
    if found is None:
        return False
    tree = syntax.tree(syntax.shifted(symbols.source(text, found), ""))
    return tree is not None and ast.dump(tree.body[0]) == ast.dump(node)


def _renamed(text: str, lines: str, name: str, owner: str) -> str:
    """A definition under a name that its place has not got yet."""
    prefix = f"{owner}." if owner else ""
    free, number = name, 2
    while symbols.find(text, prefix + free):
        free, number = f"{name}_{number}", number + 1
    if free == name:
        return lines
    return re.sub(rf"^(\s*(?:async\s+)?(?:def|class)\s+){re.escape(name)}\b", rf"\g<1>{free}",
                  lines, count=1, flags=re.MULTILINE)  # fmt: skip


def _imported(text: str, tree: ast.Module, place: Place) -> str:
    """The text with the imports it needs: the reply's, the subject's, the framework's."""
    used = splice.names_in(text)
    for statement in [*_real(tree, place), *_needed(used, place)]:
        bound = splice.bound_by_imports(text) | symbols.top_level(text)
        parsed = syntax.tree(statement) or ast.Module([], [])
        for missing in splice.missing_imports(parsed, used, bound):
            text = imports.add(text, missing)
    return _AFTER_IMPORTS.sub(r"\1\n\n\n", text)


def _real(tree: ast.Module, place: Place) -> Iterator[str]:
    """The reply's imports, with names of the tested file taken from its real module."""
    last = place.module.rsplit(".", 1)[-1]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            mine = [a for a in node.names if a.name in place.defined]
            for alias in mine:
                as_name = f" as {alias.asname}" if alias.asname else ""
                yield f"from {place.module} import {alias.name}{as_name}"
            if rest := [a for a in node.names if a not in mine]:
                yield ast.unparse(ast.ImportFrom(node.module, rest, node.level))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == last != place.module:
                    yield f"import {place.module} as {alias.asname or last}"
                else:
                    yield ast.unparse(ast.Import([alias]))


def _needed(used: frozenset[str], place: Place) -> Iterator[str]:
    """Imports that tests of this place need, if they use the names."""
    yield "import unittest"
    yield "import pytest"
    for name in sorted(place.defined & used):
        yield f"from {place.module} import {name}"
