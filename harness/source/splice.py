"""Owns how the definitions of a reply become part of a file that is there, by name.

Does not cover reading code out of a reply (`blocks`) nor tests and their classes (`splice_tests`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.reading import cleaning, paths
from harness.source import imports, symbols, syntax
from harness.source.testcalls import is_test_class
from harness.types import Fault

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Parted:
    """A reply's code in two."""

    code: str
    """Definitions and constants of the product, with all imports; empty where it has none."""
    tests: str
    """Tests with what they use, with all imports; empty where it has none."""


def parted(code: str) -> Parted:
    """A reply's code as product and tests, each with the reply's imports; the rest is dropped.

    Calls at module level, prints and a main guard are in neither. Code that does not parse is
    all product.
    """
    tree = syntax.tree(code)
    if tree is None:
        return Parted(code, "")
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    head = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    kept = [n for n in tree.body if isinstance(n, Definition | ast.Assign | ast.AnnAssign)]
    tests = [n for n in kept if _is_test(n, classes)]
    fixtures = [n for n in kept if n not in tests and _is_fixture(n)]
    product = [n for n in kept if n not in tests and n not in fixtures]
    if not any(isinstance(n, Definition) for n in product) and tests:
        fixtures, product = [n for n in kept if n not in tests], []
    both = [n for n in kept if n in tests or n in fixtures]
    return Parted(_joined(code, head, product), _joined(code, head, both) if tests else "")


def without_tests(text: str, module: str = "") -> str:
    """A product file's text without tests that strayed into it, and what they alone needed.

    `module` is the file's own dotted name: it must not import itself. Nothing else is changed.
    """
    tree = syntax.tree(text)
    if tree is None:
        return text
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    gone = [n for n in tree.body if _is_test(n, classes)]
    if not gone:
        return text
    gone += [n for n in tree.body if _runs_tests(n) or _is_own(n, module)]
    left = _cut(text, gone)
    used = names_in(left)
    head = (syntax.tree(left) or ast.Module([], [])).body
    idle = [n for n in head if isinstance(n, ast.Import) and _of_framework(n)]
    return _cut(left, [n for n in idle if not used & {_binds(a) for a in n.names}])


def _runs_tests(node: ast.stmt) -> bool:
    """Whether a statement is a main guard that runs tests."""
    return isinstance(node, ast.If) and any(
        ast.unparse(n).startswith(("unittest.main(", "pytest.main(")) for n in node.body
    )


def _is_own(node: ast.stmt, module: str) -> bool:
    """Whether a statement imports from the file that it stands in."""
    return isinstance(node, ast.ImportFrom) and bool(module) and node.module == module


def _of_framework(node: ast.Import) -> bool:
    """Whether an import names a test framework."""
    return all(a.name.split(".")[0] in ("unittest", "pytest") for a in node.names)


def _names_file(row: str) -> bool:
    """Whether a line is a comment that names a file: the next one, in a reply of several."""
    return bool(paths.in_line(row.rstrip("\n"), comment=True))


def _cut(text: str, nodes: Iterable[ast.stmt]) -> str:
    """The text without some top-level statements and the blank lines above each."""
    rows = syntax.lines(text)
    for node in sorted(nodes, key=lambda n: -n.lineno):
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
        while start and (not rows[start - 1].strip() or _names_file(rows[start - 1])):
            start -= 1
        del rows[start : node.end_lineno]
    return "".join(rows).lstrip("\n")


def _joined(code: str, head: Iterable[ast.stmt], body: Sequence[ast.stmt]) -> str:
    """Source of some statements below the imports; empty without a statement."""
    if not body:
        return ""
    lines = [_source(code, n) for n in head]
    return "".join(lines) + "\n\n" * bool(lines) + "\n\n".join(_source(code, n) for n in body)


def _source(code: str, node: ast.stmt) -> str:
    """A top-level statement's lines, decorators included, ended by a line feed."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return "".join(syntax.lines(code)[first - 1 : node.end_lineno]).rstrip("\n") + "\n"


def _is_test(node: ast.stmt, classes: dict[str, ast.ClassDef]) -> bool:
    """Whether a statement is a test function or a class of tests."""
    if isinstance(node, ast.ClassDef):
        return is_test_class(node, classes)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _is_fixture(node: ast.stmt) -> bool:
    """Whether a function is made for tests."""
    return any("fixture" in ast.unparse(d) for d in getattr(node, "decorator_list", []))


def lay(text: str, code: str, *, owner: str = "", only: str = "") -> str | Fault:
    """A file's text with the definitions of some code laid in; every other byte is kept.

    A definition that is there is exchanged, a new one put in, imports and constants that it needs
    and the file lacks are added. `owner` is the class for a function that takes self. `only`
    leaves other definitions that are there as they are. Where a class comes without some of its
    members, those stay.
    """
    tree = syntax.tree(code)
    if tree is None:
        return Fault(f"it does not parse: {syntax.error(code)}", "write the code again, whole")
    definitions = [n for n in tree.body if isinstance(n, Definition)]
    if not definitions:
        return Fault("it defines nothing", "write the whole definition, from its def line on")
    if not text.strip():
        return _new_file(code, tree)
    present = symbols.top_level(text)
    laid = 0
    for node in definitions:
        source = _source(code, node)
        if cleaning.elision(source) or (only and node.name in present and not _wanted(node, only)):
            continue
        done = _one(text, node, source, owner)
        if isinstance(done, Fault):
            return done
        text, laid = done, laid + 1
    if not laid:
        return Fault(f"it does not define {only or 'anything whole'}", "write the whole definition")
    return _with_names(text, tree, code)


def _new_file(code: str, tree: ast.Module) -> str:
    """The code as a file of its own: its docstring, the imports it uses, what it defines."""
    kept = [n for n in tree.body if isinstance(n, Definition | ast.Assign | ast.AnnAssign)]
    body = _joined(code, [], kept)
    lines = list(missing_imports(tree, names_in(body), frozenset()))
    doc = ast.get_docstring(tree, clean=False)
    head = _source(code, tree.body[0]) + "\n" if doc is not None else ""
    return head + "".join(f"{line}\n" for line in lines) + "\n\n" * bool(lines) + body


def _wanted(node: Definition, only: str) -> bool:
    """Whether a definition is the one wanted, or its class."""
    return node.name in (only, only.split(".")[0], only.rsplit(".", 1)[-1])


def _one(text: str, node: Definition, source: str, owner: str) -> str | Fault:
    """The text with one definition exchanged or put in."""
    first = symbols.parameters(source, node.name)[:1] if not isinstance(node, ast.ClassDef) else ()
    if owner and not isinstance(node, ast.ClassDef) and symbols.find(text, f"{owner}.{node.name}"):
        return symbols.replace(text, f"{owner}.{node.name}", source)
    if owner and first and first[0] in ("self", "cls") and symbols.find(text, owner):
        return symbols.insert(text, source, owner)
    if symbols.find(text, node.name) is None:
        return symbols.insert(text, source)
    if isinstance(node, ast.ClassDef) and _partial(text, node, source):
        return _members(text, node, source)
    return symbols.replace(text, node.name, source)


def _partial(text: str, node: ast.ClassDef, source: str) -> bool:
    """Whether a class came without some members that it has in the file."""
    prefix = f"{node.name}."
    old = {s.qualname for s in symbols.outline(text) if s.qualname.startswith(prefix)}
    return bool(old - {s.qualname for s in symbols.outline(source)})


def _members(text: str, node: ast.ClassDef, source: str) -> str | Fault:
    """The text with each method of a partial class exchanged or put in."""
    for member in node.body:
        if not isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = f"{node.name}.{member.name}"
        found = symbols.find(source, name)
        own = symbols.source(source, found) if found else ""
        if symbols.find(text, name) is None:
            text = symbols.insert(text, syntax.shifted(own, ""), node.name)
            continue
        done = symbols.replace(text, name, source)
        if isinstance(done, Fault):
            return done
        text = done
    return text


def _with_names(text: str, tree: ast.Module, code: str) -> str:
    """The text with the imports and constants of the code that it uses and lacks."""
    used = names_in(text)
    bound = symbols.top_level(text) | bound_by_imports(text)
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {t.id for t in targets if isinstance(t, ast.Name)}
            if names & used and not names & bound:
                text = symbols.insert(text, _source(code, node))
                bound |= names
    for statement in missing_imports(tree, used, bound):
        text = imports.add(text, statement)
    return text


def names_in(text: str) -> frozenset[str]:
    """Names that a text loads."""
    nodes = ast.walk(syntax.tree(text) or ast.Module([], []))
    return frozenset(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def bound_by_imports(text: str) -> frozenset[str]:
    """Names that a module's own imports bind when it is imported."""
    return frozenset(i.alias for i in imports.of(text) if not i.lazy)


def missing_imports(tree: ast.Module, used: frozenset[str], bound: frozenset[str]) -> Iterator[str]:
    """Import statements of some code, one name each line's worth: those used and not bound yet."""
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        kept = [a for a in node.names if future or _binds(a) in used - bound]
        if not kept:
            continue
        names = ", ".join(a.name + (f" as {a.asname}" if a.asname else "") for a in kept)
        if isinstance(node, ast.Import):
            yield f"import {names}"
        elif not future:
            yield f"from {'.' * node.level}{node.module or ''} import {names}"


def _binds(alias: ast.alias) -> str:
    """The name that one part of an import binds."""
    return alias.asname or alias.name.split(".")[0]
