"""Owns one exchange between an engine and the small server of the tests, limits scaled down.

Does not cover what is proved of it (`test_engines`, `test_engine_context`, `test_address`).
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from harness import parts
from harness.engines import openai
from harness.errors import EngineError
from harness.model.engine import Engine
from harness.settings import Settings
from harness.types import Message, Reply, Request, Sampling
from tests.misbehaving_server import MODEL, Script, served

FORMS = ("ollama", "openai")
PROPS = {"default_generation_settings": {"n_ctx": 1024}, "build_info": "b1"}
"""What llama.cpp's server says of itself."""
ASKED = "Write a Python function double(n) that returns twice n. Code only, please."


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No address or key of this machine takes part; a proxy stands in the way."""
    for name in (*openai.KEYS, *openai.ADDRESSES, "OLLAMA_HOST", "OLLAMA_API_KEY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")


def made(form: str, url: str, **given: Any) -> Engine:
    """An engine with limits scaled down."""
    base = f"{url}/v1" if form == "openai" else url
    limits = {"silence_s": 1.0, "load_timeout_s": 2.0, "reply_timeout_s": 2.0}
    settings = Settings(**{"model": MODEL, "base_url": base, **limits, **given})
    engine: Engine = parts.load("engines", form).make(settings)
    return engine


def question(kind: Any = "chat", text: str = ASKED, max_tokens: int = 100) -> Request:
    """A request of each kind."""
    sampling = Sampling(max_tokens=max_tokens, stop=("\n\n\n",))
    if kind == "chat":
        return Request(kind, MODEL, sampling, (Message("user", text),))
    return Request(kind, MODEL, sampling, prompt="def double(n):\n    return ", suffix="\n")


def asked(form: str, script: Script, request: Request | None = None, **given: Any) -> Reply:
    """One exchange with a server of that script."""
    with served(script) as url:
        engine = made(form, url, **given)
        try:
            return engine.send(request or question())
        finally:
            engine.close()


def fault(form: str, way: str) -> EngineError:
    """How one exchange fails, within seconds and in one line."""
    start = time.monotonic()
    with pytest.raises(EngineError) as caught:
        asked(form, Script([way]))
    assert time.monotonic() - start < 5
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    return caught.value
