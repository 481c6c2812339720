"""Ollama's native endpoints, through its own client.

Does not cover other servers of the OpenAI form (`openai`) nor the import of weights.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import EngineError
from harness.model import address, engine, stream
from harness.model.engine import Tell
from harness.model.stream import Heard, OnChunk, Piece
from harness.settings import Settings
from harness.types import Message, ModelInfo, Reply, Request, Sampling, Usage

if TYPE_CHECKING:
    import ollama

DEFAULT_URL = address.OLLAMA_URL
IDLE_S = 30.0
"""After so long without a request it is asked whether the model is still loaded."""
RELOAD_S = 1.0
"""A load that took longer was a real one; a loaded model costs about 0.1 s."""
_PROBE = "Answer with this one word and nothing else: ready"
_NO_TEMPLATE = re.compile(r"\s*(?:\{\{-?\s*\.Prompt\s*-?\}\}\s*)?")


def make(settings: Settings) -> Ollama:
    """The engine for the server that the settings, else OLLAMA_HOST, name."""
    return Ollama(settings)


def body_of(request: Request, settings: Settings, thinks: bool = False) -> dict[str, Any]:
    """A request's body; the context is the session's, since another one reloads the model."""
    sampling = request.sampling
    options: dict[str, Any] = {
        "num_ctx": settings.num_ctx,
        "num_predict": sampling.max_tokens,
        "seed": sampling.seed,
        "temperature": sampling.temperature,
    }
    if sampling.stop:
        options["stop"] = list(sampling.stop)
    body: dict[str, Any] = {"model": request.model, "stream": True, "options": options}
    body["keep_alive"] = settings.keep_alive
    if request.kind == "chat":
        body["messages"] = [{"role": m.role, "content": m.content} for m in request.messages]
        return {**body, "think": False} if thinks else body
    if request.kind == "complete":
        return {**body, "prompt": request.prompt, "raw": True}
    # Without a suffix the template would take it for a chat.
    return {**body, "prompt": request.prompt, "suffix": request.suffix or "\n"}


def variants(body: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Bodies that ask the same: thinking switched off is said only to models that can think."""
    if "messages" not in body:
        return (body,)
    return body, {**body, "think": False}


def pinned(body: dict[str, Any]) -> dict[str, Any]:
    """The settings that a body carries, for a replay."""
    found = {"model": body["model"], "num_ctx": body["options"]["num_ctx"]}
    return {**found, "keep_alive": body["keep_alive"]}


class Ollama:
    """One model on one Ollama server."""

    name = "ollama"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.model = settings.model
        given = settings.base_url or os.environ.get("OLLAMA_HOST", "")
        self.address = address.ollama(given) if given.strip() else DEFAULT_URL
        self._opened: ollama.Client | None = None
        self._thinks: bool | None = None
        self._context = settings.num_ctx
        self._counts_cached = True
        self._warm = False
        self._used = time.monotonic()
        self._first_s = self._next_s = self._read_s = min(settings.silence_s, 30.0)

    def close(self) -> None:
        """Close the connections."""
        if self._opened:
            self._opened.close()  # type: ignore[no-untyped-call]
            self._opened = None

    def models(self) -> tuple[str, ...]:
        """Names of the models that the server has."""
        with self._limits(), self._errors():
            return tuple(m.model for m in self._client().list().models if m.model)

    def info(self) -> ModelInfo:
        """What the server says; EngineError `down`, `no-model`, `silent` or `unread`."""
        with self._limits(), self._errors():
            shown = self._client().show(self.model)
            digests = {m.model: m.digest or "" for m in self._client().list().models}
        able = shown.capabilities or []
        self._thinks = "thinking" in able
        template, made = shown.template or "", shown.modelfile or ""
        details, length = shown.details, None
        for key, value in (shown.modelinfo or {}).items():
            length = value if key.endswith(".context_length") else length
        served = self._served()
        self._context = min(x for x in (self.settings.num_ctx, length, served) if x)
        return ModelInfo(
            engine=self.name,
            address=self.address,
            server=f"ollama {self._version()}".strip(),
            model=self.model,
            digest=digests.get(self.model) or digests.get(f"{self.model}:latest", ""),
            parameter_size=(details.parameter_size if details else "") or "",
            quantization_level=(details.quantization_level if details else "") or "",
            context_length=length,
            served_context=served,
            can_infill="insert" in able if able else ".Suffix" in template,
            has_template="RENDERER" in made or not _NO_TEMPLATE.fullmatch(template),
        )

    def warm(self, tell: Tell) -> ModelInfo:
        """Load the model; EngineError `loading` past its limit, `template` without one."""
        info = self.info()
        if not info.has_template:
            raise self._no_template()
        loaded = self._loaded()
        others = [name for name in loaded if name != self._tagged()]
        if others:
            tell(f"the server also holds {', '.join(others)}; replies may be slow")
        if self._tagged() not in loaded:
            tell(f"loading {self.model} (up to {self.settings.load_timeout_s:g} s)")
        start = time.monotonic()
        engine.patiently(self._load, self.settings, tell)
        if time.monotonic() - start > 1:
            tell(f"{self.model} is loaded after {time.monotonic() - start:.1f} s")
        self._probe()
        served = self._served()
        if served and served < self.settings.num_ctx:
            tell(f"the server gives a context of {served} tokens, not {self.settings.num_ctx}")
            self._context = min(self._context, served)
        return replace(info, served_context=served)

    def body(self, request: Request) -> dict[str, Any]:
        """The body as `send` sends it."""
        if self._thinks is None and request.kind == "chat":
            self.info()
        return body_of(request, self.settings, bool(self._thinks))

    def send(self, request: Request, on_chunk: OnChunk | None = None) -> Reply:
        """Ask; EngineError of every kind but `template` and `unmatched`."""
        engine.must_fit(request, self._context)
        address.must_be_sendable(self.address, engine.prompt_text(request))
        body, warnings = self.body(request), self._reloads()
        first_s = engine.first_piece_s(request, self.settings)
        if warnings:
            first_s = max(first_s, self.settings.load_timeout_s)

        def ask() -> Heard:
            with self._limits(first_s, self.settings.silence_s):
                return stream.assemble(self._pieces(body), self.settings, on_chunk)

        heard = engine.patiently(ask, self.settings)
        if (heard.load_s or 0.0) > RELOAD_S and self._warm and not warnings:
            warnings.append(
                f"{self.model} was loaded anew for this request ({heard.load_s:.0f} s): another "
                "program asks the same server with another context"
            )
        if request.kind == "chat" and not heard.text.strip():
            heard = engine.patiently(ask, self.settings)
            warnings.append("the first reply was empty; it was asked once more")
        self._used = time.monotonic()
        engine.must_say_something(request, heard)
        least = self._counts_cached
        warnings += engine.count_warnings(request, heard.usage, self._context, least)
        return stream.to_reply(heard, body, warnings)

    def create(self, path: Path, template: str, stops: tuple[str, ...], tell: Tell) -> None:
        """Import a file of weights under the model's name; EngineError where that fails."""
        parameters = {"stop": list(stops)} if stops else None
        with self._limits(self.settings.load_timeout_s), self._errors():
            client = self._client()
            tell(f"copying {path.name} to Ollama")
            digest = client.create_blob(path)
            said = ""
            for step in client.create(
                model=self.model,
                files={path.name: digest},
                template=template or None,
                parameters=parameters,
                stream=True,
            ):
                if step.status and step.status != said:
                    said = step.status
                    tell(f"Ollama: {said}")
        if said != "success":
            raise EngineError("cut", f"Ollama did not finish importing {path.name}", "see its log")

    def delete(self) -> None:
        """Remove the model from the server."""
        with self._limits(), self._errors():
            self._client().delete(self.model)

    def _pieces(self, body: dict[str, Any]) -> Generator[Piece, None, None]:
        """The stream, piece by piece."""
        client = self._client()
        with self._errors():
            parts = client.chat(**body) if "messages" in body else client.generate(**body)
            for part in parts:
                said = part.message if "messages" in body else part
                text = said.content if "messages" in body else said.response
                piece = Piece(text=text or "", thinking=said.thinking or "")
                if part.done:
                    usage = Usage(part.prompt_eval_count, part.eval_count)
                    load_s = None if part.load_duration is None else part.load_duration / 1e9
                    finish = part.done_reason or "stop"
                    piece = replace(piece, finish=finish, usage=usage, load_s=load_s)
                yield piece

    def _load(self) -> None:
        """Have the model loaded with the session's context; nothing is said yet."""
        body = body_of(self._question(0), self.settings)
        with self._limits(self.settings.load_timeout_s), self._errors(loading=True):
            self._client().chat(**{**body, "messages": [], "stream": False})

    def _probe(self) -> None:
        """Two one-word questions: is there a template, does the server count cached tokens."""
        question = self._question(1)
        first_s = engine.first_piece_s(question, self.settings)
        counts: list[int] = []
        for _ in range(2):
            with self._limits(first_s, self.settings.silence_s):
                heard = stream.assemble(self._pieces(self.body(question)), self.settings)
            counts.append(heard.usage.input_tokens or 0)
        least = engine.least_tokens(_PROBE)
        if least <= counts[0] <= least + 2:
            raise self._no_template()
        self._counts_cached = counts[1] == counts[0]
        self._warm = True
        self._used = time.monotonic()

    def _question(self, max_tokens: int) -> Request:
        sampling = Sampling(max_tokens=max_tokens, num_ctx=self.settings.num_ctx)
        return Request("chat", self.model, sampling, (Message("user", _PROBE),))

    def _reloads(self) -> list[str]:
        """What will make the next request load the model first; asked only after a pause."""
        if time.monotonic() - self._used < IDLE_S:
            return []
        loaded = self._loaded()
        if self._tagged() not in loaded:
            return [f"{self.model} had been unloaded and was loaded again"]
        served = loaded[self._tagged()]
        if served and served != self._context:
            return [f"another program had {self.model} loaded with a context of {served} tokens"]
        return []

    def _loaded(self) -> dict[str, int | None]:
        """Served context by the name of each loaded model."""
        with self._limits(), self._errors():
            return {m.model: m.context_length for m in self._client().ps().models if m.model}

    def _served(self) -> int | None:
        return self._loaded().get(self._tagged())

    def _tagged(self) -> str:
        return self.model if ":" in self.model.rpartition("/")[2] else f"{self.model}:latest"

    def _version(self) -> str:
        import httpx

        with self._limits(), self._errors():
            trust = not address.is_loopback(self.address)
            found = httpx.get(f"{self.address}/api/version", timeout=10, trust_env=trust)
            return str(found.json().get("version", "")) if found.is_success else ""

    def _client(self) -> ollama.Client:
        if self._opened is None:
            import httpx
            import ollama

            self._opened = ollama.Client(
                host=self.address,
                timeout=httpx.Timeout(10.0),
                trust_env=not address.is_loopback(self.address),
                event_hooks={"request": [self._before], "response": [self._after]},
            )
        return self._opened

    def _before(self, request: Any) -> None:
        request.extensions["timeout"]["read"] = self._read_s = self._first_s

    def _after(self, response: Any) -> None:
        # Ollama sends its headers with the first piece, so that from here the next ones count.
        response.request.extensions["timeout"]["read"] = self._read_s = self._next_s

    @contextmanager
    def _limits(self, first_s: float = 0.0, next_s: float = 0.0) -> Iterator[None]:
        """Limits of what is read within, seconds; short ones where none are given."""
        short = min(self.settings.silence_s, 30.0)
        self._first_s = first_s or short
        self._next_s = next_s or self._first_s
        yield

    @contextmanager
    def _errors(self, loading: bool = False) -> Iterator[None]:
        """What the client raises, as an EngineError that a person can act on."""
        import httpx
        import ollama

        try:
            yield
        except ollama.ResponseError as wrong:
            raise self._answered(wrong.status_code, wrong.error) from wrong
        except (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout) as wrong:
            raise self._down() from wrong
        except httpx.TimeoutException as wrong:
            raise self._silent(loading) from wrong
        except httpx.TransportError as wrong:
            raise EngineError(
                "cut",
                f"the connection to Ollama broke off ({type(wrong).__name__})",
                "it may have been stopped or run out of memory: see its log, then try again",
            ) from wrong
        except (ValueError, TypeError, AttributeError, KeyError) as wrong:
            raise EngineError(
                "unread",
                f"{self.address} does not answer in Ollama's form",
                "check the address; for other servers give --engine openai",
            ) from wrong

    def _answered(self, status: int, said: str) -> EngineError:
        """An error that the server put in words; -1 is the status of one within a stream."""
        if status == 404 or "not found" in said:
            return self._not_there()
        return engine.answered("Ollama", self.model, 200 if status == -1 else status, said)

    def _not_there(self) -> EngineError:
        known = engine.near(self.model, self.models())
        hint = f"ollama pull {self.model}" + (f"; {known}" if known else "")
        return EngineError("no-model", f"Ollama has no model {self.model}", hint)

    def _down(self) -> EngineError:
        return EngineError(
            "down",
            f"no Ollama answers at {self.address}",
            f"get it from https://ollama.com/download, start it (ollama serve), then: "
            f"ollama pull {self.model}",
        )

    def _silent(self, loading: bool) -> EngineError:
        if loading:
            return EngineError(
                "loading",
                f"{self.model} was not loaded after {self.settings.load_timeout_s:g} s",
                "raise --load-timeout-s, or take a smaller model",
            )
        return EngineError(
            "silent",
            f"Ollama at {self.address} said nothing for {self._read_s:g} s",
            "another program may keep it busy (ollama ps): wait, restart it, or raise --silence-s",
        )

    def _no_template(self) -> EngineError:
        return EngineError(
            "template",
            f"{self.model} has no chat template: it goes on with a text instead of answering",
            "import it again with one: py-harness import-gguf FILE --template auto "
            f"--model-name {self.model}",
        )
