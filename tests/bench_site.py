"""`make bench-site`: what our macros cost against plain Material on the same rendered pages.

Builds the real site and a generated one, each with our macros and as plain Markdown that already
holds what they print; then times an edit until it is served. Prints times and ratios; not a test.
"""

from __future__ import annotations

import argparse
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from docs.macros import expand, registry
from docs.macros.check import source_pages
from docs.macros.page import PageContext
from docs.macros.site import Site
from tests import small_project

ROOT = Path(__file__).resolve().parents[1]
FILLER = "The run wrote its files, the suite was run again, and what it said was kept. " * 12


def generated(site: Site, pages: int, numbers: int) -> dict[str, str]:
    """Pages of prose with bound numbers, cycling through the figures of the record."""
    ids = [f.id for f in site.record.walk()]
    each = numbers // pages
    out = {"index.md": "# Generated\n\nA site to time.\n"}
    for page in range(pages):
        chosen = [ids[(page * each + k) % len(ids)] for k in range(each)]
        lines = [f'It printed [[ num("{name}") ]]. {FILLER}\n' for name in chosen]
        out[f"p{page:04}.md"] = f"# Page {page}\n\n" + "\n".join(lines)
    return out


def rendered(site: Site, folder: Path) -> dict[str, str]:
    """Every page of a project with our HTML already in place of the macros."""
    sources = source_pages(folder)
    site.open()
    site.scan(sources)
    slugs = [*site.record.published, "counts"]
    replay = {
        f"replay/{s}.md": f'---\ntitle: R\n---\n\n[[ replay_entries("{s}") ]]\n' for s in slugs
    }
    texts = {s.src: (s.url, s.text) for s in sources}
    texts |= {src: (src.removesuffix(".md") + "/", text) for src, text in replay.items()}
    out = {}
    for src, (url, text) in texts.items():
        page = PageContext(site, src, url)
        out[src] = page.to_html(expand.expand(text, page, registry.caller(page)))
    return out


def ours(folder: Path, pages: dict[str, str]) -> Path:
    """A project with our macros."""
    return small_project.make(folder, pages)


def plain(folder: Path, source: Path) -> Path:
    """The same rendered pages under plain Material: same theme, same extensions, no macros."""
    folder.mkdir(parents=True)
    for name in ("docs/theme", "docs/assets"):
        shutil.copytree(source / name, folder / name)
    config = (source / "mkdocs.yml").read_text(encoding="utf-8")
    config = re.sub(r"^hooks:.*\n", "", config, flags=re.MULTILINE)
    config = re.sub(r"^  # Own delim(?:.*\n)+?(?=^\n)", "", config, flags=re.MULTILINE)
    config = re.sub(r"^watch:.*\n", "", config, flags=re.MULTILINE)
    (folder / "mkdocs.yml").write_text(config, encoding="utf-8")
    for src, text in rendered(Site(source), source).items():
        path = folder / "docs" / src
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def build(folder: Path) -> float:
    """Seconds of one build, start of the interpreter included."""
    start = time.perf_counter()
    found = small_project.run(folder, "mkdocs", "build", "--quiet", "--site-dir", "out")
    if found.returncode:
        raise SystemExit(found.stderr)
    return time.perf_counter() - start


def report(name: str, a: list[float], b: list[float]) -> float:
    """Print medians and the median of the paired ratios."""
    ratio = statistics.median(x / y for x, y in zip(a, b, strict=True))
    print(
        f"{name}: ours {statistics.median(a):.2f} s, plain {statistics.median(b):.2f} s, "
        f"ratio {ratio:.2f} over {len(a)} pairs",
        flush=True,
    )
    return ratio


def time_builds(name: str, one: Path, other: Path, pairs: int) -> float:
    """Build both in turn, so that a slow minute of the machine falls on both."""
    a, b = [], []
    for _ in range(pairs):
        a.append(build(one))
        b.append(build(other))
    return report(name, a, b)


class Served:
    """A preview of a project, stopped at the end of its block."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        command = [sys.executable, "-m", "mkdocs", "serve", "-q", "--livereload"]
        self.process = subprocess.Popen(
            [*command, "--dev-addr", self.address],
            cwd=folder,
            env=small_project.environment(folder),
            stderr=subprocess.DEVNULL,
        )

    def wait(self, path: str, text: str) -> float:
        """Seconds until the page holds the text."""
        start = time.perf_counter()
        while time.perf_counter() - start < 300:
            try:
                url = f"http://{self.address}/{path}"
                with urllib.request.urlopen(url, timeout=300) as answer:
                    if text in answer.read().decode("utf-8"):
                        return time.perf_counter() - start
            except OSError:
                pass
            time.sleep(0.02)
        raise SystemExit(f"{text!r} was never served")

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()


def edits(
    folder: Path, page: str, change: Callable[[int], tuple[Path, str, str]], n: int
) -> list[float]:
    """Seconds from each edit until it is served; `change(k)` gives (file, text, what to see)."""
    out = []
    with Served(folder) as served:
        served.wait(page, "<h1")
        for k in range(n):
            path, text, seen = change(k)
            path.write_text(text, encoding="utf-8")
            out.append(served.wait(page, seen))
    return out


def time_edits(one: Path, other: Path, pairs: int) -> float:
    """An edit of one result against an edit of one page under plain mkdocs."""
    wall = one / "data/published/two-models.json"
    record = wall.read_text(encoding="utf-8")
    page = one / "docs/edited.md"
    page.write_text('# Edited\n\n[[ num("two.llama3.1-8b.wrote-nothing") ]]\n', encoding="utf-8")
    twin = other / "docs/edited.md"

    def result(k: int) -> tuple[Path, str, str]:
        marker = '"label": "llama3.1:8b - wrote nothing"'
        label = f'"label": "edit {k}"'
        return wall, record.replace(marker, label), f"edit {k}"

    def text(k: int) -> tuple[Path, str, str]:
        return twin, f"# Edited\n\nedit {k}\n", f"edit {k}"

    text_file, first, _ = text(0)
    text_file.write_text(first, encoding="utf-8")
    a = edits(one, "replay/two-models/", result, pairs)
    b = edits(other, "edited/", lambda k: text(k + 1), pairs)
    wall.write_text(record, encoding="utf-8")
    return report("an edit until it is served", a, b)


def main() -> int:
    """Time everything; exit 1 when a ratio is above the aim."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--numbers", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--aim", type=float, default=1.2)
    options = parser.parse_args()
    ratios = []
    with tempfile.TemporaryDirectory() as place:
        base = Path(place)
        docs = {s.src: s.text for s in source_pages(ROOT)}
        opened = Site(ROOT)
        opened.open()
        many = generated(opened, options.pages, options.numbers)
        for name, pages in (("the site", docs), (f"{options.pages} pages", many)):
            one = ours(base / name / "ours", pages)
            other = plain(base / name / "plain", one)
            ratios.append(time_builds(f"build of {name}", one, other, options.pairs))
            if name == "the site":
                ratios.append(time_edits(one, other, options.pairs))
    worst = max(ratios)
    print(f"worst ratio {worst:.2f}; aim {options.aim}")
    return 0 if worst <= options.aim else 1


if __name__ == "__main__":
    sys.exit(main())
