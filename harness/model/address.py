"""Owns addresses of servers: their forms, whether they are of this machine, what may go there.

Does not cover the talk with a server (`engines/`) nor what a secret looks like (`secrets`).
"""

from __future__ import annotations

import ipaddress
import os
import urllib.parse

from harness.errors import EngineError, HarnessError
from harness.model import secrets

OLLAMA_URL = "http://127.0.0.1:11434"
OPENAI_URL = "http://127.0.0.1:8080/v1"
MAX_SENT = 200_000
"""Characters of one prompt that may leave this machine and its private network."""


def from_environment(names: tuple[str, ...]) -> str:
    """The first of these environment variables that is set; empty without any."""
    return next((v for v in (os.environ.get(name, "").strip() for name in names) if v), "")


def ollama(given: str) -> str:
    """An address from any of Ollama's forms: host, host:port, :port, 0.0.0.0, a full one."""
    text = given.strip().rstrip("/")
    scheme, mark, rest = text.rpartition("://")
    if rest.count(":") > 1 and "[" not in rest:
        rest = f"[{rest}]"
    try:
        parts = urllib.parse.urlsplit(f"//{rest}")
        port = parts.port
    except ValueError as wrong:
        raise HarnessError(
            f"{given!r} is no address of a server", f"such as {OLLAMA_URL}; see OLLAMA_HOST"
        ) from wrong
    host = parts.hostname or "127.0.0.1"
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    host = f"[{host}]" if ":" in host else host
    port = port or ({"http": 80, "https": 443}[scheme] if scheme in ("http", "https") else 11434)
    return f"{scheme if mark else 'http'}://{host}:{port}{parts.path}"


def openai(given: str) -> str:
    """The address with scheme and path; /v1 where no path is given."""
    text = given.strip()
    text = text if "://" in text else f"http://{text}"
    try:
        found = urllib.parse.urlsplit(text)
        wrong = found.scheme not in ("http", "https") or not found.hostname
        _ = found.port
    except ValueError:
        wrong = True
    if wrong:
        raise HarnessError(f"{given!r} is no address of a server", f"such as {OPENAI_URL}")
    text = text.rstrip("/")
    return text if found.path.strip("/") else f"{text}/v1"


def is_local(address: str) -> bool:
    """Whether an address is this machine's own or of its private network."""
    host = urllib.parse.urlsplit(address).hostname or ""
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host
    return found.is_loopback or found.is_private or found.is_link_local


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own; a proxy must never stand before it."""
    host = urllib.parse.urlsplit(address).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def must_be_sendable(address: str, text: str) -> None:
    """Refuse to send a secret, or a whole project, to a host outside the private network."""
    if is_local(address):
        return
    host, kinds = urllib.parse.urlsplit(address).hostname, secrets.find(text)
    if kinds:
        raise EngineError(
            "secret",
            f"the prompt holds a secret ({', '.join(kinds)}); nothing was sent to {host}",
            "take it out of the files, narrow --scope, or use a model on this machine",
        )
    if len(text) > MAX_SENT:
        raise EngineError(
            "refused",
            f"the prompt has {len(text):,} characters; at most {MAX_SENT:,} go to {host}",
            "name fewer files, narrow --scope, or use a model on this machine",
        )
