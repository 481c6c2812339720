"""Any server of the OpenAI form: llama.cpp's, LM Studio, vLLM, or a hosted one.

Does not cover Ollama's native endpoints (`ollama`), where the context can be set.
"""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.errors import EngineError
from harness.model import address, engine, gguf, stream
from harness.model.engine import BadRequest, Tell
from harness.model.stream import Heard, OnChunk, Piece
from harness.settings import Settings
from harness.types import Message, ModelInfo, Reply, Request, Sampling, Usage

if TYPE_CHECKING:
    import httpx

DEFAULT_URL = address.OPENAI_URL
KEYS = ("PY_HARNESS_API_KEY", "OPENAI_API_KEY")
ADDRESSES = ("PY_HARNESS_BASE_URL", "OPENAI_BASE_URL")


def make(settings: Settings) -> OpenAI:
    """The engine for the server that the settings, else the environment, name."""
    return OpenAI(settings)


def body_of(request: Request, settings: Settings) -> dict[str, Any]:
    """A request's body; the context cannot be set here."""
    sampling = request.sampling
    body: dict[str, Any] = {
        "model": request.model,
        "temperature": sampling.temperature,
        "seed": sampling.seed,
        "stream": True,
    }
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if request.kind == "infill":
        gap = {"input_prefix": request.prompt, "input_suffix": request.suffix}
        return {**body, **gap, "n_predict": sampling.max_tokens}
    body |= {"max_tokens": sampling.max_tokens, "stream_options": {"include_usage": True}}
    if request.kind == "complete":
        return {**body, "prompt": request.prompt}
    return {**body, "messages": [{"role": m.role, "content": m.content} for m in request.messages]}


def variants(body: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Bodies that ask the same.

    Some servers refuse stream_options or know another name of the cap. llama.cpp's own endpoint
    for a gap reads only some 1,500 tokens before it; spelled as a completion it reads all.
    """
    if "input_prefix" in body:
        return (body, *(_spelled(body, gap) for gap in gguf.GAPS))
    plain = {k: v for k, v in body.items() if k != "stream_options"}
    return body, plain, _renamed(body), _renamed(plain)


def _spelled(body: Mapping[str, Any], gap: tuple[str, str, str]) -> dict[str, Any]:
    """A gap as a completion, with the infill tokens of the model's family."""
    rest = {k: v for k, v in body.items() if k not in ("input_prefix", "input_suffix", "n_predict")}
    before, after, middle = gap
    text = f"{before}{body['input_prefix']}{after}{body['input_suffix']}{middle}"
    usage = {"stream_options": {"include_usage": True}}
    return {**rest, "prompt": text, "max_tokens": body["n_predict"], **usage}


def _renamed(body: Mapping[str, Any]) -> dict[str, Any]:
    rest = {k: v for k, v in body.items() if k != "max_tokens"}
    return {**rest, "max_completion_tokens": body["max_tokens"]}


def pinned(body: dict[str, Any]) -> dict[str, Any]:
    """The settings that a body carries, for a replay."""
    return {"model": body["model"]}


class OpenAI:
    """One model on one server of the OpenAI form."""

    name = "openai"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.model = settings.model
        self.address = address.openai(
            settings.base_url or address.from_environment(ADDRESSES) or DEFAULT_URL
        )
        self._key = address.from_environment(KEYS)
        self._root = self.address.removesuffix("/v1")
        self._host = urllib.parse.urlsplit(self.address).netloc.rpartition("@")[2]
        self._opened: httpx.Client | None = None
        self._context = settings.num_ctx
        self._form = 0
        """Which variant of a body this server takes."""
        self._gap = 0
        """Which variant of a gap's body: 0 for llama.cpp's own endpoint."""
        self._infills: bool | None = None
        self._filled = ""
        """A gap as llama.cpp's server spelled it, last time."""
        self._tell: Tell = lambda text: None

    def close(self) -> None:
        """Close the connections."""
        if self._opened:
            self._opened.close()
            self._opened = None

    def models(self) -> tuple[str, ...]:
        """Names of the models that the server lists; none where it has no list."""
        return tuple(str(m.get("id", "")) for m in self._listed())

    def info(self) -> ModelInfo:
        """What the server says; EngineError `down`, `silent`, `refused` or `unread`."""
        listed, props = self._listed(), self._props()
        ours = next((m for m in listed if m.get("id") == self.model), {})
        llama = bool(props) or any(m.get("owned_by") == "llamacpp" for m in listed)
        ours = ours or (listed[0] if llama and listed else {})
        meta = ours.get("meta") or {}
        served = (props.get("default_generation_settings") or {}).get("n_ctx")
        served = served or ours.get("max_model_len") or meta.get("n_ctx")
        self._context = served or self.settings.num_ctx
        count = meta.get("n_params")
        return ModelInfo(
            engine=self.name,
            address=self.address,
            server=f"llama.cpp {props.get('build_info', '')}".strip() if llama else "",
            model=self.model,
            quantization_level=str(props.get("model_ftype", "")),
            parameter_size=f"{count / 1e9:.2g}B" if count else "",
            context_length=meta.get("n_ctx_train"),
            served_context=served,
            can_infill=llama if self._infills is None else self._infills,
        )

    def warm(self, tell: Tell) -> ModelInfo:
        """Wait until the server has its model; EngineError `loading` past the limit."""
        self._tell = tell
        info = engine.patiently(self.info, self.settings, tell)
        known = engine.patiently(self.models, self.settings, tell)
        if known and self.model not in known:
            if not info.server:
                raise self._not_there(known)
            tell(f"the server holds {known[0]}, whatever name is asked for")
        if info.served_context and info.served_context < self.settings.num_ctx:
            tell(f"the server gives {info.served_context} tokens of context; it cannot be set here")
        if not address.is_local(self.address):
            return info
        tell(f"waiting for {self.model} (up to {self.settings.load_timeout_s:g} s)")
        engine.patiently(lambda: self._ask(self._question("chat"), None), self.settings, tell)
        if info.can_infill and self._infills is None:
            self._infills = self._can_infill()
        return replace(info, can_infill=bool(self._infills))

    def body(self, request: Request) -> dict[str, Any]:
        """The body as `send` sends it."""
        bodies = variants(body_of(request, self.settings))
        return bodies[self._gap if request.kind == "infill" else self._form]

    def send(self, request: Request, on_chunk: OnChunk | None = None) -> Reply:
        """Ask; EngineError of every kind but `template` and `unmatched`."""
        text = engine.prompt_text(request)
        if request.kind == "infill":
            self._must_infill()
        engine.must_fit(request, self._context)
        address.must_be_sendable(self.address, text)
        if not address.is_local(self.address):
            self._tell(f"{len(text):,} characters go to {self._host}")

        def ask() -> Heard:
            return self._ask(request, on_chunk)

        warnings: list[str] = []
        heard = engine.patiently(ask, self.settings)
        if request.kind == "chat" and not heard.text.strip():
            heard = engine.patiently(ask, self.settings)
            warnings.append("the first reply was empty; it was asked once more")
        engine.must_say_something(request, heard)
        warnings += engine.count_warnings(request, heard.usage, self._context)
        return stream.to_reply(heard, self.body(request), warnings)

    def _ask(self, request: Request, on_chunk: OnChunk | None) -> Heard:
        """One reply; a body that the server refuses is spelled otherwise and sent again."""
        first_s = engine.first_piece_s(request, self.settings)
        for _ in range(3):
            try:
                pieces = self._pieces(self.body(request), first_s)
                return stream.assemble(pieces, self.settings, on_chunk)
            except BadRequest as wrong:
                other = _other_form(self._form, wrong.message)
                if request.kind == "infill" or other == self._form:
                    raise
                self._form = other
        raise EngineError("refused", f"{self._host} takes no spelling of the body", "see its log")

    def _pieces(self, body: dict[str, Any], first_s: float) -> Generator[Piece, None, None]:
        """The stream, piece by piece."""
        url = f"{self.address}/{'chat/' if 'messages' in body else ''}completions"
        url = f"{self._root}/infill" if "input_prefix" in body else url
        with (
            self._errors(first_s),
            self._client().stream("POST", url, json=body, timeout=self._timeout(first_s)) as answer,
        ):
            if not answer.is_success:
                answer.read()
                raise self._answered(answer)
            ended = finished = False
            for event in _events(answer):
                ended = event == "[DONE]"
                if ended:
                    break
                piece = self._piece(json.loads(event))
                finished = finished or bool(piece.finish)
                yield piece
            if ended and not finished:
                yield Piece(finish="stop")

    def _piece(self, event: Any) -> Piece:
        """One event of the stream, of any of the three endpoints."""
        if event.get("error"):
            raise self._said(200, event["error"])
        counts = event.get("usage") or {}
        usage = None
        if counts:
            usage = Usage(counts.get("prompt_tokens"), counts.get("completion_tokens"))
        if "content" in event:
            ended = bool(event.get("stop"))
            if ended:
                self._filled = str(event.get("prompt", ""))
                usage = Usage(event.get("tokens_evaluated"), event.get("tokens_predicted"))
            finish = {"limit": "length"}.get(event.get("stop_type", ""), "stop") if ended else ""
            return Piece(text=event["content"], finish=finish, usage=usage)
        if not event.get("choices"):
            return Piece(usage=usage)
        choice = event["choices"][0]
        said = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
        return Piece(
            text=said.get("content") or "",
            thinking=said.get("reasoning_content") or said.get("reasoning") or "",
            finish=choice.get("finish_reason") or "",
            usage=usage,
        )

    def _must_infill(self) -> None:
        """Refuse a gap where the server has no way to ask for one."""
        if self._infills is None and self.info().can_infill:
            self._infills = self._can_infill()
        if not self._infills:
            raise EngineError(
                "refused",
                f"{self._host} cannot fill a gap with {self.model}",
                "take a model with infill tokens, on llama.cpp's server or Ollama",
            )

    def _can_infill(self) -> bool:
        """Whether the model has infill tokens; llama.cpp's server tells when asked for a gap."""
        try:
            self._ask(self._question("infill"), None)
        except EngineError as wrong:
            if wrong.kind in ("refused", "unread", "error-body", "no-model"):
                return False
            raise
        spelled = [i for i, gap in enumerate(gguf.GAPS, 1) if all(t in self._filled for t in gap)]
        self._gap = spelled[0] if spelled else 0
        return True

    def _question(self, kind: Any) -> Request:
        asked = (Message("user", "Answer with this one word and nothing else: ready"),)
        return Request(
            kind, self.model, Sampling(max_tokens=1), asked, "def one():\n    return ", "\n"
        )

    def _listed(self) -> list[dict[str, Any]]:
        """The server's list of models; empty where it keeps none."""
        found = self._get(f"{self.address}/models")
        data = found.get("data") if isinstance(found, dict) else None
        return [m for m in data if isinstance(m, dict)] if isinstance(data, list) else []

    def _props(self) -> dict[str, Any]:
        """What llama.cpp's server says of itself; empty for others and for hosts elsewhere."""
        if not address.is_local(self.address):
            return {}
        found = self._get(f"{self._root}/props")
        named = isinstance(found, dict) and "default_generation_settings" in found
        return found if named else {}

    def _get(self, url: str) -> Any:
        """A JSON answer; an empty object where the server does not know the address."""
        limit = min(self.settings.silence_s, 30.0)
        with self._errors(limit):
            answer = self._client().get(url, timeout=self._timeout(limit))
            if answer.status_code in (401, 403, 429, 503):
                raise self._answered(answer)
            kind = answer.headers.get("content-type", "")
            return answer.json() if answer.is_success and "json" in kind else {}

    def _timeout(self, read_s: float) -> httpx.Timeout:
        import httpx

        return httpx.Timeout(10.0, read=read_s)

    def _client(self) -> httpx.Client:
        if self._opened is None:
            import httpx

            self._opened = httpx.Client(
                headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
                # llama.cpp's server drops a kept connection unsaid: the next request would fail.
                limits=httpx.Limits(max_keepalive_connections=0),
                trust_env=not address.is_loopback(self.address),
            )
        return self._opened

    @contextmanager
    def _errors(self, waited_s: float) -> Iterator[None]:
        """What the client raises, as an EngineError that a person can act on."""
        import httpx

        try:
            yield
        except (httpx.ConnectError, httpx.ConnectTimeout) as wrong:
            raise EngineError(
                "down",
                f"no server answers at {self.address}",
                "start it, or give its address with --base-url (for Ollama: --engine ollama)",
            ) from wrong
        except httpx.TimeoutException as wrong:
            raise EngineError(
                "silent",
                f"{self._host} said nothing for {waited_s:g} s",
                "it may be busy or hung: wait, restart it, or raise --silence-s",
            ) from wrong
        except httpx.HTTPError as wrong:
            raise EngineError(
                "cut",
                f"the connection to {self._host} broke off ({type(wrong).__name__})",
                "it may have been stopped or run out of memory: see its log, then try again",
            ) from wrong
        except (ValueError, TypeError, AttributeError, KeyError, IndexError) as wrong:
            raise EngineError(
                "unread",
                f"{self.address} does not answer in the OpenAI form",
                "check the address (it often ends in /v1); for Ollama give --engine ollama",
            ) from wrong

    def _answered(self, answer: httpx.Response) -> EngineError:
        """An answer with an error status."""
        retry = answer.headers.get("retry-after", "")
        try:
            said = answer.json().get("error")
        except (ValueError, AttributeError):
            said = "a web page" if answer.text.lstrip().startswith("<") else answer.text
        return self._said(answer.status_code, said, float(retry) if retry.isdigit() else 0.0)

    def _said(self, status: int, error: Any, retry_s: float = 0.0) -> EngineError:
        """An error that the server put in words; status 200 for one within a stream."""
        fields = error if isinstance(error, Mapping) else {"message": error}
        said = str(fields.get("message") or "")
        said = said.replace(self._key, "<key>") if self._key else said
        marks = f"{fields.get('code')} {fields.get('type')} {said}"
        if status in (401, 403):
            done = "did not take the key" if self._key else "wants a key"
            return EngineError("refused", f"{self._host} {done}", f"set {KEYS[0]}")
        if "quota" in marks or "billing" in marks:
            return EngineError("refused", f"{self._host} says: {said}", "see your account there")
        if status == 404 or "model_not_found" in marks:
            return self._not_there(self.models() if "model" in said.lower() else ())
        return engine.answered(self._host, self.model, status, said, retry_s)

    def _not_there(self, known: tuple[str, ...]) -> EngineError:
        hint = engine.near(self.model, known) or "check --model and --base-url"
        if ":" in self.model and not address.is_local(self.address):
            hint = (
                f"{self.model} looks like a name of Ollama's; hosts name models otherwise; {hint}"
            )
        return EngineError("no-model", f"{self._host} has no model {self.model}", hint)


def _other_form(form: int, said: str) -> int:
    """The variant to try next after a refusal; the same where none is left."""
    if "max_completion_tokens" in said and form < 2:
        return form + 2
    return form | 1


def _events(answer: httpx.Response) -> Iterator[str]:
    """The data of each event; a plain JSON answer is one event and an end."""
    if "application/json" in answer.headers.get("content-type", ""):
        answer.read()
        yield from (answer.text, "[DONE]")
    else:
        yield from stream.events(answer.iter_bytes())
