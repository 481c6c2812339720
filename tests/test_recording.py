"""Owns the proof that a recording keeps every exchange, survives a crash, and plays back.

Does not cover servers that misbehave (`test_engines`).
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from harness.engines import ollama, replay
from harness.errors import EngineError, HarnessError
from harness.model.recording import Recorder, canonical, read, sha256_of
from harness.settings import Settings
from harness.types import Message, Request, Sampling
from measure.record.recording import TurnRow
from tests.misbehaving_server import MODEL, WORDS, Script, served

WARM = ("normal",) * 3
"""Questions of a warm-up: the load and two probes."""
SECRET = "AKIA" + "ABCDEFGHIJKLMNOP"


def chat(text: str, purpose: str = "draft 0", temperature: float = 0.0) -> Request:
    """A chat request of one message."""
    sampling = Sampling(temperature=temperature, max_tokens=100)
    return Request("chat", MODEL, sampling, (Message("user", text),), purpose=purpose)


def infill() -> Request:
    """A request for a gap."""
    return Request("infill", MODEL, Sampling(), prompt="a = ", suffix="\n", purpose="infill 1")


def recorded(path: Path, *requests: Request, ways: tuple[str, ...] = ("normal",)) -> Path:
    """A recording of these requests at a server of that script."""
    with served(Script(list(ways))) as url:
        engine = ollama.make(Settings(model=MODEL, base_url=url, silence_s=1.0))
        recorder = Recorder(engine, path, {"run_id": "r1"})
        recorder.warm(lambda text: None)
        for request in requests:
            try:
                recorder.send(request)
            except EngineError:
                continue
        recorder.row("suite", {"status": "green", "seen": frozenset({"b", "a"})})
        recorder.close()
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a recording."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ({"b": 1, "a": [True, None]}, '{"a":[true,null],"b":1}'),
        (
            {"é": '\x07\n"', "\ue000": 1, "\U0001f989": 2},
            '{"é":"\\u0007\\n\\"","🦉":2,"\ue000":1}',
        ),
        ([1.0, 0.7, -0.0, 1e21, 1e-7], "[1,0.7,0,1e+21,1e-7]"),
        ([0.000001, 123456.5, 1e20], "[0.000001,123456.5,100000000000000000000]"),
        (
            [5e-324, 1.5e300, 2.5e-05, 333333333.3333333],
            "[5e-324,1.5e+300,0.000025,333333333.3333333]",
        ),
    ],
)
def test_one_spelling(value: Any, spelled: str) -> None:
    """A JSON value has one spelling, that of RFC 8785: keys in UTF-16 order, ECMAScript numbers."""
    assert canonical(value).decode() == spelled


def test_what_json_cannot_say() -> None:
    """NaN and foreign objects have no spelling."""
    for value in (float("nan"), {"a": object()}):
        with pytest.raises(ValueError, match="no JSON"):
            canonical(value)


def test_a_turn_is_what_the_record_asks_for(tmp_path: Path) -> None:
    """A turn row is the record's TurnRow but for its sample: verbatim, hashed, counted."""
    path = recorded(tmp_path / "run" / "r.jsonl", chat("hello"), infill(), chat("hello"))
    found = [row for row in rows(path) if row["row"] == "turn"]
    for row in found:
        TurnRow.model_validate({**row, "sample": "s1"})
        assert row["request_sha256"] == sha256_of(row["request"])
    assert [row["attempt"] for row in found] == [1, 1, 2]
    assert found[0]["request_sha256"] == found[2]["request_sha256"] != found[1]["request_sha256"]
    assert found[0]["reply"] == "".join(WORDS)
    assert tuple(found[0]["chunks"]) == WORDS
    asked = found[0]["request"]
    assert (asked["engine"], asked["kind"], asked["model_digest"]) == ("ollama", "chat", "d1")
    assert asked["body"]["messages"] == [{"role": "user", "content": "hello"}]
    assert asked["body"]["options"]["num_ctx"] == 8192


def test_head_model_and_own_rows(tmp_path: Path) -> None:
    """A recording says what made it, with which model, and keeps the session's rows in order."""
    found = read(recorded(tmp_path / "r.jsonl", chat("hello")))
    assert (found.head["run_id"], found.head["schema_version"]) == ("r1", 1)
    assert found.model["digest"] == "d1"
    assert [dict(row) for row in found.rows] == [
        {"row": "suite", "status": "green", "seen": ["a", "b"]}
    ]
    assert found.turns[0].purpose == "draft 0"
    assert not found.torn


def test_the_reply_is_on_disk_before_it_is_given_back(tmp_path: Path) -> None:
    """Each line is whole on disk at once; a torn last line is left out and reported."""
    path = recorded(tmp_path / "r.jsonl", chat("one"), chat("two"))
    whole = path.read_bytes().rstrip(b"\n")
    last = whole.rindex(b"\n") + 1
    path.write_bytes(whole[: last + 20])
    found = read(path)
    assert found.torn
    assert len(found.turns) == 2
    assert found.rows == ()


@pytest.mark.parametrize("wrong", [b"{\n", b'["row"]\n', b"\xff\n", b'{"row": "turn"}\n'])
def test_a_broken_line_is_named(tmp_path: Path, wrong: bytes) -> None:
    """A line in the middle that is no row is an error that names it."""
    path = recorded(tmp_path / "r.jsonl", chat("one"))
    first, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(first + b"\n" + wrong + rest)
    with pytest.raises(HarnessError, match=r"r\.jsonl line 2 is no row of a recording"):
        read(path)


def test_an_altered_request_is_found(tmp_path: Path) -> None:
    """A request that no longer matches its hash is named."""
    path = recorded(tmp_path / "r.jsonl", chat("one"))
    path.write_text(path.read_text(encoding="utf-8").replace('"one"', '"two"'), encoding="utf-8")
    with pytest.raises(HarnessError, match="does not match its hash"):
        read(path)


def test_no_recording_is_written_over(tmp_path: Path) -> None:
    """A path that is taken is refused; so is one that is no recording when read."""
    path = tmp_path / "notes.txt"
    path.write_text("mine", encoding="utf-8")
    engine = ollama.make(Settings(model=MODEL))
    with pytest.raises(HarnessError, match="is there already"):
        Recorder(engine, path, {})
    for wrong in (path, tmp_path / "none", tmp_path):
        with pytest.raises(HarnessError):
            read(wrong)
    assert path.read_text(encoding="utf-8") == "mine"


def test_no_secret_is_kept(tmp_path: Path) -> None:
    """Secrets of prompts and of rows are written by their kind, and the turn is marked."""
    path = recorded(tmp_path / "r.jsonl", chat(f"key = {SECRET}"))
    text = path.read_text(encoding="utf-8")
    assert SECRET not in text
    assert "key = <secret: AWS access key>" in text
    about = next(row for row in rows(path) if row["row"] == "about")
    assert about["secrets"] == ["AWS access key"]
    player = replay.make_from(path)
    assert player.send(chat(f"key = {SECRET}")).text == "".join(WORDS)


def test_no_path_no_file(tmp_path: Path) -> None:
    """Without a path the recorder only passes on."""
    with served(Script()) as url:
        recorder = Recorder(ollama.make(Settings(model=MODEL, base_url=url)), None, {})
        assert recorder.send(chat("hello")).text
        recorder.row("suite", {})
        with pytest.raises(ValueError, match="recorder itself"):
            recorder.row("turn", {})
    assert list(tmp_path.iterdir()) == []


def test_a_replay_answers_as_it_was(tmp_path: Path) -> None:
    """Equal requests are answered in their order, with their pieces, and nothing is left."""
    path = recorded(tmp_path / "r.jsonl", chat("a"), infill(), chat("a"))
    player, pieces = replay.make(Settings(base_url=str(path), num_ctx=512)), list[str]()
    first = player.send(chat("a"), pieces.append)
    player.send(infill())
    assert [row.attempt for row in player.unused()] == [2]
    player.send(chat("a"))
    assert player.unused() == []
    assert first.text == "".join(pieces) == "".join(WORDS)
    assert first.body["options"]["num_ctx"] == 8192
    assert player.info().digest == "d1"
    assert player.warm(print) == player.info()
    assert player.models() == (MODEL,)


def test_same_seed_another_text_is_kept_apart(tmp_path: Path) -> None:
    """The same request may bring another text: the attempt tells them apart, not the seed."""
    path = recorded(
        tmp_path / "r.jsonl", chat("a"), chat("a"), ways=(*WARM, "normal", "think-tags")
    )
    player = replay.make_from(path)
    replies = [player.send(chat("a")).text for _ in range(2)]
    assert replies[0] != replies[1]
    assert replies[1].startswith("so")


def test_an_unmatched_request_is_named(tmp_path: Path) -> None:
    """A request that was never made names itself and the next turn that is left."""
    path = recorded(tmp_path / "r.jsonl", chat("a"), chat("b", "draft 1"))
    player = replay.make_from(path)
    player.send(chat("a"))
    with pytest.raises(EngineError) as caught:
        player.send(chat("c", "repair 1"))
    assert caught.value.kind == "unmatched"
    assert caught.value.message == (
        "request 2 (repair 1) is not in the recording r.jsonl: the helper asks otherwise now; "
        "next unused in the recording: turn 1 (draft 1)"
    )
    with pytest.raises(EngineError, match="asked 1 times then, and now once more"):
        player.send(chat("a"))


def test_a_warmer_request_is_another(tmp_path: Path) -> None:
    """Every option is part of the hash."""
    player = replay.make_from(recorded(tmp_path / "r.jsonl", chat("a")))
    with pytest.raises(EngineError, match="is not in the recording"):
        player.send(chat("a", temperature=0.7))


def test_a_failure_plays_back_as_itself(tmp_path: Path) -> None:
    """A request that failed then fails now, in the same words."""
    path = recorded(tmp_path / "r.jsonl", chat("a"), chat("a"), ways=(*WARM, "broken", "normal"))
    player = replay.make_from(path)
    with pytest.raises(EngineError, match="something inside broke") as caught:
        player.send(chat("a"))
    assert caught.value.kind == "refused"
    assert player.send(chat("a")).text == "".join(WORDS)


def test_a_recording_of_a_replay_is_the_same(tmp_path: Path) -> None:
    """Played through a recorder, a recording brings the same requests, hashes and replies."""
    path = recorded(tmp_path / "r.jsonl", chat("a"), infill())
    again = Recorder(replay.make_from(path), tmp_path / "again.jsonl", {})
    again.send(chat("a"))
    again.send(infill())
    again.close()

    def kept(path: Path) -> list[dict[str, Any]]:
        return [dataclasses.asdict(turn) for turn in read(path).turns]

    assert kept(tmp_path / "again.jsonl") == kept(path)


def test_a_replay_needs_a_path() -> None:
    """Without a path it says which flag is missing."""
    with pytest.raises(HarnessError, match="--base-url"):
        replay.make(Settings())
