"""Owns the question which tests really call something, from a test file's text alone.

Does not cover whether those tests would notice a fault (`mutants`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from harness.source import syntax

_TAKES_FUNCTION = {
    "assertRaises", "assertRaisesRegex", "assertWarns", "assertWarnsRegex", "raises", "warns",
    "map", "filter", "partial", "sorted", "reduce", "run", "submit", "Thread",
}  # fmt: skip
Function = ast.FunctionDef | ast.AsyncFunctionDef


def tests_that_call(text: str, name: str) -> tuple[str, ...]:
    """Qualified names of the tests that call `name` (`f`, `C`, `C.m`), in order of the file.

    A test is a `test*` function of the module, or a method `test*` of a TestCase or Test class.
    Calls through a function, a fixture or a setUp of the same file count; an import, a word in a
    string, or a test's own name do not.
    """
    parsed = syntax.tree(text)
    if parsed is None or not name:
        return ()
    functions = _functions(parsed)
    aliases = _aliases(parsed, name)
    direct = {q for q, node in functions.items() if _touches(node, name, aliases)}
    reached = _spread(functions, direct)
    tests = _tests(parsed)
    return tuple(q for q in tests if q in reached or _prepared(q, functions, reached))


def _functions(parsed: ast.Module) -> dict[str, Function]:
    """Functions of the module and methods of its classes, by qualified name."""
    found: dict[str, Function] = {}
    for node in parsed.body:
        if isinstance(node, Function):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{m.name}": m for m in node.body if isinstance(m, Function)}
    return found


def _aliases(parsed: ast.Module, name: str) -> frozenset[str]:
    """Names by which the file knows the subject, or for `C.m` its class; imports with `as` too."""
    head = name.split(".", 1)[0]
    known = {head}
    for node in ast.walk(parsed):
        if isinstance(node, ast.ImportFrom):
            known |= {a.asname for a in node.names if a.name == head and a.asname}
    shadowed = {n.name for n in parsed.body if isinstance(n, Function | ast.ClassDef)}
    return frozenset(known - shadowed)


def _touches(node: Function, name: str, aliases: frozenset[str]) -> bool:
    """Whether a function's body calls the subject."""
    method = name.rsplit(".", 1)[-1] if "." in name else ""
    return any(_hits(found, method, aliases) for found in _inside(node))


def _inside(node: Function) -> Iterator[ast.AST]:
    """Nodes of a function's body and decorators' arguments, not of its own name."""
    for statement in node.body:
        yield from ast.walk(statement)


def _hits(node: ast.AST, method: str, aliases: frozenset[str]) -> bool:
    """Whether one node calls the subject, or reads it where it is a property."""
    if method and isinstance(node, ast.Attribute) and node.attr == method:
        return isinstance(node.ctx, ast.Load)
    if not isinstance(node, ast.Call):
        return False
    if method in ("__init__", "__new__", "__call__") and _last(node.func) in aliases:
        return True
    if method:
        return False
    if _last(node.func) in aliases:
        return True
    given = [*node.args, *(k.value for k in node.keywords)]
    return _last(node.func) in _TAKES_FUNCTION and any(_last(a) in aliases for a in given)


def _last(node: ast.expr) -> str:
    """Last word of `f` or `a.b.f`; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _spread(functions: dict[str, Function], reached: set[str]) -> set[str]:
    """Functions that reach the subject through others of the same file."""
    reached = set(reached)
    uses = {q: _uses(q, node) for q, node in functions.items()}
    while True:
        more = {q for q, used in uses.items() if q not in reached and used & reached}
        if not more:
            return reached
        reached |= more


def _uses(qualname: str, node: Function) -> set[str]:
    """Qualified names of this file's functions that one calls or takes as a fixture."""
    owner = qualname.rpartition(".")[0]
    used = {a.arg for a in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]}
    for found in _inside(node):
        if isinstance(found, ast.Call) and isinstance(found.func, ast.Name):
            used.add(found.func.id)
        elif isinstance(found, ast.Attribute) and isinstance(found.value, ast.Name):
            if found.value.id in ("self", "cls"):
                used.add(f"{owner}.{found.attr}")
            else:
                used.add(f"{found.value.id}.{found.attr}")
    return used


def _prepared(qualname: str, functions: dict[str, Function], reached: set[str]) -> bool:
    """Whether a preparation that runs before a test calls the subject."""
    owner = qualname.rpartition(".")[0]
    hooks = ("setUp", "setUpClass", "asyncSetUp", "setup_method", "setup_class")
    return bool(owner) and any(f"{owner}.{hook}" in reached for hook in hooks)


def _tests(parsed: ast.Module) -> list[str]:
    """Qualified names of a file's tests."""
    classes = {n.name: n for n in parsed.body if isinstance(n, ast.ClassDef)}
    found: list[str] = []
    for node in parsed.body:
        if isinstance(node, Function) and node.name.startswith("test"):
            found.append(node.name)
        elif isinstance(node, ast.ClassDef) and is_test_class(node, classes):
            methods = [m.name for m in node.body if isinstance(m, Function)]
            found += [f"{node.name}.{m}" for m in methods if m.startswith("test")]
    return found


def is_test_class(
    node: ast.ClassDef, classes: dict[str, ast.ClassDef], seen: frozenset[str] = frozenset()
) -> bool:
    """Whether a class holds tests: by its name for pytest, by its bases for unittest."""
    if node.name.startswith("Test") and not seen:
        return True
    for base in node.bases:
        last = _last(base)
        if last.endswith("TestCase") and last not in classes:
            return True
        if last in classes and last not in seen and last != node.name:
            if is_test_class(classes[last], classes, seen | {node.name}):
                return True
        elif last not in classes and "Test" in node.name:
            return True
    return False
