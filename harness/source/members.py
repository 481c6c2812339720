"""Owns the uses of a class's attribute: which are its own, which another's, which are in doubt.

Does not cover the finding of uses (`roping`), nor names outside of classes.
"""

from __future__ import annotations

import ast
import builtins
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.source import bindings, hierarchy, imports, places, symbols, syntax
from harness.source.hierarchy import Class
from harness.source.project import Project
from harness.source.roping import Place, Uses

_COMMON = (str, bytes, list, dict, set, tuple, int, float, BaseException, Path, re.Pattern,
           re.Match, io.TextIOWrapper, io.BytesIO)  # fmt: skip


@dataclass(frozen=True)
class Sorted:
    """The uses of an attribute's name, sorted."""

    meant: frozenset[Place]
    doubtful: frozenset[Place]
    """No analysis tells whether they are meant."""
    notes: tuple[str, ...]
    """What was taken for granted, for a person."""


@dataclass(frozen=True)
class _Use:
    """One `x.name`."""

    node: ast.Attribute
    owner: str
    """Innermost class around it; empty outside of one."""
    types: frozenset[str]
    """Names in the annotation of `x`, if it is a parameter."""


@dataclass(frozen=True)
class Member:
    """An attribute of a class, with the classes that share it."""

    project: Project
    name: str
    kin: tuple[Class, ...]
    """The class, and those that it inherits from or that inherit from it."""
    others: tuple[str, ...]
    """Names of the other classes with such an attribute."""

    def taken(self, new: str) -> str:
        """The class of the family that has another attribute of that name; empty for none."""
        return next((one.name for one in self.kin if one.has(new)), "")

    def overridden(self) -> str:
        """The class of the standard library whose attribute it overrides; empty for none."""
        for dotted, loaded in hierarchy.outside(self.kin, self.project):
            if loaded is not None and hasattr(loaded, self.name):
                return dotted
        return ""

    def starts(self) -> frozenset[Place]:
        """Where the family's classes define it, and name it in their own bodies."""
        return frozenset(place for one in self.kin for place in _own(self.project, one, self.name))

    def sorted_out(self, found: Uses) -> Sorted:
        """Every use of the name as an attribute, with what rope found of it."""
        meant, doubtful, guessed = set(self.starts()), set(), []
        for path in self.project.python_files():
            text = self.project.text(path)
            if self.name not in text:
                continue
            for use in _uses(text, self.name):
                node = use.node
                place = Place(path, places.of_attribute(text, node))
                verdict = self._verdict(use, path, place, found)
                if verdict in ("meant", "guessed"):
                    meant.add(place)
                if verdict == "guessed":
                    guessed.append(f"{path}:{node.end_lineno}")
                if verdict == "doubtful":
                    doubtful.add(place)
        return Sorted(frozenset(meant), frozenset(doubtful), tuple(self._told(guessed)))

    def _plain(self, use: _Use, path: str) -> str:
        """What a use is, where the expression before the dot tells: meant, other or nothing."""
        names = {one.name for one in self.kin}
        value = use.node.value
        if isinstance(value, ast.Constant | ast.JoinedStr | ast.List | ast.Dict | ast.Set):
            return "other"
        if _is_me(value) and use.owner:
            return "meant" if use.owner in names else "other"
        if not isinstance(value, ast.Name):
            return ""
        if _is_module(value.id, path, self.project):
            return "other"
        if value.id in names or names & use.types:
            return "meant"
        return "other" if use.types & {*self.others, *dir(builtins)} - {"None"} else ""

    def _verdict(self, use: _Use, path: str, place: Place, found: Uses) -> str:
        """What one use is: meant, guessed, other or doubtful."""
        node = use.node
        if said := self._plain(use, path):
            return said
        if place in found.sure:
            return "meant"
        if place not in found.unsure and self.others:
            return "other"
        if self.others or self._is_common(path) or isinstance(node.ctx, ast.Store | ast.Del):
            return "meant" if self._is_set(node) else "doubtful"
        return "guessed" if place in found.unsure else "meant"

    def _is_set(self, node: ast.Attribute) -> bool:
        """Whether a value is given to what the family has as a value or property, and no other."""
        if self.others or not isinstance(node.ctx, ast.Store | ast.Del):
            return False
        return not any(_is_plain_method(one, self.name) for one in self.kin)

    def _is_common(self, path: str) -> bool:
        """Whether a type of Python's own, or of a module that the file imports, has the name."""
        if any(hasattr(kind, self.name) for kind in _COMMON):
            return True
        tops = {one.module for one in imports.of(self.project.text(path)) if not one.level}
        return any(_has_such(module, self.name) for module in tops)

    def _told(self, guessed: list[str]) -> Iterator[str]:
        """The note on uses of which only the name told whose they are."""
        if guessed:
            more = " …" if len(guessed) > 3 else ""
            yield f"told by the name alone: {', '.join(guessed[:3])}{more}"


def of(project: Project, path: str, qualname: str) -> Member:
    """A class's attribute, by its qualified name."""
    owner, _, name = qualname.rpartition(".")
    every = hierarchy.classes(project)
    symbol = symbols.find(project.text(path), owner)
    line = symbol.line if symbol else 0
    mine = next(one for one in every if one.path == path and one.node.lineno == line)
    kin = hierarchy.family(mine, every)
    others = tuple(one.name for one in every if one not in kin and one.has(name))
    return Member(project, name, kin, others)


def _own(project: Project, one: Class, name: str) -> Iterator[Place]:
    """Places of a name in a class's own body: its definitions, decorators, assignments, reads."""
    text = project.text(one.path)
    known = bindings.of(text)
    for statement in _body(one.node):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if statement.name == name:
                line = places.offset(text, statement.lineno, 0)
                found = re.compile(rf"\b(?:def|class)[\s\\]+({re.escape(name)})\b")
                if match := found.search(text, line):
                    yield Place(one.path, match.start(1))
        elif name in {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and (node.id, type(node.ctx)) == (name, ast.Store):
                    yield Place(one.path, places.offset(text, node.lineno, node.col_offset))
    inside = range(one.node.lineno, (one.node.end_lineno or 0) + 1)
    for use in known.usages if known else ():
        same = use.node.id == name and use.scope.kind == "class" and use.scope.name == one.name
        if same and use.node.lineno in inside and name in use.scope.bound:
            yield Place(one.path, places.offset(text, use.node.lineno, use.node.col_offset))


def _body(node: ast.stmt) -> Iterator[ast.stmt]:
    """Statements of a class body, those under if, try and with too."""
    for block in syntax.bodies(node):
        for statement in block:
            yield statement
            if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from _body(statement)


def _uses(text: str, name: str) -> Iterator[_Use]:
    """Attributes of one name in a text, with what stands around them."""
    waiting: list[tuple[ast.AST, str, Mapping[str, frozenset[str]]]]
    waiting = [(syntax.tree(text) or ast.Module([], []), "", {})]
    while waiting:
        node, owner, types = waiting.pop()
        if isinstance(node, ast.ClassDef):
            owner = node.name
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            types = {**types, **{a.arg: _names(a.annotation) for a in symbols.arguments(node)}}
        elif isinstance(node, ast.Attribute) and node.attr == name:
            of = node.value.id if isinstance(node.value, ast.Name) else ""
            yield _Use(node, owner, types.get(of, frozenset()))
        waiting += [(child, owner, types) for child in ast.iter_child_nodes(node)]


def _names(annotation: ast.expr | None) -> frozenset[str]:
    """Names in an annotation, quoted ones too."""
    return frozenset(re.findall(r"\w+", ast.unparse(annotation))) if annotation else frozenset()


def _is_me(node: ast.expr) -> bool:
    """Whether an expression is self, cls or super()."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _is_module(name: str, path: str, project: Project) -> bool:
    """Whether a file binds a name by importing a module, ours or another."""
    package = project.package_of(path)
    for one in imports.of(project.text(path)):
        if one.alias == name:
            inner = f"{imports.absolute(one, package)}.{one.name}".strip(".")
            return not one.name or bool(project.path_of(inner))
    return False


def _is_plain_method(one: Class, name: str) -> bool:
    """Whether a class has the name as a method that is no property."""
    functions = (
        s for s in _body(one.node) if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    methods = [f for f in functions if f.name == name]
    return any(not m.decorator_list for m in methods)


def _has_such(module: str, name: str) -> bool:
    """Whether a class of a standard module has an attribute."""
    loaded = hierarchy.loaded(module)
    kinds = [kind for kind in vars(loaded).values() if isinstance(kind, type)] if loaded else []
    return any(hasattr(kind, name) for kind in kinds)
