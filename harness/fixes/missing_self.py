"""Adds the parameter self, or cls, to a method that uses it without having it.

Leaves static methods, methods with decorators it does not know, and functions outside a class.
"""

from __future__ import annotations

import ast

from harness import bindings, near, symbols, syntax
from harness.fix import Mend
from harness.project import Project

STAGE = "draft"
EXAMPLES = (
    (
        "class C:\n    def m(x):\n        return self.y + x\n",
        "class C:\n    def m(self, x):\n        return self.y + x\n",
    ),
    (
        "class C:\n    @classmethod\n    def make():\n        return cls()\n",
        "class C:\n    @classmethod\n    def make(cls):\n        return cls()\n",
    ),
    (
        "class C:\n    @staticmethod\n    def m(x):\n        return self.y + x\n",
        "class C:\n    @staticmethod\n    def m(x):\n        return self.y + x\n",
    ),
    ("class C:\n    def m(this):\n        return this.y\n",) * 2,
)

_KNOWN = {"property", "cached_property", "abstractmethod", "override", "setter", "classmethod"}
_OTHER_FIRST = {"self", "cls", "this", "mcs", "klass", "slf", "_self"}
Method = ast.FunctionDef | ast.AsyncFunctionDef


def mend(path: str, text: str, project: Project) -> Mend:
    """The draft with self in each method's parameters whose body uses it."""
    known = bindings.of(text)
    if known is None:
        return Mend(text)
    loose = {(u.node.id, u.scope.name) for u in known.usages if _is_loose(u)}
    rows = syntax.lines(text)
    notes = []
    for node in ast.walk(syntax.tree(text) or ast.Module([], [])):
        if not isinstance(node, ast.ClassDef):
            continue
        for method in node.body:
            if isinstance(method, Method) and (word := _wanted(method, loose)):
                at = _bracket(method, text)
                if at is None:
                    continue
                line, column = at
                comma = ", " if symbols.arguments(method) else ""
                rows[line] = rows[line][:column] + word + comma + rows[line][column:]
                notes.append(f"{path}:{method.lineno}: {node.name}.{method.name} takes {word}")
    changed = "".join(rows)
    return Mend(changed, tuple(notes)) if not symbols.parses(changed) else Mend(text)


def _is_loose(usage: bindings.Usage) -> bool:
    """Whether self or cls is read where nothing binds it."""
    name = usage.node.id
    return name in ("self", "cls") and not any(name in s.bound for s in usage.scope.chain())


def _wanted(method: Method, loose: set[tuple[str, str]]) -> str:
    """The parameter that a method lacks; empty where it lacks none."""
    said = {ast.unparse(d).rsplit(".", 1)[-1] for d in method.decorator_list}
    word = "cls" if "classmethod" in said else "self"
    if said - _KNOWN or (word, method.name) not in loose or method.name.startswith("__init_sub"):
        return ""
    if method.name in ("__new__", "__class_getitem__"):
        return ""
    first = [a.arg for a in symbols.arguments(method)][:1]
    if first and (first[0] in _OTHER_FIRST or near.is_near(first[0], word)):
        return ""
    return word


def _bracket(method: Method, text: str) -> tuple[int, int] | None:
    """Place right behind a method's opening bracket, as (0-based line, column)."""
    seen = False
    for token in syntax.tokens(text):
        if token.start[0] < method.lineno:
            continue
        if token.string == method.name:
            seen = True
        elif seen and token.string == "(":
            return token.end[0] - 1, token.end[1]
    return None
