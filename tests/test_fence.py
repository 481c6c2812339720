"""The fence: whatever a name spells and whatever links there are, nothing outside is reached."""

from __future__ import annotations

import os
import socket
import unicodedata
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.tree.fence import Fence, is_protected
from harness.tree.workspace import Workspace
from harness.types import Refusal

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
