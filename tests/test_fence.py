"""The fence: whatever a name spells and whatever links there are, nothing outside is reached."""

from __future__ import annotations

import ctypes
import os
import socket
import tempfile
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import HarnessError
from harness.fence import Fence, is_protected
from harness.types import Refusal
from harness.workspace import Workspace

POSIX = pytest.mark.skipif(os.name != "posix", reason="makes links and pipes")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project beside a folder that is not of it."""
    folder = tmp_path / "root"
    (folder / "src").mkdir(parents=True)
    (folder / "src/a.py").write_text("a = 1\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.py").write_text("outside\n")
    (tmp_path / "root-two").mkdir()
    return folder


def reason(root: Path, name: str, *, write: bool = True, scope: tuple[str, ...] = ()) -> str:
    """Why a name is refused; empty where it is not."""
    judged = Fence(root, scope).judge(name, write=write)
    if isinstance(judged, str):
        return ""
    assert judged.by == "fence"
    assert judged.next_action
    assert "\n" not in judged.reason
    assert judged.reason.isprintable()
    return judged.reason


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//./a.py", "src/a.py"),
        ("new/deep/b.py", "new/deep/b.py"),
        ("tests/test_secrets.py", "tests/test_secrets.py"),
        ("src/credentials.py", "src/credentials.py"),
        ("docs/secrets.md", "docs/secrets.md"),
        ("src/tokens.json", "src/tokens.json"),
        ("src/environment.toml", "src/environment.toml"),
        ("src/keyboard.ini", "src/keyboard.ini"),
        ("src/nullable.py", "src/nullable.py"),
        ("src/console.py", "src/console.py"),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("src/größe.py", "src/größe.py"),
        ("src/.gіt/a.py", "src/.gіt/a.py"),
    ],
)
def test_plain_names_are_allowed(root: Path, name: str, path: str) -> None:
    """Names of a project's own text are allowed, and given back in one canonical spelling."""
    assert Fence(root).judge(name, write=True) == path


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "no file is named"),
        ("  ", "no file is named"),
        (".", "names the project's folder"),
        ("..", "`..`"),
        ("../outside/a.py", "`..`"),
        ("src/../src/a.py", "`..`"),
        ("src/../../outside/a.py", "`..`"),
        ("/etc/passwd", "outside the project"),
        ("//server/share/a.py", "network path"),
        ("\\\\server\\share\\a.py", "network path"),
        ("C:\\a.py", "backslash"),
        ("C:/a.py", "colon"),
        ("c:a.py", "colon"),
        ("src/a.py:stream", "colon"),
        ("src/a.py::$DATA", "colon"),
        ("src/a.py.", "ends with a dot"),
        ("src/a.py ", "space"),
        ("src./a.py", "ends with a dot"),
        ("src /a.py", "space"),
        ("src/a\0.py", "U+0000"),
        ("src/a\n.py", "U+000A"),
        ("src/a\x7f.py", "U+007F"),
        ("src/\u202eyp.a.py", "U+202E"),
        (".g\u200bit/a.py", "U+200B"),
        ("src/\ud800.py", "U+D800"),
        ("CON", "device on Windows|no kind"),
        ("src/con.py", "device on Windows"),
        ("NUL.txt", "device on Windows"),
        ("src/lpt1.tar.py", "device on Windows"),
        ("aux/a.py", "device on Windows"),
        ("src/a?.py", "Windows forbids"),
        ("a" * 253 + ".py", "longer than 255"),
        ("ü" * 130 + ".py", "longer than 255"),
        ("a/" * 600 + "a.py", "1024 at most"),
        ("~/a.py", "begins with ~"),
        ("-c.py", "begins with -"),
        ("src/", "names a folder"),
        ("src", "no kind of text|folder"),
        ("src/a.py/b.py", "a file stands where a folder"),
        (".git/config.ini", "never read or written"),
        (".GIT/config.ini", "never read or written"),
        ("sub/.git/hooks/a.py", "never read or written"),
        (".py-harness/runs/x/run.json", "never read or written"),
        (".Py-Harne\u017f\u017f/a.py", "never read or written"),
        (".venv/lib/a.py", "never read or written"),
        ("node_modules/a/a.json", "never read or written"),
        ("a.egg-info/a.txt", "never read or written"),
        (".ssh/a.txt", "never read or written"),
        (".env", "secrets|never"),
        (".ENV", "secrets|never"),
        (".env.local", "secrets"),
        (".env.py", "secrets"),
        ("prod.env", "secrets"),
        ("credentials.json", "secrets"),
        ("credentials-prod.json", "secrets"),
        ("google_credentials.json", "secrets"),
        ("secrets.toml", "secrets"),
        ("my-service-account.json", "secrets"),
        (".pypirc", "secrets"),
        (".netrc", "secrets"),
        ("id_rsa", "secrets"),
        ("id_rsa.txt", "secrets"),
        ("server.pem", "secrets"),
        ("server.key", "secrets"),
        ("a.exe", "no kind of text"),
        ("a.so", "no kind of text"),
        ("a.py.bak", "no kind of text"),
        ("Makefile", "no kind of text"),
    ],
)
def test_hostile_names_are_refused(root: Path, name: str, why: str) -> None:
    """Each name is refused for writing with its own reason, on one line, and a next step."""
    said = reason(root, name)
    assert any(part in said for part in why.split("|")), said


def test_names_without_a_suffix_are_read_only(root: Path) -> None:
    """A Makefile may be read and not written; a file of unknown kind neither."""
    for name in ("Makefile", "LICENSE", "templates/a.html", ".gitignore", "py.typed"):
        assert reason(root, name, write=False) == ""
        assert "may be written" in reason(root, name)
    assert "may be read" in reason(root, "data.bin", write=False)


def test_absolute_names_count_only_inside(root: Path) -> None:
    """An absolute name inside is the relative one; a sibling of like name is outside."""
    assert Fence(root).judge(str(root / "src/a.py"), write=True) == "src/a.py"
    assert "outside" in reason(root, str(root.parent / "outside/a.py"))
    assert "outside" in reason(root, f"{root}-two/a.py")
    assert reason(root, f"{root}/../outside/a.py") != ""


def test_scope_fences_reads_and_writes(root: Path) -> None:
    """With a scope, everything beside it is refused for both; a like name is beside it."""
    (root / "src2").mkdir()
    for write in (True, False):
        assert reason(root, "src/a.py", write=write, scope=("src/",)) == ""
        assert reason(root, "src/a.py", write=write, scope=(str(root / "src"),)) == ""
        assert reason(root, "src/a.py", write=write, scope=("src/a.py",)) == ""
        for name in ("src2/a.py", "a.py", "src/b.py"):
            said = reason(root, name, write=write, scope=("src/a.py", "docs"))
            assert "outside the scope: src/a.py, docs" in said
    assert reason(root, "a.py", scope=(".",)) == ""


@pytest.mark.parametrize("scope", ["..", "/", "../outside", "src/../..", "", ".git", "a\0"])
def test_a_scope_that_leaves_is_the_persons_mistake(root: Path, scope: str) -> None:
    """A scope outside the project is told to the person, with what to give instead."""
    with pytest.raises(HarnessError, match="--scope"):
        Fence(root, (scope,))


def test_a_read_only_fence_refuses_every_write(root: Path) -> None:
    """Of a question nothing may be written, while all may be read."""
    fence = Fence(root, read_only=True)
    assert isinstance(fence.judge("src/a.py", write=True), Refusal)
    assert fence.judge("src/a.py", write=False) == "src/a.py"


def test_test_configuration_is_known() -> None:
    """Files that decide how a suite is judged are named, wherever they stand; others are not."""
    for name in ("conftest.py", "tests/conftest.py", "pyproject.toml", "a/PyTest.ini", "tox.ini"):
        assert is_protected(name)
    for name in ("tests/test_conftest.py", "src/a.py", "conftest.py/a.py", "my_pyproject.toml"):
        assert not is_protected(name)


@POSIX
def test_links_count_by_where_they_lead(root: Path) -> None:
    """A link inside is what it leads to; one that leaves, loops or dangles is refused."""
    (root / "in.py").symlink_to("src/a.py")
    (root / "lib").symlink_to(root / "src")
    (root / "out").symlink_to(root.parent / "outside")
    (root / "out.py").symlink_to("../outside/a.py")
    (root / "loop").symlink_to("loop")
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    (root / "gone.py").symlink_to("../outside/new.py")
    (root / ".env").write_text("KEY=1\n")
    (root / "plain.txt").symlink_to(".env")
    (root / "up").symlink_to("..")
    fence = Fence(root)
    assert fence.judge("in.py", write=True) == "src/a.py"
    assert fence.judge("lib/a.py", write=True) == "src/a.py"
    assert fence.judge("lib/new.py", write=True) == "src/new.py"
    assert fence.judge("up/root/src/a.py", write=True) == "src/a.py"
    for name in ("out/a.py", "out/new.py", "out.py", "gone.py", "up/outside/a.py", "up/new.py"):
        assert "leads out" in reason(root, name, write=False), name
    for name in ("loop/a.py", "one/a.py"):
        assert reason(root, name) != ""
    assert "secrets" in reason(root, "plain.txt", write=False)
    assert "outside the scope" in reason(root, "in.py", scope=("lib2",))


@POSIX
def test_only_regular_files_with_one_name_are_written(root: Path) -> None:
    """Pipes, sockets and hard-linked or read-only files are refused, without waiting for a pipe."""
    os.mkfifo(root / "pipe.py")
    server = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(root)
    server.bind("sock.txt")
    os.chdir(here)
    os.link(root / "src/a.py", root / "twin.py")
    (root / "locked.py").write_text("x\n")
    (root / "locked.py").chmod(0o444)
    workspace = Workspace(root)
    for name in ("pipe.py", "sock.txt"):
        assert "not a file" in reason(root, name, write=False)
        assert isinstance(workspace.read(name), Refusal)
    server.close()
    assert "hard links" in reason(root, "twin.py")
    assert reason(root, "twin.py", write=False) == ""
    assert "read-only" in reason(root, "locked.py")


def test_a_virtual_environment_of_any_name_is_no_part(root: Path) -> None:
    """A folder with pyvenv.cfg is neither listed nor read nor written."""
    (root / "env39/lib").mkdir(parents=True)
    (root / "env39/pyvenv.cfg").write_text("")
    (root / "env39/lib/a.py").write_text("")
    assert "virtual environment" in reason(root, "env39/lib/a.py", write=False)
    assert Workspace(root).files() == ("src/a.py",)


def test_two_spellings_of_an_accent_are_one_file(root: Path) -> None:
    """Composed or not, a name means the file that is there; a look-alike is another file."""
    for there in ("NFC", "NFD"):
        name = unicodedata.normalize(there, f"é-{there}.py")
        (root / name).write_text("")
        found = {
            Fence(root).judge(unicodedata.normalize(form, name), write=True)
            for form in ("NFC", "NFD")
        }
        assert found == {name}
    assert Fence(root).judge("src/а.py", write=True) == "src/а.py"


def test_case_never_makes_a_second_file(root: Path) -> None:
    """Another case is the file itself where the disk says so, else refused with the right name."""
    judged = Fence(root).judge("SRC/A.py", write=True)
    if isinstance(judged, Refusal):
        assert judged.reason.startswith("SRC/A.py differs only in case from src/A.py")
        assert "src/A.py" in judged.next_action
    else:
        assert judged == "src/a.py"


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
    assert flips[0] > 2000


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
