"""Owns a small local server that speaks Ollama's and OpenAI's form and goes wrong on request.

Does not cover what the engines make of it (`test_engines`).
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "tiny:1b"
WORDS = ("def double(n):\n", "    return ", "n * 2\n")
ERRORS = {
    "loading": (503, "loading model"),
    "busy": (503, "server busy, please try again. maximum pending requests exceeded"),
    "too-big": (500, "model requires more system memory (8.0 GiB) than is available (2.0 GiB)"),
    "no-model": (404, f"model '{MODEL}' not found"),
    "broken": (500, "something inside broke"),
    "leaky": (500, "bad header: Bearer sk-secret-of-this-test"),
    "refused": (400, "invalid options"),
    "no-key": (401, "Incorrect API key provided: sk-secret-of-this-test"),
    "too-many": (429, "slow down"),
    "quota": (429, "You exceeded your current quota, check your billing"),
    "too-long": (400, "the request exceeds the available context size"),
}


@dataclass
class Script:
    """What the server does; `ways` is used up one a question, the last one for ever."""

    ways: list[str] = field(default_factory=lambda: ["normal"])
    template: str = "{{ .System }}{{ .Prompt }}<|end|>"
    capabilities: tuple[str, ...] = ("completion", "insert")
    trained: int = 32768
    loaded: dict[str, int] = field(default_factory=lambda: {MODEL: 8192})
    """Served context by name."""
    prompt_tokens: int | None = 40
    listed: bool = True
    """Whether /v1/models is there."""
    props: dict[str, Any] | None = None
    """Of llama.cpp's server."""
    gap: str = ""
    """What llama.cpp's endpoint for a gap says it made of the question."""
    infills: bool = True
    """Whether it has that endpoint."""
    seen: list[tuple[str, dict[str, Any], Mapping[str, str]]] = field(default_factory=list)
    """Path, body and headers of each question."""
    created: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of imports."""
    blobs: dict[str, bytes] = field(default_factory=dict)
    """What was uploaded, by digest."""
    closing: threading.Event = field(default_factory=threading.Event)

    def way(self) -> str:
        """The next way to answer."""
        return self.ways.pop(0) if len(self.ways) > 1 else self.ways[0]


@contextmanager
def served(script: Script) -> Iterator[str]:
    """The server's address, as long as the block runs."""

    class Bound(_Handler):
        pass

    Bound.script = script
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        script.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer what a server says of itself."""
        script = self.script
        if script.ways[0] == "deaf":
            self._wait()
            return
        if script.ways[0] == "page":
            self._whole(200, "<html>hello</html>", "text/html")
            return
        loaded = [
            {"model": name, "name": name, "context_length": size}
            for name, size in script.loaded.items()
        ]
        answers: dict[str, Any] = {
            "/api/version": {"version": "0.12.6"},
            "/api/tags": {"models": [{"model": MODEL, "name": MODEL, "digest": "d1"}]},
            "/api/ps": {"models": loaded},
        }
        if script.listed:
            answers["/v1/models"] = {"object": "list", "data": [{"id": MODEL}]}
        if script.props is not None:
            answers["/props"] = script.props
        found = answers.get(self.path)
        status, body = (404, {"error": "no such page"}) if found is None else (200, found)
        self._whole(status, json.dumps(body))

    def do_POST(self) -> None:
        """Answer a question in the next way of the script."""
        data = self._body()
        if self.path.startswith("/api/blobs/"):
            self.script.blobs[self.path.removeprefix("/api/blobs/")] = data
            self._whole(201, "")
            return
        body = json.loads(data or b"{}")
        if self.path in ("/api/show", "/api/create"):
            (self._show if self.path == "/api/show" else self._create)(body)
            return
        self.script.seen.append((self.path, body, dict(self.headers)))
        way = self.script.way()
        if self.path == "/infill" and not self.script.infills:
            self._error(501, "Infill is not supported by this model")
        elif way in ERRORS:
            self._error(*ERRORS[way])
        elif way == "no-stream-options" and "stream_options" in body:
            self._error(400, "unknown field stream_options")
        elif way == "no-max-tokens" and "max_tokens" in body:
            self._error(400, "use max_completion_tokens instead of max_tokens")
        elif way in ("deaf", "no-answer"):
            self._wait()
        elif way == "reset":
            self._reset()
        elif way == "page":
            self._whole(200, "<html>hello</html>", "text/html")
        elif way == "whole":
            self._plain()
        else:
            self._stream(way, body)

    def do_DELETE(self) -> None:
        """Forget an imported model."""
        name = json.loads(self._body())["model"]
        self.script.created = [c for c in self.script.created if c["model"] != name]
        self._whole(200, "")

    def _body(self) -> bytes:
        """The request's body, chunked or not."""
        if "Content-Length" in self.headers:
            return self.rfile.read(int(self.headers["Content-Length"]))
        data = b""
        while size := int(self.rfile.readline(), 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _create(self, body: dict[str, Any]) -> None:
        """Import as Ollama does: a file without a template gets one that only passes on."""
        script = self.script
        if script.ways[0] == "create-fails":
            self._whole(200, json.dumps({"error": "unsupported architecture"}))
            return
        script.created.append(body)
        script.template = body.get("template") or "{{ .Prompt }}"
        script.capabilities = ("completion", *(["insert"] * (".Suffix" in script.template)))
        steps = ({"status": "parsing GGUF"}, {"status": "success"})
        lines = "".join(json.dumps(step) + "\n" for step in steps)
        self._whole(200, lines, "application/x-ndjson")

    def _show(self, body: Mapping[str, Any]) -> None:
        script = self.script
        if body.get("model") not in {MODEL, *(made["model"] for made in script.created)}:
            self._error(404, f"model '{body.get('model')}' not found")
            return
        found = {
            "template": script.template,
            "modelfile": "FROM x",
            "details": {"parameter_size": "1B", "quantization_level": "Q4_K_M"},
            "model_info": {"general.architecture": "q", "q.context_length": script.trained},
            "capabilities": list(script.capabilities),
        }
        self._whole(200, json.dumps(found))

    def _native(self) -> bool:
        return self.path.startswith("/api/")

    def _error(self, status: int, said: str) -> None:
        error: Any = said if self._native() else {"message": said, "code": status}
        retry = {"Retry-After": "1"} if status == 429 else {}
        self._whole(status, json.dumps({"error": error}), extra=retry)

    def _whole(
        self,
        status: int,
        text: str,
        kind: str = "application/json",
        extra: Mapping[str, str] | None = None,
    ) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, **(extra or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _plain(self) -> None:
        message = {"message": {"content": "".join(WORDS)}, "finish_reason": "stop"}
        self._whole(200, json.dumps({"choices": [message], "usage": {"prompt_tokens": 40}}))

    def _wait(self) -> None:
        self.script.closing.wait(20)
        self.close_connection = True

    def _reset(self) -> None:
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        # With no time to linger, the close that follows is a reset.
        self.close_connection = True

    def _stream(self, way: str, body: Mapping[str, Any]) -> None:
        kind = "application/x-ndjson" if self._native() else "text/event-stream"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if way == "odd-type" else kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            self._said(way, body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _said(self, way: str, body: Mapping[str, Any]) -> None:
        if body.get("messages") == []:
            time.sleep(0.6 if way == "slow-load" else 0)
            self._chunk(self._end("load"))
            self._chunk(b"", last=True)
            return
        if way == "error-body":
            self._chunk(self._framed({"error": "the runner fell over"}))
        elif way == "repetition":
            for _ in range(3000):
                self._chunk(self._piece("    value = value + 1\n"))
        elif way == "drip":
            while not self.script.closing.wait(0.1):
                self._chunk(self._piece(f"{time.monotonic()}\n"))
        elif way == "bytes":
            for byte in self._piece("née → 🦉") + self._end("stop"):
                self._chunk(bytes([byte]))
        elif way == "huge":
            self._chunk(self._piece("x y " * 300_000) + self._end("stop"))
        else:
            self._pieces(way)
            return
        self._chunk(b"", last=True)

    def _pieces(self, way: str) -> None:
        if way == "think":
            self._chunk(self._piece("", "let me see"))
        words: tuple[str, ...] = () if way in ("empty", "only-thinks") else WORDS
        if way == "only-thinks":
            self._chunk(self._piece("", "hm"))
        if way == "think-tags":
            words = ("so\n</think>\n", *WORDS)
        for word in words[:2] if way in ("cut", "quiet-cut", "stall") else words:
            self._chunk(self._piece(word))
        if way == "stall":
            self._wait()
        elif way == "cut":
            self.close_connection = True
        else:
            if way != "quiet-cut":
                self._chunk(self._end("length" if way == "length" else "stop"))
            self._chunk(b"", last=True)

    def _piece(self, text: str, thinking: str = "") -> bytes:
        if self.path == "/infill":
            return self._framed({"content": text, "stop": False})
        if self.path == "/api/generate":
            return self._framed({"model": MODEL, "response": text, "done": False})
        if self.path == "/api/chat":
            said = {"role": "assistant", "content": text}
            said |= {"thinking": thinking} if thinking else {}
            return self._framed({"model": MODEL, "message": said, "done": False})
        if self.path == "/v1/completions":
            return self._framed({"choices": [{"text": text}]})
        delta = {"reasoning_content": thinking} if thinking else {"content": text}
        return self._framed({"choices": [{"delta": delta}]})

    def _end(self, why: str) -> bytes:
        count = self.script.prompt_tokens
        if self.path == "/infill":
            ended = {"content": "", "stop": True, "stop_type": "eos", "tokens_evaluated": count}
            ended["prompt"] = self.script.gap
            return self._framed(ended)
        if self._native():
            ended = {"model": MODEL, "done": True, "done_reason": why, "load_duration": 10**8}
            ended |= {"eval_count": 9} | ({"prompt_eval_count": count} if count else {})
            empty = {"message": {"role": "assistant", "content": ""}}
            return self._framed(ended | (empty if self.path == "/api/chat" else {"response": ""}))
        last = self._framed({"choices": [{"delta": {}, "finish_reason": why}]})
        usage = {"prompt_tokens": count, "completion_tokens": 9}
        counted = self._framed({"choices": [], "usage": usage}) if count else b""
        return last + counted + (b"" if self._native() else b"data: [DONE]\n\n")

    def _framed(self, event: Mapping[str, Any]) -> bytes:
        line = json.dumps(event, ensure_ascii=False).encode()
        return line + b"\n" if self._native() else b"data: " + line + b"\n\n"

    def _chunk(self, data: bytes, last: bool = False) -> None:
        if data:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        if last:
            self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()
