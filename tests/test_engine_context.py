"""Owns the proof that a prompt is read whole: contexts, templates, gaps, spellings of a body.

Does not cover a server's plain faults (`test_engines`).
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from harness.engines import replay
from harness.errors import EngineError
from harness.model import engine as rules
from harness.model.recording import Recorder
from harness.types import Usage
from tests.exchange import (
    FORMS,
    PROPS,
    asked,
    bare_environment,  # noqa: F401
    made,
    question,
)
from tests.misbehaving_server import MODEL, WORDS, Script, served


@pytest.mark.parametrize("form", FORMS)
def test_a_prompt_that_cannot_fit_is_not_sent(form: str) -> None:
    """Too long a prompt is refused before the server could drop its start in silence."""
    script = Script()
    with pytest.raises(EngineError) as caught:
        asked(form, script, question(text="one two " * 300), num_ctx=640)
    assert str(caught.value) == (
        "the prompt has at least 600 tokens and its reply up to 100, but the context holds 640 "
        "(raise --num-ctx, lower --max-tokens, or name fewer files)"
    )
    assert script.seen == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [511, 512, 60])
def test_a_dropped_start_is_noticed(form: str, count: int) -> None:
    """A count at the context's size, or far below what the prompt needs, gives it away."""
    script = Script(prompt_tokens=count)
    reply = asked(form, script, question(text="one two " * 150), num_ctx=512)
    assert len(reply.warnings) == 1
    assert "the server dropped the start of the prompt" in reply.warnings[0]


def test_counts_without_the_cache_are_no_alarm() -> None:
    """A server that leaves out cached tokens is found out by the warm-up and believed."""
    small = rules.count_warnings(question(), Usage(3, 9), 8192, all_counted=False)
    assert small == ()
    assert rules.count_warnings(question(), Usage(3, 9), 8192)
    assert (
        "full before the reply ended" in rules.count_warnings(question(), Usage(100, 412), 512)[0]
    )


def test_a_smaller_served_context_is_told() -> None:
    """A server that gives less than was asked for is believed, and it is said."""
    told: list[str] = []
    script = Script(loaded={MODEL: 2048})
    with served(script) as url:
        engine = made("ollama", url, num_ctx=4096)
        assert engine.warm(told.append).served_context == 2048
        assert "the server gives a context of 2048 tokens, not 4096" in told
        with pytest.raises(EngineError, match="the context holds 2048"):
            engine.send(question(text="one two " * 1000))


def test_llama_cpp_says_its_context() -> None:
    """The context that llama.cpp's server serves is read and kept; it cannot be set."""
    told: list[str] = []
    with served(Script(props=PROPS)) as url:
        engine = made("openai", url)
        info = engine.warm(told.append)
        assert (info.server, info.served_context, info.can_infill) == ("llama.cpp b1", 1024, True)
        assert "the server gives 1024 tokens of context; it cannot be set here" in told
        with pytest.raises(EngineError, match="the context holds 1024"):
            engine.send(question(text="one two " * 500))


def test_other_servers_cannot_infill() -> None:
    """Only llama.cpp's own endpoint takes a gap, and only of a model that has the tokens."""
    for script in (Script(), Script(props=PROPS, infills=False)):
        with served(script) as url:
            engine = made("openai", url)
            assert not engine.warm(lambda text: None).can_infill
            with pytest.raises(EngineError, match="cannot fill a gap with tiny:1b"):
                engine.send(question("infill"))
        assert not any(body.get("input_prefix") == "def double(n):" for _, body, _ in script.seen)


def test_a_gap_is_spelled_with_the_models_tokens(tmp_path: Path) -> None:
    """The endpoint for a gap reads little before it; so its tokens are learnt and written out."""
    script = Script(props=PROPS, gap="<|fim_prefix|>x<|fim_suffix|>y<|fim_middle|>")
    path = tmp_path / "r.jsonl"
    with served(script) as url:
        recorder = Recorder(made("openai", url), path, {})
        recorder.warm(lambda text: None)
        recorder.send(question("infill"))
    where, body, _ = script.seen[-1]
    assert where == "/v1/completions"
    assert body["prompt"] == (
        "<|fim_prefix|>def double(n):\n    return <|fim_suffix|>\n<|fim_middle|>"
    )
    assert replay.make_from(path).send(question("infill")).text == "".join(WORDS)


def test_a_model_without_template_is_refused() -> None:
    """A model that would only go on with the text is named before the first question."""
    with served(Script(template="{{ .Prompt }}")) as url, pytest.raises(EngineError) as caught:
        made("ollama", url).warm(lambda text: None)
    assert caught.value.kind == "template"
    assert "import-gguf FILE --template auto" in caught.value.hint


def test_a_template_that_adds_nothing_is_found_by_its_count() -> None:
    """A probe whose count is that of its words alone gives a missing template away."""
    least = rules.least_tokens("Answer with this one word and nothing else: ready")
    with served(Script(prompt_tokens=least + 1)) as url, pytest.raises(EngineError) as caught:
        made("ollama", url).warm(lambda text: None)
    assert caught.value.kind == "template"


def test_a_server_without_stream_options() -> None:
    """A body that is refused is spelled otherwise, once, and the reply keeps what was sent."""
    script = Script(["no-stream-options"])
    with served(script) as url:
        engine = made("openai", url)
        assert "stream_options" not in engine.send(question()).body
        engine.send(question())
    assert len(script.seen) == 3
    reply = asked("openai", Script(["no-max-tokens"]))
    assert reply.body["max_completion_tokens"] == 100


def test_a_reply_that_is_not_streamed() -> None:
    """A server that answers in one JSON object is read as well."""
    assert asked("openai", Script(["whole"])).text == "".join(WORDS)


def test_a_server_without_a_list_of_models() -> None:
    """No /v1/models: the model is asked all the same."""
    with served(Script(listed=False)) as url:
        engine = made("openai", url)
        assert engine.models() == ()
        engine.warm(lambda text: None)
        assert engine.send(question()).text


def test_too_many_requests_are_waited_for() -> None:
    """429 with Retry-After is obeyed."""
    start = time.monotonic()
    assert asked("openai", Script(["too-many", "normal"]), load_timeout_s=5.0).text
    assert time.monotonic() - start >= 1
