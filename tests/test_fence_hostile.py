"""The fence under attack: any string, any links, and folders that change under its hands."""

from __future__ import annotations

import ctypes
import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import HarnessError
from harness.tree.fence import Fence
from harness.tree.workspace import Workspace
from harness.types import Refusal

POSIX = pytest.mark.skipif(os.name != "posix", reason="makes links and pipes")

PIECES = st.sampled_from([
    "..", ".", "", "src", "a.py", "in", "out", "loop", "up", "hard.py", "pipe.py", "out.py", "~",
    ".git", ".env", "new", "b.py", "C:", "a.py:x", "CON", "nul.py", "SRC", "A.PY", "é.py",
    "e\u0301.py", "a.py.", "a.py ", "-x.py", "root", "outside", "\u202e.py", "deep", "x.json",
])  # fmt: skip
NAMES = st.one_of(
    st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=7).flatmap(
        lambda parts: st.sampled_from(["/", "\\", "//", "/./"]).map(lambda s: s.join(parts))
    ),
    st.text(max_size=30),
    st.lists(PIECES, max_size=5).map(lambda parts: "/".join(["{root}", *parts])),
)


@pytest.fixture(scope="module")
def hostile() -> Iterator[Path]:
    """A project full of links in, out, round and up, beside what must stay as it is."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name).resolve()
        (top / "root/src/deep").mkdir(parents=True)
        (top / "outside/deep").mkdir(parents=True)
        for path in ("outside/a.py", "outside/deep/b.py", "root/src/a.py", "root/a.py"):
            (top / path).write_text("kept\n")
        links = {
            "in": "src",
            "out": "../outside",
            "loop": "loop",
            "up": "..",
            "out.py": "/etc/x.py",
        }
        for link, target in links.items():
            (top / "root" / link).symlink_to(target)
        (top / "root/src/out").symlink_to(top / "outside")
        (top / "root/src/in").symlink_to("../src")
        os.link(top / "outside/a.py", top / "root/hard.py")
        os.mkfifo(top / "root/pipe.py")
        yield top


@POSIX
@settings(max_examples=1500, deadline=None)
@given(name=NAMES, write=st.booleans())
def test_no_spelling_reaches_outside(hostile: Path, name: str, write: bool) -> None:
    """Any string is refused in one line, or is a canonical path inside that is judged as itself."""
    root = hostile / "root"
    fence = Fence(root)
    name = name.replace("{root}", str(root))
    judged = fence.judge(name, write=write)
    if isinstance(judged, Refusal):
        assert judged.reason.isprintable()
        assert judged.next_action
        return
    assert os.path.realpath(root / judged) == str(root / judged)
    assert not {"..", ".", "", ".git", ".env"} & set(judged.split("/"))
    assert fence.judge(judged, write=write) == judged


@POSIX
@settings(max_examples=150, deadline=None)
@given(names=st.lists(NAMES, min_size=1, max_size=3))
def test_no_write_reaches_outside(hostile: Path, names: list[str]) -> None:
    """Whatever is written and taken back again, what is outside keeps its bytes and its entries."""
    root = hostile / "root"
    before = _outside(hostile)
    workspace = Workspace(root)
    files: dict[str, str | None] = {n.replace("{root}", str(root)): "written\n" for n in names}
    wrote = workspace.write(files, "r1")
    assert _outside(hostile) == before
    if not isinstance(wrote, Refusal) and wrote:
        assert workspace.undo("r1").left == ()
    assert _outside(hostile) == before
    assert (root / "src/a.py").read_text() == "kept\n"


def _outside(top: Path) -> dict[str, str]:
    """What stands beside the project."""
    found = {p.as_posix(): p.read_text() for p in (top / "outside").rglob("*") if p.is_file()}
    found["entries"] = " ".join(sorted(os.listdir(top)) + sorted(os.listdir(top / "outside")))
    return found


RENAME_EXCHANGE = 2
EXCHANGE = getattr(ctypes.CDLL(None) if os.name == "posix" else None, "renameat2", None)


@pytest.fixture
def flipped(tmp_path: Path) -> Iterator[Path]:
    """A project in which a folder and a link out of it change places all the time."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "d").mkdir(parents=True)
    outside.mkdir()
    (outside / "a.py").write_text("kept\n")
    (root / "d/a.py").write_text("0\n")
    (root / "link").symlink_to(outside)
    stop, flips = threading.Event(), [0]
    paths = (os.fsencode(root / "d"), os.fsencode(root / "link"))

    def flip() -> None:
        assert EXCHANGE is not None
        while not stop.is_set():
            flips[0] += EXCHANGE(-100, paths[0], -100, paths[1], RENAME_EXCHANGE) == 0

    thread = threading.Thread(target=flip)
    thread.start()
    yield root
    stop.set()
    thread.join()
    assert flips[0] > 20


@pytest.mark.skipif(EXCHANGE is None, reason="needs a system that exchanges two names at once")
def test_a_folder_swapped_for_a_link_is_never_written_through(flipped: Path) -> None:
    """While a folder is swapped for a link out of the project, nothing outside is written."""
    ends: Counter[str] = Counter()
    until = time.monotonic() + 2
    while time.monotonic() < until:
        ends[_attempt(flipped, f"r{ends.total():06}")] += 1
    outside = flipped.parent / "outside"
    assert {p.name: p.read_text() for p in outside.iterdir()} == {"a.py": "kept\n"}
    assert ends["written"], ends
    assert ends["refused"] + ends["told"], ends


@pytest.mark.skipif(EXCHANGE is None, reason="needs a system that exchanges two names at once")
def test_the_race_is_a_real_one(flipped: Path) -> None:
    """A write by path right after the judgement does reach outside in that time."""
    outside, until = flipped.parent / "outside/a.py", time.monotonic() + 10
    fence = Fence(flipped)
    while outside.read_text() == "kept\n" and time.monotonic() < until:
        judged = fence.judge("d/a.py", write=True)
        if isinstance(judged, str) and judged.startswith("d/"):
            (flipped / judged).write_text("reached\n")
    assert outside.read_text() == "reached\n"


def _attempt(root: Path, run_id: str) -> str:
    """One write, and in what way it ended."""
    files: dict[str, str | None] = {"d/a.py": f"{run_id}\n", "d/new.py": f"{run_id}\n"}
    try:
        wrote = Workspace(root).write(files, run_id)
    except HarnessError:
        return "told"
    return "refused" if isinstance(wrote, Refusal) else "written"
