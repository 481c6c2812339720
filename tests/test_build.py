"""`make site`: a mistake stops it in one line, and the site that stood there stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import small_project


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small project, built once; each test mends what it breaks."""
    folder = small_project.make(tmp_path_factory.mktemp("project"))
    found = small_project.run(folder, "docs.macros.build")
    assert found.returncode == 0, found.stderr
    return folder


def test_the_site_holds_twins_data_and_replay_entries(built: Path) -> None:
    """Beside the page stand its JSON and Markdown, the record, CSV, BibTeX, llms.txt."""
    site = built / "site"
    for name in (
        "index.html",
        "numbers.json",
        "index.md",
        "llms.txt",
        "data/published/the-wall.json",
        "data/schema/published.schema.json",
        "data/tables/t-wall.csv",
        "data/counts.json",
        "bib/references.bib",
        "bib/yao2023react.bib",
        "replay/the-wall/index.html",
        "404.html",
    ):
        assert (site / name).is_file(), name
    page = (site / "index.html").read_text(encoding="utf-8")
    assert '<link rel="alternate" type="application/json" href="numbers.json"' in page
    entry = (site / "replay/the-wall/index.html").read_text(encoding="utf-8")
    assert 'id="wall.llama3.1-8b.worked"' in entry


def write(name: str, text: str) -> Callable[[Path], None]:
    """A change that writes a file."""

    def change(folder: Path) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    return change


def cut(name: str) -> Callable[[Path], None]:
    """A change that cuts a file in half."""

    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        path.write_text(text[: len(text) // 2], encoding="utf-8")

    return change


BAD = {
    "unknown figure": (
        "docs/index.md",
        write("docs/index.md", '# Try\n\n[[ num("wall.llama") ]]\n'),
        "docs/index.md:3: no figure 'wall.llama'",
    ),
    "broken link": (
        "docs/index.md",
        write("docs/index.md", "# Try\n\n[gone](gone.md)\n"),
        "'gone.md'",
    ),
    "undefined name in a template": (
        "docs/index.md",
        write("docs/index.md", "# Try\n\n[% for x in wals %][[ x ]][% endfor %]\n"),
        "docs/index.md:3: template: 'wals' is undefined",
    ),
    "truncated record": (
        "data/published/the-wall.json",
        cut("data/published/the-wall.json"),
        "data/published/the-wall.json: not JSON",
    ),
    "mistyped record": (
        "data/published/moved.json",
        write("data/published/moved.json", '{"schema_version": 1, "kind": "moved"}'),
        "data/published/moved.json#/moved: Field required",
    ),
    "a key in two bibliographies": (
        "bib/more.bib",
        write(
            "bib/more.bib", "@misc{yao2023react,\n title={T}, year={2026}, url={https://a.b}\n}\n"
        ),
        "yao2023react",
    ),
    "broken bibliography": (
        "bib/references.bib",
        cut("bib/references.bib"),
        "bib/references.bib",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_stops_the_build_and_leaves_the_old_site(built: Path, name: str) -> None:
    """One clear line, a non-zero exit, and nothing half-written."""
    file, change, message = BAD[name]
    path = built / file
    before = path.read_bytes() if path.exists() else None
    page = (built / "site/index.html").read_bytes()
    try:
        change(built)
        found = small_project.run(built, "docs.macros.build")
    finally:
        if before is None:
            path.unlink()
        else:
            path.write_bytes(before)
    said = found.stderr + found.stdout
    assert found.returncode != 0
    assert "Traceback" not in said, said
    assert sum(message in line for line in said.splitlines()) >= 1, said
    assert (built / "site/index.html").read_bytes() == page
    assert not (built / "site.new").exists()


def test_an_id_that_moved_leads_on(built: Path) -> None:
    """The old anchor stays as a stub that links to the new one; a page that quotes it is told."""
    moved = built / "data/published/moved.json"
    page = built / "docs/old.md"
    before = moved.read_text(encoding="utf-8")
    new = "wall.llama3.1-8b.worked"
    moved.write_text(before.replace('"moved": {}', f'"moved": {{"wall.old": "{new}"}}'), "utf-8")
    try:
        target = ("--site-dir", str(built / "other"))
        assert small_project.run(built, "docs.macros.build", *target).returncode == 0
        html = (built / "other/replay/the-wall/index.html").read_text(encoding="utf-8")
        assert 'id="wall.old"><h3>wall.old</h3><p>This id is now <a href="../../replay' in html
        page.write_text('# Old\n\n[[ num("wall.old") ]]\n', encoding="utf-8")
        said = small_project.run(built, "docs.macros.build", *target).stderr
        assert f"docs/old.md:3: 'wall.old' is now '{new}'" in said
    finally:
        moved.write_text(before, encoding="utf-8")
        page.unlink(missing_ok=True)


def test_a_page_with_a_loop_goes_through_the_template(built: Path) -> None:
    """mkdocs-macros renders what the quick way does not, with the same macros."""
    path = built / "docs/loop.md"
    loop = (
        '# Loop\n\n[% for m in ["llama3.1-8b"] %][[ num("wall." ~ m ~ ".worked") ]][% endfor %]\n'
    )
    path.write_text(loop, encoding="utf-8")
    try:
        found = small_project.run(built, "docs.macros.build", "--site-dir", str(built / "other"))
    finally:
        path.unlink()
    assert found.returncode == 0, found.stderr
    html = (built / "other/loop/index.html").read_text(encoding="utf-8")
    assert 'data-id="wall.llama3.1-8b.worked"' in html
    twin = (built / "other/loop/index.md").read_text(encoding="utf-8")
    assert "../replay/the-wall/#wall.llama3.1-8b.worked" in twin
