"""Owns every knob of the helper, declared once: default, help, bounds; reads pyproject's table.

Does not cover how a knob is spelled on the command line beyond its name (`cli`).
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.errors import HarnessError

TABLE = "py-harness"


def _knob(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """A declared setting: its default, one line of help, and its bounds or choices."""
    about = {"help": help, "low": low, "high": high, "choices": choices}
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class Settings:
    """Every knob of a run; names are those of the flags and of `[tool.py-harness]`."""

    model: str = _knob("llama3.1:8b", "model, by the server's name for it")
    engine: str = _knob("ollama", "which kind of server, or replay")
    base_url: str = _knob("", "server's address, else the engine's own default")
    road: str = _knob(
        "auto",
        "drafts only, the Action loop only, or drafts first",
        choices=("auto", "short", "long"),
    )
    steps: int = _knob(20, "turns of the Action loop at most", low=1, high=200)
    drafts: int = _knob(5, "drafts at most; 0 with --road auto goes to the loop", low=0, high=50)
    scope: tuple[str, ...] = _knob((), "folder or file that may be read and written; repeatable")
    python: str = _knob("", "interpreter that runs the project's suite")
    test_cmd: str = _knob("", "command that runs the suite, instead of what is found")
    test_timeout_s: float = _knob(300.0, "limit of one suite run, seconds", low=1, high=86400)
    test_memory_mb: int = _knob(4096, "memory limit of a suite run, MiB", low=64, high=1048576)
    answer: str = _knob("", "answer to any question the run asks, instead of a person")
    num_ctx: int = _knob(8192, "context length, tokens; one value a session", low=512, high=1048576)
    max_tokens: int = _knob(1024, "output cap of one reply, tokens", low=16, high=65536)
    keep_alive: str = _knob("10m", "how long Ollama keeps the model loaded")
    load_timeout_s: float = _knob(600.0, "limit for loading a model, seconds", low=1, high=86400)
    silence_s: float = _knob(120.0, "limit for a reply's next piece, seconds", low=1, high=86400)
    reply_timeout_s: float = _knob(600.0, "limit of one whole reply, seconds", low=1, high=86400)
    budget_s: float = _knob(900.0, "limit of a whole run, seconds", low=1, high=864000)
    yes: bool = _knob(False, "accept the change without asking")
    dry_run: bool = _knob(False, "show the change and write nothing")
    commit: bool = _knob(False, "in a git tree, make one commit of the change")
    record: str = _knob("", "keep the recording at this path as well")
    no_record: bool = _knob(False, "keep no recording")
    off: tuple[str, ...] = _knob((), "guard, fix or drafter to switch off; repeat for more")

    def __post_init__(self) -> None:
        for knob in dataclasses.fields(self):
            object.__setattr__(self, knob.name, _checked(knob, getattr(self, knob.name)))


KNOBS = {knob.name: knob for knob in dataclasses.fields(Settings)}


def _kind(knob: dataclasses.Field[Any]) -> type:
    """The type that a knob's value must have."""
    return type(knob.default)


def _checked(knob: dataclasses.Field[Any], value: Any) -> Any:
    """The value in its declared type and bounds; HarnessError names the knob and what fits."""
    kind, about, flag = _kind(knob), knob.metadata, knob.name.replace("_", "-")
    if kind is tuple:
        value = (value,) if isinstance(value, str) else value
        if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
            raise HarnessError(f"{flag} wants a text or a list of texts, not {value!r}")
        return tuple(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind:
        raise HarnessError(f"{flag} wants {kind.__name__}, not {value!r}")
    if about["choices"] and value not in about["choices"]:
        raise HarnessError(f"{flag} is {value!r}", f"one of {', '.join(about['choices'])}")
    low, high = about["low"], about["high"]
    if low is not None and not low <= value <= high:
        raise HarnessError(f"{flag} is {value}", f"from {low} to {high}")
    return value


def from_project(root: Path) -> dict[str, Any]:
    """What `[tool.py-harness]` of the project's pyproject.toml sets; empty where there is none."""
    path = root / "pyproject.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise HarnessError(f"{path.name} cannot be read: {wrong}", "mend it, or move it") from wrong
    table = data.get("tool", {}).get(TABLE, {})
    found = {str(k).replace("-", "_"): v for k, v in table.items()}
    for name in found:
        if name not in KNOBS:
            raise HarnessError(
                f"pyproject.toml [tool.{TABLE}] has no setting {name!r}",
                f"known: {', '.join(n.replace('_', '-') for n in KNOBS)}",
            )
    return found


def resolve(root: Path, given: Mapping[str, Any]) -> Settings:
    """Settings of a run: what is given first, then the project's table, then the defaults."""
    return Settings(**{**from_project(root), **given})
