"""Owns pages with statements: rendered in mkdocs-macros' Jinja environment, faults in one line.

Does not cover plain calls (`expand`), which need no template.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import Environment, Template, TemplateError
from jinja2.exceptions import TemplateSyntaxError

from docs.macros.page import PageContext

_NAME = re.compile(r"'(\w+)' is undefined")


@lru_cache(maxsize=512)
def compiled(environment: Environment, text: str) -> Template:
    """The page's template; compiling costs more than rendering, so equal texts share one."""
    return environment.from_string(text)


def render(
    environment: Environment,
    variables: Mapping[str, Any],
    text: str,
    page: PageContext,
    first_line: int = 1,
) -> str:
    """The text with its template carried out; a mistake becomes a fault of the page."""
    try:
        return compiled(environment, text).render(**variables)
    except (TemplateError, TypeError, ValueError) as error:
        line = _line(error) + first_line - 1
        return page.fail(f"template: {error}{_nearest(str(error), variables)}", line)


def _line(error: Exception) -> int:
    """Line of the template, 1-based: of the syntax error, or of the innermost template frame."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    line, frame = 1, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == "<template>":
            line = frame.tb_lineno
        frame = frame.tb_next
    return line


def _nearest(message: str, variables: Mapping[str, Any]) -> str:
    found = _NAME.search(message)
    near = difflib.get_close_matches(found[1], variables, n=1, cutoff=0.5) if found else []
    return f"; did you mean {near[0]!r}?" if near else ""
