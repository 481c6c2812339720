"""Adds the parameter self, or cls, to a method that uses it without having it.

Leaves static methods, methods with decorators it does not know, and functions outside a class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from harness.fix import Mend
from harness.source import bindings, near, symbols, syntax
from harness.source.project import Project

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
    lacking = [(c, m, w) for c, m in _methods(text) if (w := _lacked(m))]
    known = bindings.of(text) if lacking else None
    loose = {(u.node.id, u.scope.name) for u in (known.usages if known else ()) if _is_loose(u)}
    rows = syntax.lines(text)
    notes = []
    for owner, method, word in lacking:
        place = _bracket(method, text)
        if (word, method.name) in loose and place is not None:
            line, column = place
            gap = " " if rows[line][column:].strip() else ""
            comma = f",{gap}" if symbols.arguments(method) else ""
            rows[line] = rows[line][:column] + word + comma + rows[line][column:]
            notes.append(f"{path}:{method.lineno}: {owner}.{method.name} takes {word}")
    changed = "".join(rows)
    return Mend(changed, tuple(notes)) if not symbols.parses(changed) else Mend(text)


def _methods(text: str) -> Iterator[tuple[str, Method]]:
    """Methods of a text's classes with their class's name, the last ones first."""
    found = [
        (node.name, method)
        for node in ast.walk(syntax.tree(text) or ast.Module([], []))
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, Method)
    ]
    # From the end, so that two on one line keep their places.
    return iter(sorted(found, key=lambda pair: -pair[1].lineno))


def _is_loose(usage: bindings.Usage) -> bool:
    """Whether self or cls is read where nothing binds it."""
    name = usage.node.id
    return name in ("self", "cls") and not any(name in s.bound for s in usage.scope.chain())


def _lacked(method: Method) -> str:
    """The parameter that a method would need for its first; empty where it has it, or may not."""
    said = {ast.unparse(d).rsplit(".", 1)[-1] for d in method.decorator_list}
    word = "cls" if "classmethod" in said else "self"
    if said - _KNOWN or method.name in ("__new__", "__class_getitem__", "__init_subclass__"):
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
