"""Owns a session's recording: every exchange with a model, and the session's own rows, as JSONL.

Does not cover how an exchange is played back (`engines/replay`) nor where a run keeps its files.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import platform
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from harness.errors import EngineError, HarnessError
from harness.model import secrets
from harness.model.engine import Engine, Tell
from harness.model.stream import OnChunk, now
from harness.types import ModelInfo, Reply, Request, Usage

SCHEMA_VERSION = 1
OWN_ROWS = frozenset({"head", "model", "turn", "about", "failed"})


def canonical(body: Any) -> bytes:
    """The one spelling of a JSON value, RFC 8785; ValueError for what JSON cannot say."""
    return _spelled(body).encode("utf-8")


def sha256_of(body: Any) -> str:
    """`sha256:` and the hash of a JSON value's one spelling."""
    return f"sha256:{hashlib.sha256(canonical(body)).hexdigest()}"


def _spelled(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_spelled(v) for v in value)}]"
    if isinstance(value, Mapping):
        keys = sorted(value, key=lambda k: str(k).encode("utf-16-be", "surrogatepass"))
        return f"{{{','.join(f'{_spelled(str(k))}:{_spelled(value[k])}' for k in keys)}}}"
    raise ValueError(f"{type(value).__name__} is no JSON value")


def _number(value: float) -> str:
    """A float as ECMAScript spells it."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no JSON number")
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits
    power = int(exponent)
    if -7 < power < 0:
        return f"{value:.{len(digits.replace('.', '').lstrip('-')) - 1 - power}f}"
    return f"{digits.removesuffix('.0')}e{power:+d}"


@dataclass(frozen=True)
class Turn:
    """One exchange, as a recording holds it."""

    turn: int
    """0-based within the recording."""
    request: Mapping[str, Any]
    """engine, kind, body and model_digest; secrets taken out."""
    request_sha256: str
    """Over `request`."""
    attempt: int
    """1 for the first request with this hash, 2 for the second."""
    reply: str
    chunks: tuple[str, ...]
    finish_reason: str
    usage: Usage
    volatile: Mapping[str, Any]
    """started_at, duration_s, load_s."""
    purpose: str = ""
    thinking: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failure:
    """One request that ended in an EngineError."""

    request_sha256: str
    attempt: int
    kind: str
    message: str
    hint: str


@dataclass(frozen=True)
class Recording:
    """A recording that was read back."""

    path: Path
    head: Mapping[str, Any]
    model: Mapping[str, Any]
    """ModelInfo's fields; empty where the model was never asked about."""
    turns: tuple[Turn, ...]
    failures: tuple[Failure, ...]
    rows: tuple[Mapping[str, Any], ...]
    """The session's own rows, in order."""
    torn: bool = False
    """Whether the last line was cut off by a crash; it is left out."""


def request_row(
    engine: str, kind: str, body: Mapping[str, Any], digest: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What stands for a request in a recording and is hashed; and the kinds of its secrets."""
    whole = {"engine": engine, "kind": kind, "body": dict(body), "model_digest": digest}
    cleaned, kinds = _cleaned(whole)
    return dict(cleaned), kinds


def _cleaned(value: Any) -> tuple[Any, tuple[str, ...]]:
    """A JSON-like value without secrets, and their kinds."""
    if isinstance(value, str):
        return secrets.redact(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    if isinstance(value, Mapping):
        pairs = [(key, _cleaned(item)) for key, item in value.items()]
        return {k: v for k, (v, _) in pairs}, _kinds([found for _, (_, found) in pairs])
    if isinstance(value, (set, frozenset)):
        value = sorted(value)
    if isinstance(value, (list, tuple)):
        items = [_cleaned(item) for item in value]
        return [item for item, _ in items], _kinds([found for _, found in items])
    plain = value is None or isinstance(value, (bool, int, float))
    return (value if plain else str(value)), ()


def _kinds(found: list[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(kind for kinds in found for kind in kinds))


class Recorder:
    """An engine that writes down what passes through it; with no path it only passes it on."""

    def __init__(self, engine: Engine, path: Path | None, head: Mapping[str, Any]) -> None:
        self.engine = engine
        self.name = engine.name
        self.path = path
        self.turns = 0
        """Exchanges so far that brought a reply."""
        self._attempts: Counter[str] = Counter()
        self._model: ModelInfo | None = None
        self._out: IO[bytes] | None = _created(path) if path else None
        self._write(
            "head",
            {
                "schema_version": SCHEMA_VERSION,
                "kind": "recording",
                "started_at": now(),
                "python": platform.python_version(),
                "platform": f"{platform.system()} {platform.machine()}",
                **head,
            },
        )

    def info(self) -> ModelInfo:
        """As the engine says; written down when it is new."""
        return self._noted(self.engine.info())

    def models(self) -> tuple[str, ...]:
        """As the engine says."""
        return self.engine.models()

    def warm(self, tell: Tell) -> ModelInfo:
        """As the engine does; what it says of the model is written down."""
        return self._noted(self.engine.warm(tell))

    def body(self, request: Request) -> dict[str, Any]:
        """As the engine builds it."""
        return self.engine.body(request)

    def close(self) -> None:
        """Close the engine and the recording."""
        self.engine.close()
        if self._out:
            self._out.close()
            self._out = None

    def send(self, request: Request, on_chunk: OnChunk | None = None) -> Reply:
        """Ask through the engine; the exchange is on disk before the reply is given back."""
        if self._model is None:
            self.info()
        try:
            reply = self.engine.send(request, on_chunk)
        except EngineError as wrong:
            self._failed(request, wrong.kind, wrong.message, wrong.hint)
            raise
        except BaseException as stopped:
            self._failed(request, "stopped", type(stopped).__name__, "")
            raise
        self._turn(request, reply)
        return reply

    def row(self, kind: str, data: Mapping[str, Any]) -> None:
        """Write one row of the session's own; `kind` is none of the recording's."""
        if kind in OWN_ROWS:
            raise ValueError(f"{kind} rows are written by the recorder itself")
        self._write(kind, data)

    def _noted(self, info: ModelInfo) -> ModelInfo:
        if info != self._model:
            self._model = info
            self._write("model", dataclasses.asdict(info))
        return info

    def _asked(
        self, request: Request, body: Mapping[str, Any]
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        digest = self._model.digest if self._model else ""
        asked, kinds = request_row(self.name, request.kind, body, digest)
        mark = sha256_of(asked)
        self._attempts[mark] += 1
        attempt = self._attempts[mark]
        return {"request": asked, "request_sha256": mark, "attempt": attempt}, kinds

    def _turn(self, request: Request, reply: Reply) -> None:
        asked, kinds = self._asked(request, reply.body)
        text, found = secrets.redact(reply.text)
        times = {
            "started_at": reply.started_at or now(),
            "duration_s": reply.duration_s,
            "load_s": reply.load_s,
        }
        turn = {
            "turn": self.turns,
            **asked,
            "reply": text,
            # A secret may lie across two pieces, so that no piece shows it.
            "chunks": [text] if found else list(reply.chunks),
            "finish_reason": reply.finish,
            "usage": dataclasses.asdict(reply.usage),
            "volatile": times,
        }
        about = {
            "turn": self.turns,
            "purpose": request.purpose,
            "thinking": reply.thinking,
            "warnings": list(reply.warnings),
            "secrets": list(dict.fromkeys((*kinds, *found))),
        }
        self._write("about", about)
        self._write("turn", turn)
        self.turns += 1

    def _failed(self, request: Request, kind: str, message: str, hint: str) -> None:
        try:
            body = self.engine.body(request)
        except EngineError:
            body = {}
        asked, _ = self._asked(request, body)
        self._write("failed", {**asked, "kind": kind, "message": message, "hint": hint})

    def _write(self, kind: str, data: Mapping[str, Any]) -> None:
        if not self._out:
            return
        cleaned, _ = _cleaned({"row": kind, **data})
        line = json.dumps(cleaned, ensure_ascii=False)
        if any("\ud800" <= sign <= "\udfff" for sign in line):
            line = json.dumps(cleaned)
        self._out.write(line.encode("utf-8") + b"\n")
        self._out.flush()


def _created(path: Path) -> IO[bytes]:
    """A new file; HarnessError where it is there already or cannot be made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("xb")
    except FileExistsError as wrong:
        raise HarnessError(f"{path} is there already", "give another path to --record") from wrong
    except OSError as wrong:
        raise HarnessError(
            f"{path} cannot be written: {wrong.strerror}", "give another path to --record"
        ) from wrong


def read(path: Path) -> Recording:
    """A recording read back; HarnessError names the line that is broken or was altered."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as wrong:
        raise HarnessError(
            f"the recording {path} cannot be read: {wrong.strerror}", "check its path"
        ) from wrong
    rows, torn = [], False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append((number, _row(line)))
        except ValueError as wrong:
            torn = number == len(lines)
            if not torn:
                raise _broken(path, number, str(wrong)) from wrong
    if not rows or rows[0][1]["row"] != "head":
        raise _broken(path, 1, "no head row")
    return _recording(path, rows, torn)


def _row(line: bytes) -> dict[str, Any]:
    row = json.loads(line.decode("utf-8"))
    if not isinstance(row, dict) or not isinstance(row.get("row"), str):
        raise ValueError("no object with a row field")
    return row


def _broken(path: Path, number: int, why: str) -> HarnessError:
    return HarnessError(
        f"{path.name} line {number} is no row of a recording: {why}",
        "it was altered or is no recording; take the copy that the run kept",
    )


def _recording(path: Path, rows: list[tuple[int, dict[str, Any]]], torn: bool) -> Recording:
    about: dict[int, dict[str, Any]] = {}
    model: Mapping[str, Any] = {}
    turns, failures, own = [], [], []
    for number, row in rows[1:]:
        try:
            if row["row"] == "turn":
                turns.append(_read_turn(row, about.get(row["turn"], {})))
            elif row["row"] == "failed":
                failures.append(_fields(Failure, row))
            elif row["row"] == "about":
                about[row["turn"]] = row
            elif row["row"] == "model":
                model = {k: v for k, v in row.items() if k != "row"}
            else:
                own.append(row)
        except (KeyError, TypeError, ValueError) as wrong:
            raise _broken(path, number, str(wrong)) from wrong
    head = rows[0][1]
    return Recording(path, head, model, tuple(turns), tuple(failures), tuple(own), torn)


def _fields(kind: type[Failure], row: Mapping[str, Any]) -> Failure:
    return kind(**{f.name: row[f.name] for f in dataclasses.fields(kind)})


def _read_turn(row: Mapping[str, Any], about: Mapping[str, Any]) -> Turn:
    if sha256_of(row["request"]) != row["request_sha256"]:
        raise ValueError("its request does not match its hash")
    return Turn(
        turn=row["turn"],
        request=row["request"],
        request_sha256=row["request_sha256"],
        attempt=row["attempt"],
        reply=row["reply"],
        chunks=tuple(row.get("chunks", ())),
        finish_reason=row["finish_reason"],
        usage=Usage(**row["usage"]),
        volatile=row["volatile"],
        purpose=about.get("purpose", ""),
        thinking=about.get("thinking", ""),
        warnings=tuple(about.get("warnings", ())),
    )
