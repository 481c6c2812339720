"""Owns the proof that each engine survives a server that misbehaves, and says so in one line.

Does not cover contexts and templates (`test_engine_context`), addresses and keys (`test_address`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import parts
from harness.engines import ollama
from harness.errors import EngineError
from harness.model import stream
from harness.model.engine import Engine
from harness.settings import Settings
from harness.types import Request
from tests.exchange import (
    FORMS,
    PROPS,
    asked,
    bare_environment,  # noqa: F401
    fault,
    made,
    question,
)
from tests.misbehaving_server import MODEL, WORDS, Script, served


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["chat", "complete", "infill"])
def test_a_reply_is_put_together(form: str, kind: str) -> None:
    """Each kind of request brings the text, its pieces, counts, and the body that was sent."""
    script, heard = Script(props=PROPS), list[str]()
    with served(script) as url:
        engine = made(form, url)
        reply = engine.send(question(kind), heard.append)
    assert reply.text == "".join(WORDS)
    assert tuple(heard) == reply.chunks == WORDS
    assert (reply.finish, reply.usage.input_tokens) == ("stop", 40)
    assert reply.warnings == ()
    sent = script.seen[-1][1]
    assert {k: v for k, v in sent.items() if k in reply.body} == reply.body
    assert not any(v for k, v in sent.items() if k not in reply.body)


def test_one_context_for_every_request() -> None:
    """Warm-up, chat, completion and infill name the same context, so that nothing reloads."""
    script = Script()
    with served(script) as url:
        engine = made("ollama", url, num_ctx=3072)
        engine.warm(lambda text: None)
        for kind in ("chat", "complete", "infill"):
            engine.send(question(kind))
    assert len(script.seen) == 6
    for _, body, _ in script.seen:
        assert body["options"]["num_ctx"] == 3072
        assert body["keep_alive"] == "10m"


def test_the_output_is_capped_and_the_seed_sent() -> None:
    """Every option of the sampling reaches both servers under their own names."""
    for form in FORMS:
        body = made(form, "http://127.0.0.1:1").body(question("complete"))
        options = body.get("options", body)
        cap = "num_predict" if form == "ollama" else "max_tokens"
        assert (options[cap], options["seed"], options["temperature"]) == (100, 0, 0.0)
        assert options["stop"] == ["\n\n\n"]


@pytest.mark.parametrize("form", FORMS)
def test_no_proxy_stands_before_this_machine(form: str) -> None:
    """A proxy in the environment is passed by for a loopback address."""
    assert asked(form, Script()).text


@pytest.mark.parametrize(
    ("form", "way", "kind", "said"),
    [
        ("ollama", "broken", "refused", "Ollama answered 500: something inside broke"),
        ("openai", "broken", "refused", "answered 500: something inside broke"),
        ("ollama", "refused", "refused", "Ollama answered 400: invalid options"),
        ("openai", "refused", "refused", "answered 400: invalid options"),
        ("ollama", "too-big", "loading", "tiny:1b could not be loaded: model requires more"),
        ("openai", "too-big", "loading", "tiny:1b could not be loaded: model requires more"),
        ("ollama", "error-body", "error-body", "broke off with an error: the runner fell over"),
        ("openai", "error-body", "error-body", "broke off with an error: the runner fell over"),
        ("ollama", "page", "unread", "does not answer in Ollama's form"),
        ("openai", "page", "unread", "does not answer in the OpenAI form"),
        ("ollama", "cut", "cut", "the connection to Ollama broke off"),
        ("openai", "cut", "cut", "broke off"),
        ("ollama", "quiet-cut", "cut", "the reply broke off after 26 characters"),
        ("openai", "quiet-cut", "cut", "the reply broke off after 26 characters"),
        ("ollama", "reset", "cut", "the connection to Ollama broke off"),
        ("openai", "reset", "cut", "broke off"),
        ("ollama", "stall", "silent", "said nothing for 1 s"),
        ("openai", "stall", "silent", "said nothing for"),
        ("ollama", "drip", "timeout", "the reply was not complete after 2 s"),
        ("openai", "drip", "timeout", "the reply was not complete after 2 s"),
        ("ollama", "empty", "empty", "tiny:1b answered with nothing, twice"),
        ("openai", "empty", "empty", "tiny:1b answered with nothing, twice"),
        ("ollama", "only-thinks", "empty", "tiny:1b spent its whole reply on thinking"),
        ("openai", "only-thinks", "empty", "tiny:1b spent its whole reply on thinking"),
        ("ollama", "loading", "loading", "Ollama says: loading model, for more than 2 s"),
        ("openai", "loading", "loading", "says: loading model, for more than 2 s"),
        ("ollama", "no-model", "no-model", "Ollama has no model tiny:1b"),
        ("openai", "no-model", "no-model", "has no model tiny:1b"),
        ("openai", "no-key", "refused", "wants a key"),
        ("openai", "quota", "refused", "says: You exceeded your current quota"),
        ("openai", "too-long", "truncated", "exceeds the available context size"),
    ],
)
def test_every_fault_has_its_line(form: str, way: str, kind: str, said: str) -> None:
    """A server's fault becomes one line that says what happened, and a hint what to do."""
    wrong = fault(form, way)
    assert (wrong.kind, said in wrong.message) == (kind, True), str(wrong)


@pytest.mark.parametrize("form", FORMS)
def test_a_deaf_server_is_named(form: str) -> None:
    """A server that takes the connection and says nothing is silent, not down."""
    with served(Script(["deaf"])) as url, pytest.raises(EngineError) as caught:
        made(form, url).warm(lambda text: None)
    assert caught.value.kind == "silent"
    assert "said nothing for 1 s" in caught.value.message


@pytest.mark.parametrize("form", FORMS)
def test_nothing_answers(form: str) -> None:
    """A host that is down is named with what to do next."""
    with pytest.raises(EngineError) as caught:
        made(form, "http://127.0.0.1:1").warm(lambda text: None)
    assert caught.value.kind == "down"
    wanted = f"ollama pull {MODEL}" if form == "ollama" else "--base-url"
    assert wanted in caught.value.hint


def test_a_missing_model_names_near_ones() -> None:
    """The pull command stands in the hint, and the models that are there."""
    with served(Script()) as url, pytest.raises(EngineError) as caught:
        made("ollama", url, model="tiny:3b").info()
    assert str(caught.value) == (
        "Ollama has no model tiny:3b (ollama pull tiny:3b; near names here: tiny:1b)"
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_cold_load_is_waited_for(form: str) -> None:
    """`loading model` is no failure: the question is asked again until it is answered."""
    told: list[str] = []
    with served(Script(["loading", "busy", "normal"])) as url:
        engine = made(form, url)
        engine.warm(told.append)
        assert engine.send(question()).text
    assert sum("waiting" in line for line in told) >= 2, told


def test_a_load_may_take_longer_than_silence() -> None:
    """The load has its own limit: the limit of silence does not cut it."""
    told: list[str] = []
    script = Script(["slow-load"], loaded={})
    with served(script) as url:
        engine = made("ollama", url, silence_s=1.0, load_timeout_s=5.0)
        engine.warm(told.append)
    assert told[0] == "loading tiny:1b (up to 5 s)"


def test_a_load_that_never_ends() -> None:
    """Past its own limit a load is given up, with the setting that raises it."""
    with served(Script(["no-answer"])) as url, pytest.raises(EngineError) as caught:
        made("ollama", url).warm(lambda text: None)
    assert str(caught.value) == (
        "tiny:1b was not loaded after 2 s (raise --load-timeout-s, or take a smaller model)"
    )


@pytest.mark.parametrize("form", FORMS)
def test_repetition_is_stopped(form: str) -> None:
    """A reply that says the same for ever ends early, and says why."""
    reply = asked(form, Script(["repetition"]), reply_timeout_s=20.0)
    assert reply.finish == "repetition"
    assert len(reply.text) < 5_000
    assert "repeated itself" in reply.warnings[0]


def test_what_is_no_repetition() -> None:
    """Tables, rulers and near-equal lines of real code go through."""
    assert not stream.repeats("=" * 300)
    assert not stream.repeats("".join(f"    assert f({i}) == {i * i}\n" for i in range(200)))
    assert not stream.repeats(Path(__file__).read_text(encoding="utf-8")[-3000:])
    assert stream.repeats("x = 1\n" * 200)
    assert stream.repeats("a b c\n" + "def f():\n    return f()\n\n\n" * 30)


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_reply_is_asked_once_more(form: str) -> None:
    """The second answer counts, and a warning says that there was a first."""
    reply = asked(form, Script(["empty", "normal"]))
    assert reply.text == "".join(WORDS)
    assert reply.warnings == ("the first reply was empty; it was asked once more",)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["infill", "complete"])
def test_a_gap_may_stay_empty(form: str, kind: str) -> None:
    """Nothing is an answer to an infill or a completion."""
    assert asked(form, Script(["empty"], props=PROPS), question(kind)).text == ""


@pytest.mark.parametrize("form", FORMS)
def test_thinking_is_kept_apart(form: str) -> None:
    """What a server marks as thinking is no part of the reply; tags in the text stay there."""
    reply = asked(form, Script(["think"]))
    assert (reply.text, reply.thinking) == ("".join(WORDS), "let me see")
    assert "</think>" in asked(form, Script(["think-tags"])).text


@pytest.mark.parametrize(("can", "sent"), [(("completion", "thinking"), True), ((), False)])
def test_thinking_is_switched_off_where_it_exists(can: tuple[str, ...], sent: bool) -> None:
    """think=False goes only to a model that can think."""
    script = Script(capabilities=can)
    asked("ollama", script)
    assert (script.seen[0][1].get("think") is False) == sent


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", ["odd-type", "length", "normal"])
def test_small_oddities_are_borne(form: str, way: str) -> None:
    """A wrong content type is read all the same; the server's reason to end is kept."""
    reply = asked(form, Script([way]))
    assert (reply.text, reply.finish) == ("".join(WORDS), "length" if way == "length" else "stop")


@pytest.mark.parametrize("form", FORMS)
def test_characters_split_between_pieces(form: str) -> None:
    """Bytes that arrive one by one become whole characters."""
    assert asked(form, Script(["bytes"])).text == "née → 🦉"


@pytest.mark.parametrize("form", FORMS)
def test_a_huge_line(form: str) -> None:
    """One piece of a megabyte is read; what it repeats is noticed."""
    reply = asked(form, Script(["huge"]), reply_timeout_s=20.0)
    assert len(reply.text) == 1_200_000


@pytest.mark.parametrize("form", FORMS)
def test_a_server_that_counts_nothing(form: str) -> None:
    """Without counts there is no usage and no false alarm."""
    reply = asked(form, Script(prompt_tokens=None))
    assert reply.usage.input_tokens is None
    assert reply.warnings == ()


def test_a_listener_may_stop_a_reply() -> None:
    """An exception of the listener ends the exchange and reaches the caller."""

    def stop(text: str) -> None:
        raise KeyboardInterrupt

    for form in FORMS:
        with served(Script(["drip"])) as url, pytest.raises(KeyboardInterrupt):
            made(form, url).send(question(), stop)


@pytest.mark.parametrize("form", parts.names("engines"))
def test_an_engine_is_complete(form: str) -> None:
    """Each file of the folder has what the folder asks for."""
    part = parts.load("engines", form)
    assert isinstance(part.DEFAULT_URL, str)
    assert parts.says(part)
    make: Callable[[Settings], Engine] = part.make
    assert callable(make)


live = pytest.mark.skipif(not os.environ.get("PY_HARNESS_LIVE"), reason="needs a real Ollama")


@live
def test_a_real_server_never_reloads() -> None:
    """Chat, infill and completion after one warm-up load nothing again; a cut is noticed."""
    model = os.environ.get("PY_HARNESS_LIVE_MODEL", "qwen2.5-coder:0.5b")
    engine = ollama.make(Settings(model=model))
    engine.warm(print)
    for kind in ("chat", "infill", "complete", "chat"):
        asked = question(kind, max_tokens=16)
        reply = engine.send(Request(**{**vars(asked), "model": model}))
        assert (reply.load_s or 0) < ollama.RELOAD_S
        assert reply.warnings == ()


@live
def test_a_real_server_drops_the_start_and_is_found_out() -> None:
    """A prompt longer than the context comes back cut, and the reply says so."""
    model = os.environ.get("PY_HARNESS_LIVE_MODEL", "qwen2.5-coder:0.5b")
    engine = ollama.make(Settings(model=model, num_ctx=512))
    assert engine.warm(print).served_context == 512
    text = "\n".join(f"value_{i} = compute(alpha, {i})" for i in range(50))
    asked = question(text=text, max_tokens=16)
    reply = engine.send(Request(**{**vars(asked), "model": model}))
    assert "the server dropped the start of the prompt" in reply.warnings[0]
