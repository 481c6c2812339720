"""Owns the loading of a plural folder: every file in it is a part, and its file name is its name.

Does not cover what a part must define: each folder's own docstring says that.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType


def names(folder: str) -> tuple[str, ...]:
    """Names of a folder's parts, sorted, without importing them; a file a_b.py is part a-b."""
    package = importlib.import_module(f"harness.{folder}")
    return tuple(
        sorted(found.name.replace("_", "-") for found in pkgutil.iter_modules(package.__path__))
    )


@cache
def load(folder: str, name: str) -> ModuleType:
    """One part as its module; KeyError where the folder has none of that name."""
    if name not in names(folder):
        raise KeyError(name)
    return importlib.import_module(f"harness.{folder}.{name.replace('-', '_')}")


def all_of(folder: str) -> dict[str, ModuleType]:
    """Every part of a folder by name."""
    return {name: load(folder, name) for name in names(folder)}


def says(part: ModuleType) -> str:
    """What a part does, in one line: the first line of its docstring, without the full stop."""
    return (part.__doc__ or "").strip().splitlines()[0].rstrip(".")


def name_of(part: ModuleType) -> str:
    """A part's name: its file's name with hyphens."""
    return part.__name__.rsplit(".", 1)[-1].replace("_", "-")
