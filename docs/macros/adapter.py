"""Owns the macros as mkdocs-macros sees them, for pages that need a template; no logic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from docs.macros import registry, state


def define_env(env: Any) -> None:
    """Give mkdocs-macros every name of the registry, bound to the page at hand."""
    site = state.site(Path(env.project_dir).resolve())

    def bind(name: str) -> Callable[..., str]:
        def macro(*args: Any, **keywords: Any) -> str:
            assert site.current is not None, "a macro runs inside a page"
            return registry.call(site.current, name, args, tuple(keywords.items()))

        return macro

    for name in registry.MACROS:
        env.macro(bind(name), name)
