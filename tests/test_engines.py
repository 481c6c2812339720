"""Owns the proof that each engine survives a server that misbehaves, and says so in one line.

Does not cover recordings (`test_recording`) nor a real model's words.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness import engine as rules
from harness import parts, stream
from harness.engine import Engine
from harness.engines import ollama, openai
from harness.errors import EngineError, HarnessError
from harness.settings import Settings
from harness.types import Message, Reply, Request, Sampling, Usage
from tests.misbehaving_server import MODEL, WORDS, Script, served

FORMS = ("ollama", "openai")
ASKED = "Write a Python function double(n) that returns twice n. Code only, please."


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["chat", "complete", "infill"])
def test_a_reply_is_put_together(form: str, kind: str) -> None:
    """Each kind of request brings the text, its pieces, counts, and the body that was sent."""
    script, heard = Script(), list[str]()
    with served(script) as url:
        engine = made(form, url)
        reply = engine.send(question(kind), heard.append)
    assert reply.text == "".join(WORDS)
    assert tuple(heard) == reply.chunks == WORDS
    assert (reply.finish, reply.usage.input_tokens) == ("stop", 40)
    assert reply.warnings == ()
    sent = script.seen[0][1]
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
    assert asked(form, Script(["empty"]), question(kind)).text == ""


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
    props = {"default_generation_settings": {"n_ctx": 1024}, "build_info": "b1"}
    with served(Script(props=props)) as url:
        engine = made("openai", url)
        info = engine.warm(told.append)
        assert (info.server, info.served_context, info.can_infill) == ("llama.cpp b1", 1024, True)
        assert "the server gives 1024 tokens of context; it cannot be set here" in told
        with pytest.raises(EngineError, match="the context holds 1024"):
            engine.send(question(text="one two " * 500))


def test_other_servers_cannot_infill() -> None:
    """Only llama.cpp's own endpoint takes a gap."""
    with served(Script()) as url:
        assert not made("openai", url).warm(lambda text: None).can_infill


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
