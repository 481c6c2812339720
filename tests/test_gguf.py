"""Owns the proof that a model file is fetched, read and imported with the template it needs.

Does not cover models that a server has itself (`test_engines`).
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.commands.import_gguf import KNOWN
from harness.engines import ollama
from harness.errors import HarnessError
from harness.model import gguf
from harness.settings import Settings
from harness.types import Message, Request, Sampling
from tests.file_server import Files, serving
from tests.misbehaving_server import Script, served

CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}{% endfor %}"
FIM = ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Files, str]]:
    """A file server and its address; a proxy stands in the way."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with serving() as found:
        yield found


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    strings = b"".join(_text(item) for item in value)
    return struct.pack("<IIQ", 9, 8, len(value)) + strings


def made(path: Path, chat: str = CHATML, tokens: Sequence[str] = FIM, version: int = 3) -> Path:
    """A small GGUF file of one tensor."""
    metadata: dict[str, Any] = {
        "general.architecture": "qwen2",
        "general.name": "Tiny",
        "general.file_type": 15,
        "qwen2.context_length": 2048,
        "tokenizer.ggml.tokens": [*(f"t{i}" for i in range(100)), *tokens],
    }
    if chat:
        metadata["tokenizer.chat_template"] = chat
    head = b"GGUF" + struct.pack("<IQQ", version, 1, len(metadata))
    head += b"".join(_text(key) + _value(value) for key, value in metadata.items())
    head += _text("w") + struct.pack("<IQIQ", 1, 8, 0, 0)
    path.write_bytes(head + b"\0" * (-len(head) % 32) + b"\1" * 32)
    return path


def test_a_header_is_read(tmp_path: Path) -> None:
    """Name, architecture, quantisation, context, template and infill tokens come from the file."""
    header = gguf.read(made(tmp_path / "tiny.gguf"))
    assert (header.architecture, header.text("general.name")) == ("qwen2", "Tiny")
    assert (header.quantization, header.context_length) == ("Q4_K_M", 2048)
    assert (header.chat_template, header.gap) == (CHATML, FIM)
    assert header.tensors == 1


@pytest.mark.parametrize("length", [3, 20, 200, -32, -1])
def test_a_file_that_is_cut_off(tmp_path: Path, length: int) -> None:
    """A file that ends early is refused, wherever it ends before its weights begin."""
    path = made(tmp_path / "tiny.gguf")
    path.write_bytes(path.read_bytes()[:length])
    if length == -1:
        assert gguf.read(path).tensors == 1
        return
    with pytest.raises(HarnessError, match=r"tiny\.gguf is (?:cut off or damaged|no GGUF file)"):
        gguf.read(path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<html>Sign in</html>", "is no GGUF file"),
        (b"GGUF\x01\x00\x00\x00", "is GGUF version 1"),
        (b"GGUF\x03\x00\x00\x00" + b"\xff" * 64, "is cut off or damaged"),
    ],
)
def test_a_file_that_is_another(tmp_path: Path, data: bytes, said: str) -> None:
    """A web page, an old version and noise each have their line."""
    path = tmp_path / "x.gguf"
    path.write_bytes(data)
    with pytest.raises(HarnessError, match=said):
        gguf.read(path)
    with pytest.raises(HarnessError, match="cannot be read"):
        gguf.read(tmp_path / "none.gguf")


@pytest.mark.parametrize(
    ("chat", "tokens", "family", "infill"),
    [
        (CHATML, FIM, "chatml", "<|fim_prefix|>{{ .Prompt }}<|fim_suffix|>{{ .Suffix }}"),
        ("", ("<|im_start|>", *FIM), "chatml", "<|fim_middle|>{{ else }}"),
        ("x <|start_header_id|> y", (), "llama3", ""),
        ("x <start_of_turn> y", FIM, "gemma", "<|fim_prefix|>{{ .Prompt }}"),
        ("### Instruction: x", ("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
         "instruction", "<｜fim▁begin｜>{{ .Prompt }}<｜fim▁hole｜>{{ .Suffix }}<｜fim▁end｜>"),
        ("### Instruction", ("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
         "instruction", "<fim_prefix>{{ .Prompt }}<fim_suffix>{{ .Suffix }}<fim_middle>"),
        ("[INST] x", ("▁<PRE>", "▁<SUF>", "▁<MID>"),
         "inst", "<PRE> {{ .Prompt }} <SUF>{{ .Suffix }} <MID>"),
        ("<|user|><|assistant|><|end|>", (), "phi3", ""),
        ("<|user|><|assistant|></s>", (), "", ""),
        ("", (), "", ""),
    ],
)  # fmt: skip
def test_each_family_has_its_template(
    tmp_path: Path, chat: str, tokens: tuple[str, ...], family: str, infill: str
) -> None:
    """The file's own words choose the template; infill stands in it where the tokens are there."""
    found = gguf.template(gguf.read(made(tmp_path / "x.gguf", chat, tokens)))
    assert found.family == family
    assert infill in found.text
    assert found.infills == bool(infill)
    assert bool(found.text) == bool(found.stops) == bool(family)


def test_a_wish_goes_before_the_files_words(tmp_path: Path) -> None:
    """`chatml` and `none` are obeyed."""
    header = gguf.read(made(tmp_path / "x.gguf", "[INST]"))
    assert gguf.template(header, "chatml").family == "chatml"
    assert gguf.template(header, "none") == gguf.Template()


def test_templates_are_balanced() -> None:
    """Every block of a template is closed, so that the server can read it."""
    for family in gguf.FAMILIES:
        opened = len(re.findall(r"\{\{-? *(?:if|range)\b", family.chat))
        assert opened == len(re.findall(r"\{\{-? *end\b", family.chat)), family.name


def test_an_import_has_the_template_and_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is uploaded, created with its template and stops, asked for a word and a gap."""
    path = made(tmp_path / "Tiny One.gguf")
    script = Script()
    with served(script) as url:
        assert main(["import-gguf", str(path), "--base-url", url]) == 0
    created = script.created[0]
    digest = f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    assert (created["model"], created["files"]) == ("tiny-one", {"Tiny One.gguf": digest})
    assert script.blobs[digest] == path.read_bytes()
    assert created["template"].startswith("{{- if .Suffix }}<|fim_prefix|>")
    assert created["parameters"] == {"stop": ["<|im_start|>", "<|im_end|>"]}
    said = capsys.readouterr().out
    assert "chat template: chatml; with an infill part" in said
    assert "tiny-one: Q4_K_M, can chat and infill" in said
    assert "asked for one word it says: 'def double(n): return n * 2'" in said


@pytest.mark.parametrize(("chat", "wish"), [(CHATML, "none"), ("", "auto")])
def test_a_bare_import_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], chat: str, wish: str
) -> None:
    """A model that is left without a template is said to be, before and after; exit code 1."""
    path = made(tmp_path / "x.gguf", chat)
    with served(Script()) as url:
        words = ["import-gguf", str(path), "--base-url", url, "--template", wish]
        assert main(words) == 1
    said = capsys.readouterr().out
    assert "chat template: none; the model would go on with a text" in said
    assert "it is imported, but: x has no chat template" in said


def test_no_create_and_an_address(
    tmp_path: Path, files: tuple[Files, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """An address is fetched into the cache and read; --no-create leaves it there."""
    source, url = files
    source.data = made(tmp_path / "x.gguf").read_bytes()
    cache = tmp_path / "cache"
    assert main(["import-gguf", url, "--no-create", "--cache", str(cache)]) == 0
    assert (cache / "x.gguf").read_bytes() == source.data
    assert f"kept at {cache / 'x.gguf'}" in capsys.readouterr().out


def test_an_import_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the server says is passed on in one line; exit code 3. So is a server that is down."""
    path = made(tmp_path / "x.gguf")
    with served(Script(["create-fails"])) as url:
        assert main(["import-gguf", str(path), "--base-url", url]) == 3
    assert "broke off with an error: unsupported architecture" in capsys.readouterr().err
    assert main(["import-gguf", str(path), "--base-url", "http://127.0.0.1:1"]) == 3
    assert "no Ollama answers at http://127.0.0.1:1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "wants a file, or --name"),
        (["x.gguf", "--name", "opencoder"], "wants a file, or --name"),
        (["--name", "nope"], "one of opencoder, swe-agent-lm; or give a file"),
        (["none.gguf"], "there is no file none.gguf"),
        (["--all", "--model-name", "x"], "--model-name and --sha256 are for one model"),
        (["m-00001-of-00003.gguf"], "the file is one part of several"),
        (["http://"], "is no address of a file"),
    ],
)
def test_wrong_words(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each mistake on the command line has its line and exit code 2."""
    assert main(["import-gguf", *words]) == 2
    assert said in capsys.readouterr().err


def test_known_names_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """--list names every known model and its licence; the address carries the quantisation."""
    assert main(["import-gguf", "--list"]) == 0
    said = capsys.readouterr().out
    for name, known in KNOWN.items():
        assert name in said
        assert known.licence in said
        assert known.url("Q8_0").endswith(".gguf")
        assert "Q8_0" in known.url("Q8_0")


@pytest.mark.skipif(
    not (os.environ.get("PY_HARNESS_LIVE") and os.environ.get("PY_HARNESS_LIVE_GGUF")),
    reason="needs a real Ollama and a file",
)
def test_a_real_import(capsys: pytest.CaptureFixture[str]) -> None:
    """A real file answers and fills a gap after its import; a bare one is noticed."""
    path, name = os.environ["PY_HARNESS_LIVE_GGUF"], "import-check:latest"
    engine = ollama.make(Settings(model=name))
    try:
        assert main(["import-gguf", path, "--model-name", name]) == 0
        assert "can chat and infill" in capsys.readouterr().out
        asked = (Message("user", "Answer with the one word: yes"),)
        reply = engine.send(Request("chat", name, Sampling(max_tokens=8), asked))
        assert "yes" in reply.text.lower()
        assert main(["import-gguf", path, "--model-name", name, "--template", "none"]) == 1
    finally:
        engine.delete()
    assert name not in engine.models()
