"""A small result file as the bench will write it, for tests only; no measurement of anything."""

from __future__ import annotations

from typing import Any

HASH = "sha256:" + "0" * 64

RESULT: dict[str, Any] = {
    "schema_version": 1,
    "kind": "result",
    "result_id": "try-1",
    "experiment": {"id": "the-wall", "question": "Does the preview show a new result?"},
    "status": "complete",
    "revision": {"commit": "0" * 40, "dirty": False},
    "environment": {
        "python": "3.11.7",
        "platform": "linux x86_64",
        "cpu": "example",
        "memory_bytes": 1,
        "packages": {},
        "inference_engine": {"name": "replay", "version": "1"},
    },
    "task": {
        "name": "example",
        "version": "1",
        "cases": [{"id": "one", "sha256": HASH}],
        "scorers": ["check"],
    },
    "agent": {"name": "py-harness", "version": "0.1.0", "prompt_sha256": None},
    "model": {
        "name": "example",
        "digest": None,
        "parameter_size": None,
        "quantization_level": None,
    },
    "generation_config": {"temperature": 0},
    "limits": {"steps": 10},
    "arms": [{"id": "harness", "description": "The helper"}],
    "recordings": [],
    "samples": [
        {
            "id": f"one-{epoch}",
            "case": "one",
            "arm": "harness",
            "epoch": epoch,
            "outcome": "scored",
            "decided_by": "model",
            "scores": {"check": float(epoch == 1)},
            "usage": {},
            "turns": 1,
            "stop": "done",
        }
        for epoch in (1, 2)
    ],
    "results": [
        {
            "id": "solved",
            "label": "runs that solved the case",
            "metric": "solved",
            "unit": "runs",
            "n": 2,
            "successes": 1,
            "estimate": 0.5,
            "confidence_interval": {
                "lower": 0.09,
                "upper": 0.91,
                "level": 0.95,
                "method": "Wilson",
            },
            "decided_by": "model",
        }
    ],
    "comparisons": [],
    "replay": {"command": "py-measure replay", "needs": []},
    "provenance": {"command": "example", "measured_on": "2026-11-30"},
    "volatile": {
        "host": None,
        "started_at": "2026-11-30T00:00:00Z",
        "finished_at": "2026-11-30T00:00:01Z",
        "wall_s": 1.0,
    },
}
