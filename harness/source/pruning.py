"""Owns the taking apart of drafted tests: one assertion a test, and those that fail left out.

Does not cover putting tests into a file (`splice_tests`) nor whether they notice a fault
(`mutants`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from harness.source import symbols, syntax
from harness.types import Draft, Fault, SuiteReport

Function = ast.FunctionDef | ast.AsyncFunctionDef
_ASSERTS = re.compile(r"(?:self\.(?:assert|fail)\w*|pytest\.fail)$")
_RAISES = re.compile(r"(?:self\.assert(?:Raises|Warns)\w*|pytest\.(?:raises|warns))$")


def pruned(draft: Draft, report: SuiteReport, before: Callable[[str], str | None]) -> Draft | Fault:
    """A draft of tests without those of its own that fail on the code; tests that were there stay.

    `before` gives a file's text as it was, None where it is new. A Fault where no test of the
    draft is left, or none of its failures can be placed. Each test left out is a note.
    """
    files, notes = dict(draft.files), list(draft.notes)
    kept = False
    for path, text in draft.files.items():
        old = set(_tests(before(path) or ""))
        failing = {_qualname(f.test, text): f.error for f in report.failures}
        gone = [name for name in _tests(text) if name in failing and name not in old]
        files[path] = without(text, gone)
        kept = kept or bool(set(_tests(files[path])) - old)
        notes += [f"left {n} out, it does not pass on the code: {failing[n]}" for n in gone]
    if files == dict(draft.files):
        return Fault("the failures are in no test of the draft", "write the tests again")
    if not kept:
        return Fault("none of its tests passes on the code", "write the tests again")
    return replace(draft, files=files, notes=tuple(notes), rules=(*draft.rules, "failing-left-out"))


def _tests(text: str) -> list[str]:
    """Qualified names of everything in a file that is named like a test."""
    return [s.qualname for s in symbols.outline(text) if s.name.startswith("test")]


def _qualname(test: str, text: str) -> str:
    """The qualified name, in a file's text, of a test that a runner names; empty if it has none."""
    plain = test.split("[", 1)[0].split(" ", 1)[0].replace("::", ".")
    words = plain.rsplit(".", 2)
    for name in (".".join(words[-2:]), words[-1]):
        if symbols.find(text, name):
            return name
    return ""


def split(text: str) -> str:
    """The text with each test of several assertions as several tests, where none needs another.

    A statement that prepares stays with the assertion that it is for; a test whose assertions
    share what was prepared stays whole.
    """
    tree = syntax.tree(text)
    if tree is None:
        return text
    taken = set(_tests(text))
    rows = syntax.lines(text)
    for node, owner in sorted(_test_nodes(tree), key=lambda pair: -pair[0].lineno):
        groups = _groups(node)
        if len(groups) < 2 or node.decorator_list:
            continue
        head = "".join(rows[node.lineno - 1 : _first_line(node) - 1])
        parts = []
        for number, (start, end) in enumerate(groups, 1):
            name = _free(node.name, owner, taken) if number > 1 else node.name
            title = re.sub(rf"\bdef {node.name}\b", f"def {name}", head, count=1)
            parts.append(title + "".join(rows[start - 1 : end]).rstrip() + "\n")
        gap = "\n" if owner else "\n\n"
        rows[node.lineno - 1 : node.end_lineno] = [gap.join(parts)]
    return "".join(rows)


def _test_nodes(tree: ast.Module) -> Iterator[tuple[Function, str]]:
    """Test functions and methods, with the class that holds them."""
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        owner = node.name if isinstance(node, ast.ClassDef) else ""
        for found in inner:
            if isinstance(found, Function) and found.name.startswith("test"):
                yield found, owner


def _first_line(node: Function) -> int:
    """Line after the head and the docstring, where the first group starts."""
    doc = ast.get_docstring(node) is not None
    return (node.body[0].end_lineno or node.lineno) + 1 if doc else _after_head(node)


def _after_head(node: Function) -> int:
    """Line after the one that ends the head."""
    places = [node.lineno, *(a.end_lineno or 0 for a in symbols.arguments(node))]
    return max(places) + 1


def _groups(node: Function) -> list[tuple[int, int]]:
    """First and last lines of each assertion with what it needs; empty where they hang together."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if not body or body[0].lineno < _first_line(node):
        return []
    groups: list[tuple[int, int]] = []
    start, known = _first_line(node), set[str]()
    local = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _stores(n)}
    for statement in body:
        if _loads(statement) & local - known or not _plain(statement):
            return []
        known |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and _stores(n)}
        if _asserts(statement):
            groups.append((start, statement.end_lineno or statement.lineno))
            start, known = (statement.end_lineno or statement.lineno) + 1, set()
    return [] if known else groups


def _stores(name: ast.Name) -> bool:
    """Whether a name is bound here."""
    return isinstance(name.ctx, ast.Store)


def _loads(node: ast.AST) -> set[str]:
    """Names that a statement reads, those that it binds itself left out."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    inner = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
    own = {
        n.id
        for c in ast.walk(node)
        if isinstance(c, inner)
        for g in c.generators
        for n in ast.walk(g.target)
        if isinstance(n, ast.Name)
    }
    return {n.id for n in names if not _stores(n)} - own


def _plain(statement: ast.stmt) -> bool:
    """Whether a statement only prepares a local name or asserts."""
    if isinstance(statement, ast.Assign):
        return all(isinstance(t, ast.Name) for t in statement.targets)
    return _asserts(statement)


def _asserts(statement: ast.stmt) -> bool:
    """Whether a statement asserts."""
    if isinstance(statement, ast.Assert):
        return True
    if isinstance(statement, ast.With):
        calls = [item.context_expr for item in statement.items]
        return all(isinstance(c, ast.Call) and _RAISES.match(ast.unparse(c.func)) for c in calls)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return bool(_ASSERTS.match(ast.unparse(statement.value.func)))
    return False


def _free(name: str, owner: str, taken: set[str]) -> str:
    """A name with a number that its place has not got; it is taken then."""
    prefix = f"{owner}." if owner else ""
    number = 2
    while f"{prefix}{name}_{number}" in taken:
        number += 1
    taken.add(f"{prefix}{name}_{number}")
    return f"{name}_{number}"


def without(text: str, tests: Iterable[str]) -> str:
    """A test file's text without the tests of these qualified names (`test_a`, `TestB.test_c`).

    A class that has no test left goes as well. Nothing else is changed.
    """
    for name in tests:
        found = symbols.find(text, name)
        if found is None:
            continue
        owner = name.rpartition(".")[0]
        node = _class(text, owner)
        if node is not None and not _other_tests(node, name.rsplit(".", 1)[-1]):
            found = symbols.find(text, owner) or found
        text = _cut(text, found)
    return text


def _class(text: str, name: str) -> ast.ClassDef | None:
    """A top-level class's node."""
    body = (syntax.tree(text) or ast.Module([], [])).body
    return next((n for n in body if isinstance(n, ast.ClassDef) and n.name == name), None)


def _other_tests(node: ast.ClassDef, name: str) -> bool:
    """Whether a class has a test beside the one named."""
    names = [m.name for m in node.body if isinstance(m, Function)]
    return any(n.startswith("test") and n != name for n in names)


def _cut(text: str, symbol: symbols.Symbol) -> str:
    """The text without a definition and the blank lines before it."""
    rows = syntax.lines(text)
    start = (symbol.first_line or symbol.line) - 1
    end = symbol.end_line
    while start and not rows[start - 1].strip():
        start -= 1
    if start and rows[start - 1].rstrip().endswith(":"):
        while end < len(rows) and not rows[end].strip():
            end += 1
    return "".join([*rows[:start], *rows[end:]])
