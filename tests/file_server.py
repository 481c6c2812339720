"""Owns a small local file server that cuts, refuses and goes on as told.

Does not cover what a fetch makes of it (`test_download`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Files:
    """A file server: `ways` is used up one a request, the last one for ever."""

    data: bytes
    ways: list[str] = field(default_factory=lambda: ["whole"])
    ranges: list[str] = field(default_factory=list)


class _FileHandler(BaseHTTPRequestHandler):
    files: Files

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Send the file, or a part of it, or go wrong."""
        files = self.files
        way = files.ways.pop(0) if len(files.ways) > 1 else files.ways[0]
        asked = self.headers.get("Range", "")
        files.ranges.append(asked)
        if way.isdigit():
            self.send_error(int(way))
            return
        start = int(asked[6:-1]) if asked and way != "no-ranges" else 0
        if start >= len(files.data):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(files.data)}")
            self.end_headers()
            return
        rest = files.data[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(files.data)}/{len(files.data)}")
        self.send_header("Content-Length", str(10**15 if way == "vast" else len(rest)))
        self.end_headers()
        self.wfile.write(rest[: len(rest) // 2] if way == "cut" else rest)


@contextmanager
def serving() -> Iterator[tuple[Files, str]]:
    """A file server and the address of its file, as long as the block runs."""
    found = Files(bytes(range(256)) * 400)

    class Bound(_FileHandler):
        pass

    Bound.files = found
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield found, f"http://127.0.0.1:{server.server_address[1]}/m/x.gguf"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
