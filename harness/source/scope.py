"""Owns the names of a Python text that nothing defines, without false alarms.

Does not cover what to do about one (`fixes`) nor attributes of objects.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from harness.source import bindings, near, syntax
from harness.source.bindings import Bindings, Usage

# Names that a host puts there: the interpreter, gettext, IPython and Jupyter.
_GIVEN = frozenset(
    {"_", "WindowsError", "get_ipython", "get_config", "reveal_type", "reveal_locals"}
    | {"__annotations__", "__builtins__", "__cached__", "__class__", "__debug__", "__doc__"}
    | {"__file__", "__loader__", "__module__", "__name__", "__package__", "__path__"}
    | {"__qualname__", "__spec__", "__warningregistry__"}
)
_GETTEXT = frozenset({"gettext", "ngettext", "pgettext", "npgettext"})
_PYTHON_2 = frozenset(
    {"unicode", "basestring", "long", "xrange", "raw_input", "unichr", "execfile", "file", "cmp"}
    | {"reduce", "reload", "buffer", "intern", "apply", "coerce", "StandardError"}
)
_QUIET = re.compile(
    r"#.*(?:\bnoqa\b(?!:)|\bnoqa:.*\bF821\b|type:\s*ignore(?:\[.*\bname-defined\b.*\])?\s*(?:#|$)"
    r"|undefined-variable|pyright:\s*ignore)"
)
_CATCHES = {"NameError", "UnboundLocalError"}
_WRITES = {"update", "setdefault", "pop", "clear", "__setitem__", "popitem", "__ior__"}


@dataclass(frozen=True)
class UndefinedName:
    """One place where a name is read that nothing defines."""

    name: str
    line: int
    """1-based."""
    column: int
    """0-based, characters."""
    in_scope: tuple[str, ...] = ()
    """Near names that are bound there and fit the use, nearest first."""
    elsewhere: tuple[str, ...] = ()
    """Near names that the file knows but that do not fit there, such as the function's own."""
    use: bindings.Use = "plain"
    """How it is used."""


@lru_cache(maxsize=128)
def undefined(text: str) -> tuple[UndefinedName, ...]:
    """Names that nothing defines, in reading order; empty where the text does not parse.

    Silent where the module's names are made while it runs, where a NameError is expected, after a
    star import, and for names that a host or an older Python gives under a guard.
    """
    parsed = syntax.tree(text)
    alarms = _alarms(parsed) if parsed else set()
    if parsed is None or not alarms or _is_dynamic(parsed):
        return ()
    known = bindings.of(text)
    if known is None:
        return ()
    expected = _expected(parsed, text)
    rows = syntax.lines(text)
    found = []
    for usage in known.usages:
        node = usage.node
        if (node.id, node.lineno, node.col_offset) not in alarms or node.id in expected:
            continue
        row = rows[node.lineno - 1]
        if _is_bound(usage, known) or _is_guarded(node, parsed) or _QUIET.search(row):
            continue
        found.append(_described(usage, row))
    return tuple(sorted(found, key=lambda u: (u.line, u.column)))


def _described(usage: Usage, row: str) -> UndefinedName:
    """An undefined name with its place and the names near it."""
    node = usage.node
    return UndefinedName(
        node.id,
        node.lineno,
        syntax.column(row, node.col_offset),
        near.fitting(usage),
        near.unfit(usage),
        usage.use,
    )


def _alarms(parsed: ast.Module) -> set[tuple[str, int, int]]:
    """Places where pyflakes sees an undefined name, as (name, line, column in bytes)."""
    from pyflakes import checker, messages

    checked = checker.Checker(parsed, filename="module.py", withDoctest=False)
    return {
        (str(m.message_args[0]), m.lineno, m.col)
        for m in checked.messages
        if isinstance(m, messages.UndefinedName)
    }


def _is_bound(usage: Usage, known: Bindings) -> bool:
    """Whether the name is bound by some scope around after all, so it is at worst not yet bound."""
    name = usage.node.id
    for scope in usage.scope.chain():
        if scope is known.module:
            inside = usage.scope is not known.module and usage.scope.kind != "class"
            return name in scope.deleted or (inside and name in scope.bound)
        if name in scope.bound or name in scope.deleted:
            return True
    return False


def _is_dynamic(parsed: ast.Module) -> bool:
    """Whether the module's names are made while it runs."""
    return any(_makes_names(node) for node in ast.walk(parsed))


def _makes_names(node: ast.AST) -> bool:
    """Whether one node makes or may make module names."""
    if isinstance(node, ast.Attribute):
        return node.attr in ("_convert_", "_convert", "global_enum")
    if isinstance(node, ast.Assign | ast.NamedExpr | ast.AnnAssign) and node.value is not None:
        return _is_names(node.value) or any(_is_entry(t) for t in getattr(node, "targets", []))
    if isinstance(node, ast.AugAssign):
        return _is_names(node.target) or _is_entry(node.target)
    if isinstance(node, ast.Name):
        return node.id == "global_enum"
    return isinstance(node, ast.Call) and _call_makes_names(node)


def _call_makes_names(node: ast.Call) -> bool:
    """Whether a call writes into the module's names: an exec, an update, a setattr."""
    given = [*node.args, *(k.value for k in node.keywords)]
    if isinstance(node.func, ast.Name):
        if node.func.id in ("exec", "execfile"):
            return len(given) < 2 or any(_is_names(a) for a in given)
        if node.func.id == "setattr":
            return bool(given) and _is_module(given[0])
        plain = (
            "dict",
            "len",
            "sorted",
            "list",
            "set",
            "eval",
            "print",
            "repr",
            "isinstance",
            "iter",
        )
        return node.func.id not in plain and any(_is_names(a) for a in given)
    if isinstance(node.func, ast.Attribute) and _is_names(node.func.value):
        return node.func.attr in _WRITES
    return any(_is_names(a) for a in given)


def _is_names(node: ast.expr) -> bool:
    """Whether an expression is a module's dictionary: `globals()`, `vars()`, `x.__dict__` of it."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
        return node.func.id in ("globals", "vars", "locals")
    return isinstance(node, ast.Attribute) and node.attr == "__dict__" and _is_module(node.value)


def _is_entry(node: ast.expr) -> bool:
    """Whether an assignment's target is an entry of a module's dictionary."""
    return isinstance(node, ast.Subscript) and _is_names(node.value)


def _is_module(node: ast.expr) -> bool:
    """Whether an expression looks like this module or the builtins."""
    said = ast.unparse(node)
    return said.startswith("sys.modules[") or said in ("builtins", "__builtins__", "__builtin__")


def _expected(parsed: ast.Module, text: str) -> frozenset[str]:
    """Names that are given by a host, set on builtins, or patched in by a test."""
    found = set(_GIVEN)
    if re.search(r"\binstall\s*\(", text) and "gettext" in text:
        found |= _GETTEXT
    for node in ast.walk(parsed):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if ast.unparse(node.value) in ("builtins", "__builtins__", "__builtin__"):
                found.add(node.attr)
        elif isinstance(node, ast.Call) and any(k.arg == "create" for k in node.keywords):
            found |= set(re.findall(r"\.(\w+)['\"]", ast.unparse(node)))
    return frozenset(found)


def _is_guarded(node: ast.Name, parsed: ast.Module) -> bool:
    """Whether a NameError is expected there, or a guard asks first whether the name is known."""
    return any(_guards(around, node) for around in _around(node, parsed))


def _around(node: ast.Name, parsed: ast.Module) -> Iterator[ast.AST]:
    """Nodes that hold a name, outermost first."""
    holder: ast.AST | None = parsed
    while holder is not None:
        inner = None
        for child in ast.iter_child_nodes(holder):
            if child is node:
                return
            if _holds(child, node):
                inner = child
                yield child
                break
        holder = inner if inner is not None else None


def _holds(outer: ast.AST, node: ast.Name) -> bool:
    """Whether a node stands inside another, by their places."""
    if not hasattr(outer, "lineno"):
        return any(inner is node for inner in ast.walk(outer))
    start = min([outer.lineno, *(d.lineno for d in getattr(outer, "decorator_list", []))])
    end = getattr(outer, "end_lineno", start) or start
    if not start <= node.lineno <= end:
        return False
    return start < node.lineno < end or any(inner is node for inner in ast.walk(outer))


def _guards(around: ast.AST, node: ast.Name) -> bool:
    """Whether one holding node makes an undefined name right: it expects it or asks first."""
    if isinstance(around, ast.Try):
        caught = {n.id for h in around.handlers if h.type for n in ast.walk(h.type)
                  if isinstance(n, ast.Name)}  # fmt: skip
        bare = any(h.type is None for h in around.handlers)
        inside = any(_holds(s, node) for s in around.body)
        return inside and (bare or bool(caught & _CATCHES))
    if isinstance(around, ast.With | ast.AsyncWith):
        said = " ".join(ast.unparse(i.context_expr) for i in around.items)
        return any(re.search(rf"(?i)(raises|suppress|expect).*{name}", said) for name in _CATCHES)
    if isinstance(around, ast.Call):
        said = ast.unparse(around.func)
        return "aises" in said and any(ast.unparse(a) in _CATCHES for a in around.args[:1])
    if isinstance(around, ast.If | ast.IfExp | ast.BoolOp):
        return _asks_first(around, node)
    return False


def _asks_first(around: ast.If | ast.IfExp | ast.BoolOp, node: ast.Name) -> bool:
    """Whether a condition asks for the name, or for the Python that has it."""
    test = around.values[0] if isinstance(around, ast.BoolOp) else around.test
    said = ast.unparse(test)
    if re.search(rf"['\"]{node.id}['\"]", said):
        return True
    version = re.search(
        r"version_info|hexversion|PY2|PY3|PYTHON_?[23]|python_version|TYPE_CHECKING", said
    )
    return bool(version) and (node.id in _PYTHON_2 or "TYPE_CHECKING" in said or "version" in said)
