"""Owns which names a Python text binds where, and how each is used, as Python's scopes have it.

Does not cover whether a name is undefined (`scope`) nor attributes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from harness.source import syntax

Kind = Literal["value", "function", "class", "module", "unknown"]
Use = Literal[
    "call", "attribute", "argument", "callback", "annotation", "exception", "plain", "del"
]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_TAKES_CALLABLE = {"map", "filter", "isinstance", "issubclass", "defaultdict", "partial", "reduce"}
_NAMES_CALLABLE = {"key", "default_factory", "default", "type", "target", "callback"}


@dataclass(frozen=True)
class Binding:
    """One place where a scope binds a name."""

    since: int
    """First line, 1-based, at which it is bound when the scope's code runs from the top."""
    kind: Kind
    """What it is bound to, as far as the statement tells."""


@dataclass
class Scope:
    """A module, class, function, lambda or comprehension; built once, then only read."""

    kind: Literal["module", "class", "function", "comprehension"]
    name: str
    """Of the function or class; empty for others."""
    parent: Scope | None
    bound: dict[str, list[Binding]] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    """Names declared global or nonlocal here."""

    def bind(self, name: str, since: int, kind: Kind) -> None:
        """Note that the scope binds a name."""
        self.bound.setdefault(name, []).append(Binding(since, kind))

    def chain(self) -> Iterator[Scope]:
        """The scopes that a name is looked up in from here: classes only where it stands itself."""
        yield self
        inside = self.kind == "class"
        around = self.parent
        while around is not None:
            if around.kind != "class" or (self.kind == "comprehension" and inside):
                yield around
            around = around.parent


@dataclass(frozen=True)
class Usage:
    """One name as it is read."""

    node: ast.Name
    scope: Scope
    use: Use
    statement: int
    """First line of the statement that it stands in."""


@dataclass(frozen=True)
class Bindings:
    """All of a text's scopes and names read."""

    module: Scope
    usages: tuple[Usage, ...]


@lru_cache(maxsize=64)
def of(text: str) -> Bindings | None:
    """Scopes and uses of a text; None where it does not parse."""
    parsed = syntax.tree(text)
    if parsed is None:
        return None
    builder = _Builder()
    builder.block(parsed.body)
    return Bindings(builder.module, tuple(builder.usages))


class _Builder:
    """Walks a tree once."""

    def __init__(self) -> None:
        self.module = Scope("module", "", None)
        self.scope = self.module
        self.usages: list[Usage] = []
        self.line = 1

    def bind(self, name: str, since: int, kind: Kind = "value") -> None:
        """Bind a name in the scope that it belongs to."""
        scope = self.scope
        while scope.kind == "comprehension" and scope.parent is not None and since < 0:
            scope = scope.parent
        if name in scope.outer:
            scope = self.module
        scope.bind(name, abs(since), kind)

    def block(self, statements: list[ast.stmt]) -> None:
        """Walk statements; global and nonlocal hold for the whole function, so they come first."""
        for statement in statements:
            self.line = statement.lineno
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Bind what one statement binds, then walk it."""
        end = (node.end_lineno or node.lineno) + 1
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self.function(node, end)
        elif isinstance(node, ast.ClassDef):
            self.class_(node, end)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                plain = isinstance(node, ast.Import)
                name = alias.asname or (alias.name.split(".")[0] if plain else alias.name)
                self.bind(name, end - 1, "module" if plain else "unknown")
        elif isinstance(node, ast.Global | ast.Nonlocal):
            self.scope.outer.update(node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            self.assign(node, end)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self.read(node.iter, "plain")
            self.target(node.target, node.body[0].lineno)
            self.block([*node.body, *node.orelse])
        elif isinstance(node, ast.With | ast.AsyncWith):
            self.with_(node)
        elif isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            self.try_(node)
        elif type(node).__name__ == "TypeAlias":
            self.target(node.name, end)  # type: ignore[attr-defined]
            self.read(node.value, "annotation")  # type: ignore[attr-defined]
        else:
            self.other(node)

    def other(self, node: ast.AST) -> None:
        """Walk a statement, or a part of one, without rules of its own."""
        use: Use = "exception" if isinstance(node, ast.Raise) else "plain"
        for _, value in ast.iter_fields(node):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.stmt):
                    self.block([part])
                elif isinstance(part, ast.expr):
                    if isinstance(node, ast.Delete):
                        self.delete(part)
                    self.read(part, use)
                elif isinstance(part, ast.AST):
                    name = getattr(part, "name", None) or getattr(part, "rest", None)
                    if isinstance(name, str) and isinstance(part, ast.pattern):
                        self.bind(name, part.lineno)
                    self.other(part)

    def delete(self, node: ast.expr) -> None:
        """Note the names that `del` takes away."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Del):
                owner = self.module if part.id in self.scope.outer else self.scope
                owner.deleted.add(part.id)

    def assign(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, end: int) -> None:
        """An assignment: its value is read, then its targets are bound."""
        if isinstance(node, ast.AnnAssign):
            self.read(node.annotation, "annotation")
        if node.value is not None:
            self.read(node.value, "plain")
        kind: Kind = (
            "unknown" if isinstance(node.value, ast.Name | ast.Call | ast.Lambda) else "value"
        )
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            # `n += 1` reads n and binds nothing that was not bound before.
            load = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            self.usages.append(Usage(load, self.scope, "plain", self.line))
            return
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            self.target(target, end, kind)

    def target(self, node: ast.expr, since: int, kind: Kind = "value") -> None:
        """Bind the names of a target; what it reads (`a[i].b`) is read."""
        if isinstance(node, ast.Name):
            self.bind(node.id, since, kind)
        elif isinstance(node, ast.Tuple | ast.List):
            for part in node.elts:
                self.target(part, since, "unknown")
        elif isinstance(node, ast.Starred):
            self.target(node.value, since)
        else:
            self.read(node, "plain")

    def with_(self, node: ast.With | ast.AsyncWith) -> None:
        """A with statement."""
        for item in node.items:
            self.read(item.context_expr, "plain")
            if item.optional_vars is not None:
                self.target(item.optional_vars, node.body[0].lineno, "unknown")
        self.block(node.body)

    def try_(self, node: ast.stmt) -> None:
        """A try statement; the name of an exception is bound in its handler."""
        for block in syntax.bodies(node):
            handler = next((h for h in getattr(node, "handlers", []) if h.body is block), None)
            if handler is not None:
                if handler.type is not None:
                    self.read(handler.type, "exception")
                if handler.name:
                    self.bind(handler.name, handler.body[0].lineno)
            self.block(block)

    def inside(self, kind: Literal["class", "function", "comprehension"], name: str) -> Scope:
        """Enter a new scope; returns the one to go back to."""
        before = self.scope
        self.scope = Scope(kind, name, before)
        return before

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, end: int) -> None:
        """A function: decorators and defaults outside, parameters and body inside."""
        for decorator in node.decorator_list:
            self.read(decorator, "callback")
        self.bind(node.name, end, "function" if not node.decorator_list else "unknown")
        self.signature(node)
        before = self.inside("function", node.name)
        self.parameters(node)
        self.declared(node)
        self.block(node.body)
        self.scope = before

    def declared(self, node: ast.AST) -> None:
        """Collect global and nonlocal of a function, wherever in it they stand."""
        for part in ast.walk(node):
            if isinstance(part, ast.Global):
                self.scope.outer.update(part.names)

    def signature(self, node: Function) -> None:
        """What a signature reads where the function stands: defaults and annotations."""
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.read(default, "plain")
        for part in ast.walk(node.args):
            if isinstance(part, ast.arg) and part.annotation is not None:
                self.read(part.annotation, "annotation")
        if not isinstance(node, ast.Lambda) and node.returns is not None:
            self.read(node.returns, "annotation")

    def parameters(self, node: Function) -> None:
        """Bind parameters and type parameters inside the function."""
        for part in ast.iter_child_nodes(node.args):
            if isinstance(part, ast.arg):
                self.bind(part.arg, node.lineno, "unknown")
        self.type_parameters(node)

    def type_parameters(self, node: ast.AST) -> None:
        """Bind the type parameters of `def f[T]` and `class C[T]`."""
        for part in getattr(node, "type_params", []):
            self.bind(part.name, part.lineno, "class")

    def class_(self, node: ast.ClassDef, end: int) -> None:
        """A class: decorators and bases outside, its body in a scope that methods do not see."""
        for decorator in node.decorator_list:
            self.read(decorator, "callback")
        for base in [*node.bases, *(k.value for k in node.keywords)]:
            self.read(base, "annotation")
        self.bind(node.name, end, "class")
        before = self.inside("class", node.name)
        self.type_parameters(node)
        self.block(node.body)
        self.scope = before

    def read(self, node: ast.expr, use: Use) -> None:
        """Walk an expression, noting the names it reads."""
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load | ast.Del):
                self.usages.append(Usage(node, self.scope, use, self.line))
        elif isinstance(node, ast.NamedExpr):
            self.read(node.value, "plain")
            self.bind(node.target.id, -node.lineno)
        elif isinstance(node, ast.Call):
            self.call(node, use)
        elif isinstance(node, ast.Attribute):
            self.read(node.value, "attribute")
        elif isinstance(node, ast.Lambda):
            self.signature(node)
            before = self.inside("function", "")
            self.parameters(node)
            self.read(node.body, "plain")
            self.scope = before
        elif isinstance(node, _COMPREHENSIONS):
            self.comprehension(node)
        else:
            kept: Use = use if use in ("annotation", "exception") else "plain"
            for part in ast.iter_child_nodes(node):
                if isinstance(part, ast.expr):
                    self.read(part, kept)
                elif not isinstance(part, ast.expr_context | ast.operator):
                    self.other(part)

    def call(self, node: ast.Call, use: Use) -> None:
        """A call: what is called, and its arguments."""
        exception = use == "exception" and isinstance(node.func, ast.Name)
        self.read(node.func, "exception" if exception else "call")
        last = getattr(node.func, "id", getattr(node.func, "attr", ""))
        given: Use = "callback" if last in _TAKES_CALLABLE else "argument"
        for argument in node.args:
            inner = argument.value if isinstance(argument, ast.Starred) else argument
            self.read(inner, given)
        for keyword in node.keywords:
            self.read(keyword.value, "callback" if keyword.arg in _NAMES_CALLABLE else "argument")

    def comprehension(self, node: ast.expr) -> None:
        """A comprehension: its first iterable outside, everything else inside."""
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        self.read(generators[0].iter, "plain")
        before = self.inside("comprehension", "")
        for number, generator in enumerate(generators):
            if number:
                self.read(generator.iter, "plain")
            self.target(generator.target, node.lineno)
            for condition in generator.ifs:
                self.read(condition, "plain")
        for part in ("elt", "key", "value"):
            if (inner := getattr(node, part, None)) is not None:
                self.read(inner, "plain")
        self.scope = before
