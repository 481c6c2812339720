"""Owns the fetching of one large file: on from where it broke off, checked, with room on the disk.

Does not cover what the file holds (`gguf`).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path

from harness.errors import HarnessError
from harness.model.address import is_loopback

ATTEMPTS = 4
"""Times that a file is gone on with before it is given up."""
_BLOCK = 1 << 20
_SILENCE_S = 60.0


def cache_folder() -> Path:
    """Where downloads are kept: PY_HARNESS_CACHE, else the system's folder for such."""
    given = os.environ.get("PY_HARNESS_CACHE", "")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "py-harness"


def fetch(
    url: str,
    folder: Path,
    tell: Callable[[str], None],
    *,
    sha256: str = "",
    silence_s: float = _SILENCE_S,
) -> Path:
    """The file of an address, in that folder; HarnessError says what failed and what is kept."""
    name = Path(urllib.parse.unquote(urllib.parse.urlsplit(url).path)).name
    if urllib.parse.urlsplit(url).scheme not in ("http", "https") or not name:
        raise HarnessError(f"{url} is no address of a file", "such as https://host/folder/x.gguf")
    target = folder / name
    if target.is_file():
        tell(f"{name} is here already: {target}")
        return _checked(target, target, sha256)
    folder.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{name}.part")
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _continue(url, part, tell, silence_s)
            return _checked(part, target, sha256)
        except (OSError, HTTPException) as broken:
            if attempt == ATTEMPTS:
                raise _given_up(url, part, broken) from broken
            tell(f"the connection broke off after {_size(_have(part))}; going on")
            time.sleep(min(0.2 * 2**attempt, 5.0))
    raise AssertionError("the last attempt returns or raises")


@dataclass(frozen=True)
class _Answer:
    """What the server sends: from which byte on, and how long the whole file is."""

    start: int
    total: int | None


def checked(path: Path, sha256: str) -> Path:
    """A file of the user's, once its sum is right; HarnessError else, and it is left alone."""
    _must_match(path, sha256, "")
    return path


def _continue(url: str, part: Path, tell: Callable[[str], None], silence_s: float) -> None:
    """Write what is missing; OSError where it breaks off again."""
    have = _have(part)
    headers = {"User-Agent": "py-harness", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        answer = _opener(url).open(urllib.request.Request(url, headers=headers), timeout=silence_s)
    except urllib.error.HTTPError as wrong:
        with wrong:
            if wrong.code == 416 and _total(wrong.headers.get("Content-Range", "")) == have:
                return
            if wrong.code == 416:
                part.unlink()
                raise OSError("the part was longer than the file") from wrong
            if wrong.code in (429, 500, 502, 503, 504):
                raise OSError(f"the server answered {wrong.code}") from wrong
            raise _refused(url, wrong.code) from wrong
    with answer:
        said = _answer(answer, have)
        _must_have_room(part.parent, said, url)
        _copy(answer, part, said, tell)


def _copy(answer: HTTPResponse, part: Path, said: _Answer, tell: Callable[[str], None]) -> None:
    """The bytes onto the disk, with a line each tenth or each ten seconds."""
    done, told, at = said.start, said.start, time.monotonic()
    with part.open("ab" if said.start else "wb") as out:
        while block := answer.read(_BLOCK):
            out.write(block)
            done += len(block)
            tenth = said.total and done - told >= said.total / 10
            if tenth or time.monotonic() - at > 10:
                told, at = done, time.monotonic()
                whole = f" of {_size(said.total)}" if said.total else ""
                tell(f"{part.stem}: {_size(done)}{whole}")
    if said.total is not None and done != said.total:
        raise OSError(f"{done} of {said.total} bytes came")


def _answer(answer: HTTPResponse, have: int) -> _Answer:
    """Where the answer begins; a server that knows no ranges begins anew."""
    length = answer.headers.get("Content-Length", "")
    if answer.status == 206:
        return _Answer(have, _total(answer.headers.get("Content-Range", "")))
    return _Answer(0, int(length) if length.isdigit() else None)


def _total(content_range: str) -> int | None:
    total = content_range.rpartition("/")[2]
    return int(total) if total.isdigit() else None


def _have(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _opener(url: str) -> urllib.request.OpenerDirector:
    """No proxy stands before this machine."""
    proxies = urllib.request.ProxyHandler({}) if is_loopback(url) else urllib.request.ProxyHandler()
    return urllib.request.build_opener(proxies)


def _must_have_room(folder: Path, said: _Answer, url: str) -> None:
    if said.total is None:
        return
    need, free = said.total - said.start, shutil.disk_usage(folder).free
    if need > free:
        raise HarnessError(
            f"{folder} has {_size(free)} free; {url.rpartition('/')[2]} needs {_size(need)} more",
            "make room, or give another folder with --cache",
        )


def _checked(found: Path, target: Path, sha256: str) -> Path:
    """The file under its own name, once its sum is right; a wrong one is removed."""
    try:
        _must_match(found, sha256, "; it was removed")
    except HarnessError:
        found.unlink()
        raise
    if found != target:
        found.replace(target)
    return target


def _must_match(path: Path, sha256: str, then: str) -> None:
    wanted = sha256.removeprefix("sha256:").lower()
    if not wanted:
        return
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != wanted:
        raise HarnessError(
            f"{path.name.removesuffix('.part')} has the sum {found}, not {wanted}{then}",
            "check --sha256 and where the file comes from",
        )


def _refused(url: str, code: int) -> HarnessError:
    name = url.rpartition("/")[2]
    if code in (401, 403):
        return HarnessError(
            f"{url} wants a login ({code})",
            f"fetch {name} with your browser, then give import-gguf its path",
        )
    return HarnessError(f"{url} answered {code}: no such file", "check the name and --quant")


def _given_up(url: str, part: Path, why: Exception) -> HarnessError:
    host, have = urllib.parse.urlsplit(url).netloc, _have(part)
    kept = f"{_size(have)} are kept; run it again to go on" if have else "check the connection"
    reason = getattr(why, "reason", None) or why
    return HarnessError(f"{host} broke off {ATTEMPTS} times ({reason})", kept)


def _size(count: int) -> str:
    """A number of bytes for a person."""
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
