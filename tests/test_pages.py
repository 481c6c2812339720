"""The pages' sources: each experiment with a table has its page, each table one home."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from docs.macros.check import source_pages
from docs.macros.site import Site, SourcePage

ROOT = Path(__file__).resolve().parents[1]
CALL = re.compile(r"\[\[\s*(\w+)\(\s*[\"']([^\"']+)[\"']")
# Not on an experiment's page: the board's tables stand on the board, the machine's on its page.
ELSEWHERE = {"setup", "machine", "status-board"}


@pytest.fixture(scope="module")
def pages() -> dict[str, SourcePage]:
    """Every page's source by its file under docs/."""
    return {p.src: p for p in source_pages(ROOT) if not p.src.startswith("design/")}


def calls(page: SourcePage, macro: str) -> list[str]:
    """First argument of each call of a macro on a page."""
    return [argument for name, argument in CALL.findall(page.text) if name == macro]


def test_every_table_is_printed_once(pages: dict[str, SourcePage], site: Site) -> None:
    """Each table of the record stands on one page, and no page prints an unknown one."""
    printed = Counter(t for page in pages.values() for t in calls(page, "table"))
    assert printed == Counter(list(site.record.tables))


def test_every_experiment_with_a_table_has_its_page(
    pages: dict[str, SourcePage], site: Site
) -> None:
    """One experiment, one name: its page is called as its file of the record."""
    wanted = {slug for slug, file in site.record.published.items() if file.tables} - ELSEWHERE
    found = {
        src.removeprefix("experiments/").removesuffix(".md")
        for src in pages
        if src.startswith("experiments/") and not src.endswith("index.md")
    }
    assert found == wanted
    for slug in found:
        page = pages[f"experiments/{slug}.md"]
        assert page.meta["experiment"] == slug
        for table in calls(page, "table"):
            assert site.record.experiment_of[table] == slug, table


def test_every_experiment_page_has_its_shape(pages: dict[str, SourcePage]) -> None:
    """Question, what was typed, what came out, a limit that cites a figure, replay."""
    for src, page in pages.items():
        if not src.startswith("experiments/") or src.endswith("index.md"):
            continue
        for key in ("title", "description", "question", "group", "order"):
            assert page.meta.get(key), f"{src}: {key}"
        headings = re.findall(r"^## (.+)$", page.text, re.MULTILINE)
        for heading in ("What was typed", "What came out", "Limit", "Replay"):
            assert heading in headings, f"{src}: {heading}"
        limit = page.text.partition("## Limit")[2].partition("\n## ")[0]
        assert "num(" in limit, f"{src}: its limit cites no figure"
        assert "made(" in page.text.partition("## Replay")[2], src


def test_every_page_says_what_it_is(pages: dict[str, SourcePage]) -> None:
    """Title and description stand in the front matter of each page."""
    pages = {src: page for src, page in pages.items() if src != "log.md"}
    assert [s for s, p in pages.items() if not p.meta.get("title")] == []
    assert [s for s, p in pages.items() if not p.meta.get("description")] == []


def test_every_comparison_is_repeated_on_a_page(pages: dict[str, SourcePage], site: Site) -> None:
    """A statement stands in the record because a page repeats it."""
    printed = {c for page in pages.values() for c in calls(page, "claim")}
    assert printed == set(site.record.comparisons)


def test_every_work_is_cited(pages: dict[str, SourcePage], site: Site) -> None:
    """A source stands in the bibliography because a page cites it."""
    cited = {
        key
        for page in pages.values()
        for call in re.findall(r"\[\[\s*cite\(([^)]*)\)", page.text)
        for key in re.findall(r"[\"']([^\"']+)[\"']", call)
    }
    assert cited == {work.key for work in site.bibliography}
    assert site.record.publication in cited


def test_every_external_figure_leads_to_its_work(site: Site) -> None:
    """A figure of another work links to its entry, or says that the source names none."""
    keys = {work.key for work in site.bibliography}
    for figure in site.record.walk():
        if figure.kind == "external":
            href = site.quote(figure.id).cites_href
            unnamed = "source" in str(figure.cites) or "named only" in str(figure.cites)
            assert unnamed if href is None else href.rpartition("ref-")[2] in keys, figure.id


def test_no_page_names_a_path_of_a_machine(pages: dict[str, SourcePage]) -> None:
    """Pages and record speak of files inside the project only."""
    paths = re.compile(r"(?<![\w.])/(?:home|root|Users|tmp|work)/\w")
    assert [s for s, p in pages.items() if paths.search(p.text)] == []
    files = (ROOT / "data").rglob("*.json")
    assert [f.name for f in files if paths.search(f.read_text(encoding="utf-8"))] == []
