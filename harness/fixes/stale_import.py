"""Turns an import of a module that is not there to the one module of the project that it means.

That is the one of the same name that defines all that is taken from it. Leaves the standard
library, what other files import by the same name, and what two modules could be.
"""

from __future__ import annotations

import sys
from functools import partial

from harness.fix import Mend
from harness.source import importable, imports, repoint, symbols
from harness.source.imports import Imported
from harness.source.project import Project
from harness.source.repoint import Move

STAGE = "draft"
PROJECT = {
    "shop/__init__.py": "",
    "shop/orders.py": "def total(prices):\n    return sum(prices)\n",
    "shop/yaml.py": "def dump(order):\n    return str(order)\n",
}
EXAMPLES = (
    ("from orders import total\n\ntotal([])\n", "from shop.orders import total\n\ntotal([])\n"),
    ("import orders\n\norders.total([])\n", "from shop import orders\n\norders.total([])\n"),
    ("from yaml import safe_load\n\nsafe_load\n",) * 2,
)


def mend(path: str, text: str, project: Project) -> Mend:
    """The draft with its stale imports of the project's modules turned."""
    notes = []
    package = project.package_of(path)
    older = {one.module for one in imports.of(project.text(path))}
    for one in imports.of(text):
        module = imports.absolute(one, package)
        if one.module in older or not module or not _is_stale(module, path, project):
            continue
        meant = [p for p in _candidates(module, one, text, project) if p != path]
        if len(meant) != 1 or importable.makes_cycle(path, meant[0], project):
            continue
        new = project.module_of(meant[0])
        move = Move(meant[0], module, new, partial(_at, module, meant[0]), meant[0])
        changed = repoint.repointed(text, package, package, move)
        if changed != text and not symbols.parses(changed):
            text = changed
            notes.append(f"{path}:{one.line}: {module} is {new}")
    return Mend(text, tuple(notes))


def _at(module: str, path: str, dotted: str) -> str:
    """The path, for the one dotted name that stands for it."""
    return path if dotted == module else ""


def _is_stale(module: str, path: str, project: Project) -> bool:
    """Whether a module is none of ours and, by all that can be seen, nobody else's."""
    head = module.split(".")[0]
    if head in sys.stdlib_module_names or project.path_of(module):
        return False
    others = (p for p in project.python_files() if p != path)
    return not any(module in imports.quick(project.text(p)) for p in others)


def _candidates(module: str, one: Imported, text: str, project: Project) -> list[str]:
    """Files of the project's modules of that name that define what is taken."""
    last = module.rpartition(".")[2]
    taken = {o.name for o in imports.of(text) if o.module == one.module and o.name}
    if not taken:
        taken = set(importable.attributes(one.alias, text))
    found = []
    for dotted, path in project.modules().items():
        if dotted.rpartition(".")[2] == last and not project.is_test(path):
            given = symbols.top_level(project.text(path)) | symbols.imported(project.text(path))
            found += [path] if taken and taken <= given else []
    return found
