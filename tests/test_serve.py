"""`mkdocs serve`: shows a new number without a restart, survives each mistake, recovers."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import small_project
from tests.example_result import RESULT

WALL = "data/published/the-wall.json"
FIGURE = "wall.llama3.1-8b.worked"


@dataclass
class Preview:
    """A running preview of a small project."""

    folder: Path
    url: str
    process: subprocess.Popen[str]

    def get(self, path: str = "") -> str:
        """A page as served; waits while the preview starts or rebuilds."""
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return str(answer.read().decode("utf-8"))

    def wait(self, text: str, path: str = "", seconds: float = 60) -> str:
        """The page once it holds the text; fails with the page when it never does."""
        end, found = time.monotonic() + seconds, ""
        while time.monotonic() < end:
            assert self.process.poll() is None, "the preview ended"
            try:
                found = self.get(path)
            except (urllib.error.URLError, OSError):
                found = ""
            if text in found:
                return found
            time.sleep(0.2)
        raise AssertionError(f"{text!r} was not served in {seconds} s; the page: {found[-2000:]}")


@pytest.fixture(scope="module")
def preview(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Preview]:
    """The preview of a small project, as `make serve` starts it."""
    folder = small_project.make(tmp_path_factory.mktemp("served"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "docs.macros.serve", "--dev-addr", f"127.0.0.1:{port}"]
    with (folder / "serve.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=small_project.environment(folder),
            stdout=log,
            stderr=log,
            text=True,
            start_new_session=True,
        )
        running = Preview(folder, f"http://127.0.0.1:{port}/", process)
        try:
            running.wait(f'data-id="{FIGURE}"')
            yield running
        finally:
            stop(process)


def stop(process: subprocess.Popen[str]) -> None:
    """End the preview and the mkdocs beneath it, on any system."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], check=False)
    else:
        import os
        import signal

        os.killpg(process.pid, signal.SIGTERM)
    process.wait(timeout=20)


def test_an_edit_of_the_record_is_served(preview: Preview) -> None:
    """A researcher changes a number under data/ and sees it without a restart."""
    # The whole fact changes, as a new transcription would do it, and no verdict turns with it.
    changed = 0
    for path in sorted((preview.folder / "data/published").glob("*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        fact = [f for f in raw.get("figures", {}).values() if FIGURE in (f["id"], f.get("same_as"))]
        for figure in fact:
            figure["value"]["successes"] = 9
        if fact:
            path.write_text(json.dumps(raw), encoding="utf-8")
            changed += len(fact)
    assert changed > 1
    preview.wait("9\u00a0/\u00a020</data>")


def test_a_new_result_is_served(preview: Preview) -> None:
    """A result file that is added while the preview runs can be quoted at once."""
    path = preview.folder / "data/results/the-wall/try-1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(RESULT), encoding="utf-8")
    page = preview.folder / "docs/new.md"
    page.write_text('# New\n\n[[ num("try-1:solved") ]]\n', encoding="utf-8")
    html = preview.wait('data-kind="measured"', "new/")
    assert 'data-src="data/results/the-wall/try-1.json#/results/0/estimate"' in html
    path.unlink()
    preview.wait("no figure &#x27;try-1:solved&#x27;", "new/")
    page.unlink()


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("docs/index.md", '# Try\n\n[[ num("wall.llama") ]]\n', "no figure"),
        ("docs/index.md", "# Try\n\n[% for x in wals %][% endfor %]\n", "is undefined"),
        ("docs/index.md", "# Try\n\n[% for %]\n", "template: "),
        (WALL, "{", "not JSON"),
        ("bib/references.bib", "@article{x,", "bib/references.bib"),
    ],
)
def test_a_mistake_is_shown_in_the_page_and_mended(
    preview: Preview, name: str, text: str, shown: str
) -> None:
    """Each mistake is served as a box in the page, and gone once it is mended."""
    path = preview.folder / name
    before = path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    html = preview.wait('class="macro-error"')
    assert shown in html
    path.write_text(before, encoding="utf-8")
    end = time.monotonic() + 60
    while 'class="macro-error"' in preview.get() and time.monotonic() < end:
        time.sleep(0.2)
    html = preview.get()
    assert 'class="macro-error"' not in html
    assert f'data-id="{FIGURE}"' in html
