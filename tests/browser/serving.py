"""Owns the site under test: built once or taken as given, and served on a loopback port.

Does not cover the browser (`launch`) nor what the pages must hold. A site that is given must have
been built without SITE_URL: its 404 page then links to the root of this server.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINES_SHOWN = 15
# A proxy that the machine is told to use must not see the loopback port.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def folder(target: Path, environ: Mapping[str, str]) -> Path:
    """The folder of SITE_DIR, or else the site freshly built into `target`; fails where neither."""
    if given := environ.get("SITE_DIR"):
        path = Path(given).resolve()
        if not (path / "index.html").is_file():
            pytest.fail(f"SITE_DIR={given} holds no index.html: build it first", pytrace=False)
        return path
    command = [sys.executable, "-m", "docs.macros.build", "--site-dir", str(target)]
    env = {k: v for k, v in os.environ.items() if k != "SITE_URL"}
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        told = (done.stdout + done.stderr).strip().splitlines()[-LINES_SHOWN:]
        pytest.fail("the site does not build; mend this first:\n" + "\n".join(told), pytrace=False)
    return target


class _Handler(SimpleHTTPRequestHandler):
    """Serves a built site as its host does: a missing address answers with the 404 page."""

    protocol_version = "HTTP/1.1"

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.is_file():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: pytest shows what matters."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves a page hangs up in the middle of an answer: no error of ours."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve the folder in a thread; gives the address of its root, ending in a slash."""
    handler = partial(_Handler, directory=str(site))
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def fetch(url: str) -> tuple[int, bytes]:
    """Status and body of an address, redirects followed; an HTTP error is an answer too."""
    try:
        with _opener.open(url, timeout=10) as answer:
            return int(answer.status), bytes(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def pages(site: Path) -> list[str]:
    """The address of every page, relative to the site's root: '', 'numbers/', ..."""
    found = (path.parent.relative_to(site).as_posix() for path in site.rglob("index.html"))
    return sorted("" if path == "." else f"{path}/" for path in found)
