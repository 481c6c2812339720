"""Owns the JSON Schema files under `data/schema/`, generated from the models.

Does not cover validation: the models themselves validate.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from measure.record.read import KINDS
from measure.record.recording import RecordingRow


def schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema (2020-12) by kind of file; 'recording' describes one line."""
    out = {kind: model.model_json_schema(by_alias=True) for kind, model in KINDS.items()}
    out["recording"] = TypeAdapter(RecordingRow).json_schema(by_alias=True)
    for kind, schema in out.items():
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        schema["$id"] = f"{kind}.schema.json"
    return out


def texts() -> dict[str, str]:
    """File name under data/schema to its text."""
    return {
        f"{kind}.schema.json": json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
        for kind, schema in schemas().items()
    }


def stale(root: Path) -> list[str]:
    """Files under data/schema that differ from the models, are missing, or are not made by them."""
    folder = root / "data" / "schema"
    wanted = texts()
    present = {p.name: p.read_text(encoding="utf-8") for p in folder.glob("*.json")}
    names = sorted(wanted.keys() | present.keys())
    return [f"data/schema/{n}" for n in names if wanted.get(n) != present.get(n)]


def write(root: Path) -> list[Path]:
    """Write every schema file; returns their paths."""
    folder = root / "data" / "schema"
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for name, text in texts().items():
        path = folder / name
        path.write_text(text, encoding="utf-8", newline="\n")
        out.append(path)
    return out
