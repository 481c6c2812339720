"""Owns the data dictionary: every field of every file of the record, from the generated schemas.

Does not cover the models themselves, which `measure.record` owns.
"""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any

from docs.macros.markup import data_table
from docs.macros.page import Fragment, PageContext


def _type_of(spec: dict[str, Any]) -> str:
    """A field's type in a word or two, from its JSON Schema."""
    if "$ref" in spec:
        return str(spec["$ref"]).rpartition("/")[2]
    if "const" in spec:
        return json.dumps(spec["const"])
    if "enum" in spec:
        return " | ".join(json.dumps(v) for v in spec["enum"])
    options = spec.get("anyOf") or spec.get("oneOf")
    if options:
        return " | ".join(_type_of(option) for option in options)
    if spec.get("type") == "array":
        return f"list of {_type_of(spec.get('items', {}))}"
    keyed = [*spec.get("patternProperties", {}).values(), spec.get("additionalProperties")]
    if isinstance(keyed[0], dict):
        return f"object of {_type_of(keyed[0])}"
    return str(spec.get("type", "any"))


def _prose(text: str) -> str:
    """A description as HTML, its backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def _model_rows(kind: str, name: str, model: dict[str, Any]) -> tuple[str, list[str]]:
    required = set(model.get("required", []))
    rows, lines = [], [f"### {name}", "", str(model.get("description", "")), ""]
    for field_name, spec in model.get("properties", {}).items():
        need = "required" if field_name in required else "optional"
        meaning = str(spec.get("description", ""))
        shown = _type_of(spec)
        cells = (
            f"<code>{field_name}</code>",
            f"<code>{escape(shown)}</code>",
            need,
            _prose(meaning),
        )
        rows.append(cells)
        lines.append(f"- `{field_name}` (`{shown}`, {need}): {meaning}")
    table = data_table(f"Fields of {name}", ("field", "type", "need", "meaning"), rows)
    what = _prose(str(model.get("description", "")))
    html = f'<h3 id="{kind}-{name}">{name}</h3><p>{what}</p>{table}'
    return html, lines


def dictionary(page: PageContext) -> Fragment:
    """The data dictionary, from the schemas that are generated from the record's models."""
    html: list[str] = []
    lines: list[str] = []
    seen: set[str] = set()
    for path in sorted((page.site.root / "data" / "schema").glob("*.schema.json")):
        kind = path.name.removesuffix(".schema.json")
        schema = json.loads(path.read_text(encoding="utf-8"))
        href = f"{page.root}data/schema/{path.name}"
        html.append(f'<h2 id="{kind}">{kind}</h2><p><a href="{href}">{path.name}</a></p>')
        lines += [f"## {kind}", "", f"[{path.name}]({href})", ""]
        models = {str(schema.get("title", kind)): schema, **schema.get("$defs", {})}
        for name, model in models.items():
            if name not in seen and "properties" in model:
                seen.add(name)
                shown, listed = _model_rows(kind, name, model)
                html.append(shown)
                lines += [*listed, ""]
    return Fragment(f"<div data-generated>{''.join(html)}</div>", "\n".join(lines))
