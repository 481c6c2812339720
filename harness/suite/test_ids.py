"""Owns the two ways to name a test, pytest's and unittest's, and the way between them.

Does not cover whether a test of that name exists: the runner says that.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def for_pytest(name: str, tree: Path, tops: Sequence[str] = (".",)) -> str:
    """A pytest id for a test of either form; `tops` are the folders that dotted names start at.

    A name that fits no file is given back as it is.
    """
    if "::" in name or name.endswith(".py") or "/" in name:
        return name
    parts = name.split(".")
    for top in tops:
        for length in range(len(parts), 0, -1):
            module = Path(top, *parts[:length])
            for path in (module.with_suffix(".py"), module / "__init__.py"):
                if (tree / path).is_file():
                    return "::".join([path.as_posix(), *parts[length:]])
            if length == len(parts) and (tree / module).is_dir():
                return module.as_posix()
    return name


def for_unittest(name: str, tops: Sequence[str] = (".",)) -> str:
    """A dotted id for a test of either form; parameters in brackets have no such form."""
    if "::" not in name and not name.endswith(".py") and "/" not in name:
        return name
    path, _, rest = name.partition("::")
    for top in sorted(tops, key=len, reverse=True):
        if top != "." and path.startswith(top + "/"):
            path = path[len(top) + 1 :]
            break
    module = path.removesuffix(".py").removesuffix("/__init__").strip("/").replace("/", ".")
    inner = rest.split("[")[0].replace("::", ".")
    return f"{module}.{inner}" if inner else module
