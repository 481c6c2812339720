"""Owns the proof that addresses are understood, and that no key, secret or project goes astray.

Does not cover what a secret looks like (`test_secrets`).
"""

from __future__ import annotations

from typing import Any

import pytest

from harness.engines import ollama, openai
from harness.errors import EngineError, HarnessError
from harness.model.engine import Engine
from harness.settings import Settings
from tests.exchange import (
    ASKED,
    FORMS,
    bare_environment,  # noqa: F401
    made,
    question,
)
from tests.misbehaving_server import Script, served


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key goes into the header alone: no error, body, warning or repr holds it."""
    key = "sk-secret-of-this-test"
    monkeypatch.setenv("PY_HARNESS_API_KEY", key)
    script = Script(["no-key", "leaky", "normal"])
    with served(script) as url:
        engine = made("openai", url)
        shown = [repr(engine), str(vars(engine).get("_opened"))]
        for _ in range(2):
            with pytest.raises(EngineError) as caught:
                engine.send(question())
            shown += [str(caught.value), repr(caught.value), repr(caught.value.__cause__)]
        reply = engine.send(question())
    assert script.seen[0][2]["Authorization"] == f"Bearer {key}"
    assert not any(key in text for text in [*shown, repr(reply)])
    assert "did not take the key" in shown[2]


def remote(form: str, **given: Any) -> Engine:
    """An engine for a host outside; its name resolves to nothing."""
    return made(form, "https://models.example.invalid", **given)


@pytest.mark.parametrize("form", FORMS)
def test_no_secret_leaves_this_machine(form: str) -> None:
    """A prompt with a secret is refused before a connection, its kind named, not its value."""
    value = "AKIA" + "ABCDEFGHIJKLMNOP"
    with pytest.raises(EngineError) as caught:
        remote(form).send(question(text=f"key = '{value}'"))
    assert caught.value.kind == "secret"
    assert "AWS access key" in str(caught.value)
    assert value not in str(caught.value)


@pytest.mark.parametrize("form", FORMS)
def test_no_whole_project_leaves_this_machine(form: str) -> None:
    """More than 200,000 characters go to no host outside."""
    with pytest.raises(EngineError, match="at most 200,000 go to models"):
        remote(form, num_ctx=1_000_000).send(question(text="word " * 40_001))


def test_what_is_sent_away_is_told() -> None:
    """A person sees how many characters go to which host, and why a name of Ollama's fails."""
    told: list[str] = []
    engine = remote("openai", model="llama3.1:8b")
    with pytest.raises(EngineError):
        engine.warm(told.append)
    with pytest.raises(EngineError):
        engine.send(question())
    assert told == [f"{len(ASKED)} characters go to models.example.invalid"]
    assert isinstance(engine, openai.OpenAI)
    assert "looks like a name of Ollama's" in engine._not_there(()).hint


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("127.0.0.1:1234", "http://127.0.0.1:1234"),
        (":1234", "http://127.0.0.1:1234"),
        ("box", "http://box:11434"),
        ("http://box", "http://box:80"),
        ("https://box/", "https://box:443"),
        ("https://box:1/path", "https://box:1/path"),
        ("::1", "http://[::1]:11434"),
        ("[::]:99", "http://[::1]:99"),
    ],
)
def test_addresses_of_ollama(given: str, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every form that OLLAMA_HOST may have is understood; --base-url comes first."""
    monkeypatch.setenv("OLLAMA_HOST", given)
    assert ollama.make(Settings()).address == found
    assert ollama.make(Settings(base_url="http://a:1")).address == "http://a:1"


def test_addresses_of_the_openai_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of flag and environment counts; /v1 is added where no path is given."""
    assert openai.make(Settings()).address == "http://127.0.0.1:8080/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "https://b/api/")
    assert openai.make(Settings()).address == "https://b/api"
    monkeypatch.setenv("PY_HARNESS_BASE_URL", "box:8080")
    assert openai.make(Settings()).address == "http://box:8080/v1"
    for wrong in ("ftp://x", "http://", "http://x:port"):
        with pytest.raises(HarnessError, match="is no address"):
            openai.make(Settings(base_url=wrong))
    with pytest.raises(HarnessError, match="is no address"):
        ollama.make(Settings(base_url="http://x:port"))
