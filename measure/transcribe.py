"""Owns the way from a facts folder (figures, tables, sources as transcribed) to `data/published`.

Does not cover judgement: which figure says what was decided when the facts were written down.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from measure.record.published import (
    ContradictionsFile,
    PublishedFile,
    SourcesFile,
)
from measure.record.read import validate
from measure.record.shape import Part
from measure.stats import wilson

Json = dict[str, Any]

PUBLICATION = "bichel2026pyharness"

# Arithmetic of ours over the source's figures; the facts name it in words only.
DERIVATIONS: dict[str, Json] = {
    "con-06-qwen-tier-sum": {
        "operation": "sum",
        "of": [f"two-tier.{tier}.qwen2.5-coder-7b" for tier in (1, 3, 5, 6)],
    },
    "con-07-table-rows": {"operation": "rows-less-splits", "of": ["t-lim"], "constant": 1},
    "con-11-harness-written": {
        "operation": "sum",
        "of": ["daily-7b.llama3.1-8b.write-tests", "daily-7b.llama3.1-8b.logic-bug"],
    },
    "con-13-of-runs-that-ran": {
        "operation": "all-that-ran",
        "of": ["all.qwen3-coder-30b-local.worked", "con-13-errored-runs"],
    },
    "con-15-difference": {"operation": "difference", "of": ["con-15-generated", "con-15-kept"]},
}

# What no command of this project will ever measure anew, by column or experiment, and why.
NOT_REBUILT: dict[tuple[str, str | None], str] = {
    ("same-jobs", None): "a person's judgement on a scale of five; no program judged it",
    ("hub-ggufs", "licence"): "a licence name, not a measurement",
    ("fine-tune", None): "counts of the source's own training files, which are not published",
}
HOSTED_AGENT = "an unnamed hosted agent; what it was and what it answered was not published"


# The facts were written down around four pages that they call seeds; a reader knows no seeds.
_WORDS = (
    ("BEYOND THE SEEDS - ", ""),
    ("LATER THAN THE SEEDS - ", ""),
    ("BEYOND - ", ""),
    (" (status board page, tables were intact)", ""),
    ("after the seeds)", "after the pages)"),
)


def in_words(text: str) -> str:
    """A title or section without the words that only the transcription used."""
    for old, new in _WORDS:
        text = text.replace(old, new)
    return text


def _load(folder: Path, name: str) -> Any:
    try:
        return json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HarnessError(f"{folder / name}: {error}", "give the folder of the facts") from None


def replay_of(fact: Json) -> Json:
    """Our replay of a figure: a command, planned, or the reason why there is none."""
    given = fact["replay"]
    out: Json = {"source_command": given["source_command"]}
    out |= {key: given[key] for key in ("note", "mismatch") if given.get(key)}
    why = given["why_null"]
    reason = NOT_REBUILT.get((fact["experiment"], fact["column"])) or NOT_REBUILT.get(
        (fact["experiment"], None)
    )
    if fact["id"] in DERIVATIONS:
        return out | {"status": "command", "command": f"py-measure replay {fact['id']}"}
    if why in ("setup-fact", "external", "private-repository"):
        return out | {"status": why}
    if fact["model"] and fact["model"].startswith("hosted IDE agent"):
        return out | {"status": "not-rebuilt", "reason": HOSTED_AGENT}
    if reason:
        return out | {"status": "not-rebuilt", "reason": reason}
    return out | {"status": "planned"}


def _ref(source: Json) -> Json:
    section = source["section"]
    return {"ref": source["ref"], "section": in_words(section) if section else None}


def figure(fact: Json) -> Json:
    """A figure of the record, as JSON, from a transcribed fact."""
    out = {
        key: value for key, value in fact.items() if key not in ("replay", "source", "experiment")
    }
    out["source"] = _ref(fact["source"])
    if "more_sources" in fact:
        out["more_sources"] = [_ref(s) for s in fact["more_sources"]]
    if fact["id"] in DERIVATIONS:
        out["derivation"] = DERIVATIONS[fact["id"]]
    value = fact["value"]
    # A harness-decided count samples nothing, so an interval would claim a spread it has not.
    sampled = value["type"] == "count" and fact["decided_by"] in ("model", "mixed")
    # A count above its n has no interval; the models refuse it with its pointer later.
    if sampled and value["successes"] <= value["n"]:
        out["interval"] = wilson(value["successes"], value["n"]).model_dump()
    out["replay"] = replay_of(fact)
    return out


def table(fact: Json) -> Json:
    """A table of the record, as JSON, from a transcribed one."""
    rows = [[{"text": c["text"], "figure": c["figure"]} for c in row] for row in fact["rows"]]
    keys = ("id", "title", "section", "era", "pages", "caption", "columns", "caveat")
    return {key: fact[key] for key in keys} | {
        "title": in_words(fact["title"]),
        "section": in_words(fact["section"]),
        "rows": rows,
        "source_commands": fact["replay"],
        "sources": [_ref(s) for s in fact["source"]],
    }


def published_files(folder: Path) -> dict[str, PublishedFile]:
    """Experiment slug to its file, in the order in which the tables name the experiments."""
    figures, tables = _load(folder, "published.json"), _load(folder, "tables.json")
    experiment_of = {f["table"]: f["experiment"] for f in figures if f["table"]}
    out: dict[str, Json] = {}
    for fact in tables:
        entry = out.setdefault(experiment_of[fact["id"]], {"tables": {}, "figures": {}})
        entry["tables"][fact["id"]] = table(fact)
    for fact in figures:
        entry = out.setdefault(fact["experiment"], {"tables": {}, "figures": {}})
        entry["figures"][fact["id"]] = figure(fact)
    return {slug: _file(slug, entry) for slug, entry in out.items()}


def _file(slug: str, entry: Json) -> PublishedFile:
    sections = list(dict.fromkeys(t["section"] for t in entry["tables"].values()))
    raw = {
        "schema_version": 1,
        "kind": "published",
        "experiment": {"id": slug, "sections": sections},
    } | entry
    return validate(PublishedFile, json.dumps(raw), f"facts of {slug}")


def sources_file(folder: Path) -> SourcesFile:
    """Where every figure stands."""
    raw = _load(folder, "sources.json")
    entries = {s["id"]: {k: v for k, v in s.items() if k != "local_copy"} for s in raw["sources"]}
    whole = {
        "schema_version": 1,
        "kind": "sources",
        "publication": PUBLICATION,
        "licence_note": raw["licence_note"],
        "sources": entries,
    }
    return validate(SourcesFile, json.dumps(whole), "facts of sources")


def contradictions_file(folder: Path) -> ContradictionsFile:
    """What the source states twice and differently."""
    raw = _load(folder, "contradictions.json")
    whole = {
        "schema_version": 1,
        "kind": "contradictions",
        "contradictions": {c["id"]: c for c in raw},
    }
    return validate(ContradictionsFile, json.dumps(whole), "facts of contradictions")


def dump(part: Part) -> str:
    """A file of the record as text: one entry of a collection a line, so that diffs stay small."""
    raw = part.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    lines = ["{"]
    for number, (key, value) in enumerate(raw.items()):
        comma = "," if number < len(raw) - 1 else ""
        if isinstance(value, dict) and value and all(isinstance(v, dict) for v in value.values()):
            lines += [f" {json.dumps(key)}: {{", *_entries(value.items()), f" }}{comma}"]
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}{comma}")
    return "\n".join([*lines, "}", ""])


def _entries(items: Iterable[tuple[str, Any]]) -> list[str]:
    out = [f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}," for k, v in items]
    return [*out[:-1], out[-1].removesuffix(",")]


def transcribe(folder: Path, root: Path) -> list[Path]:
    """Write `data/published` from a facts folder; nothing is written unless all of it fits."""
    files: dict[str, Part] = dict(published_files(folder))
    files["sources"] = sources_file(folder)
    files["contradictions"] = contradictions_file(folder)
    out = []
    for name, part in files.items():
        path = root / "data" / "published" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dump(part), encoding="utf-8", newline="\n")
        out.append(path)
    return out
