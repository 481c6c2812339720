"""Owns the proof that a large file is fetched whole, on from where it broke off, and checked.

Does not cover what the file holds (`test_gguf`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.model import download
from tests.file_server import Files, serving


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Files, str]]:
    """A file server and its address; a proxy stands in the way."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with serving() as found:
        yield found


def test_a_file_is_fetched_once(tmp_path: Path, files: tuple[Files, str]) -> None:
    """The file comes whole and is not fetched again; progress is told."""
    source, url = files
    told: list[str] = []
    sum_ = hashlib.sha256(source.data).hexdigest()
    for _ in range(2):
        path = download.fetch(url, tmp_path / "new", told.append, sha256=f"sha256:{sum_}")
    assert path.read_bytes() == source.data
    assert len(source.ranges) == 1
    assert told[0] == "x.gguf: 0.1 MB of 0.1 MB"
    assert "here already" in told[-1]
    assert [p.name for p in path.parent.iterdir()] == ["x.gguf"]


@pytest.mark.parametrize("ways", [["cut", "whole"], ["cut", "503", "cut", "whole"]])
def test_a_fetch_goes_on_where_it_broke_off(
    tmp_path: Path, files: tuple[Files, str], ways: list[str]
) -> None:
    """After a cut only what is missing is asked for."""
    source, url = files
    source.ways[:] = ways
    assert download.fetch(url, tmp_path, print).read_bytes() == source.data
    assert source.ranges[:2] == ["", f"bytes={len(source.data) // 2}-"]


def test_a_server_without_ranges_begins_anew(tmp_path: Path, files: tuple[Files, str]) -> None:
    """A part that the server cannot go on with is written over, not appended to."""
    source, url = files
    (tmp_path / "x.gguf.part").write_bytes(b"old" * 100)
    source.ways[:] = ["no-ranges"]
    assert download.fetch(url, tmp_path, print).read_bytes() == source.data


@pytest.mark.parametrize("extra", [0, 5])
def test_a_part_that_is_whole_or_longer(
    tmp_path: Path, files: tuple[Files, str], extra: int
) -> None:
    """A whole part is taken; one that is longer than the file is fetched anew."""
    source, url = files
    (tmp_path / "x.gguf.part").write_bytes(source.data + b"x" * extra)
    assert download.fetch(url, tmp_path, print).read_bytes() == source.data


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("404", "answered 404: no such file (check the name and --quant)"),
        ("401", "wants a login (401)"),
        ("vast", "needs 1000000.00 GB more (make room, or give another folder with --cache)"),
    ],
)
def test_a_fetch_that_cannot_work(
    tmp_path: Path, files: tuple[Files, str], way: str, said: str
) -> None:
    """A missing file, a login and a full disk each have their line, at the first attempt."""
    source, url = files
    source.ways[:] = [way]
    with pytest.raises(HarnessError) as caught:
        download.fetch(url, tmp_path, print)
    assert said in str(caught.value)
    assert len(source.ranges) == 1


def test_a_fetch_that_is_given_up(
    tmp_path: Path, files: tuple[Files, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some attempts it ends, and what came is kept for the next time."""
    source, url = files
    source.ways[:] = ["cut"]
    monkeypatch.setattr(download, "ATTEMPTS", 2)
    with pytest.raises(HarnessError, match=r"broke off 2 times .*are kept; run it again to go on"):
        download.fetch(url, tmp_path, print)
    assert (tmp_path / "x.gguf.part").stat().st_size == len(source.data) * 3 // 4
    assert not (tmp_path / "x.gguf").exists()


def test_a_wrong_sum_removes_the_file(tmp_path: Path, files: tuple[Files, str]) -> None:
    """A fetched file of another sum is removed; one of the user's own is left alone."""
    _, url = files
    with pytest.raises(HarnessError, match=r"has the sum .* it was removed"):
        download.fetch(url, tmp_path, print, sha256="0" * 64)
    assert list(tmp_path.iterdir()) == []
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF")
    with pytest.raises(HarnessError, match="has the sum"):
        download.checked(own, "0" * 64)
    assert own.exists()


def test_the_cache_is_where_the_system_keeps_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is named wins over the system's own."""
    monkeypatch.setenv("PY_HARNESS_CACHE", "/x/y")
    assert download.cache_folder() == Path("/x/y")
    monkeypatch.delenv("PY_HARNESS_CACHE")
    assert download.cache_folder().name == "py-harness"
