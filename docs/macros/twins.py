"""Owns what stands beside the pages: JSON and Markdown twins, CSV, data files, llms.txt.

Does not cover when they are written (`hook`). Everything is returned as path → text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from docs.macros.bib.bibtex import all_bibtex, bibtex
from docs.macros.page import PageContext
from docs.macros.site import Site
from docs.macros.tables import csv_text


def record_files(site: Site) -> dict[str, str]:
    """Copies of the record, its schema, each table as CSV, the bibliography; by site path."""
    out: dict[str, str] = {}
    root = site.root
    for path in [*(root / "data").rglob("*.json"), *(root / "data").rglob("*.jsonl")]:
        out[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
    for table in site.record.tables.values():
        out[f"data/tables/{table.id}.csv"] = csv_text(table)
    out["data/counts.json"] = _json({name: vars(c) for name, c in site.counts.items()})
    out["bib/references.bib"] = all_bibtex(site.bibliography)
    for work in site.bibliography.works:
        out[f"bib/{work.key}.bib"] = bibtex(work) + "\n"
    return out


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def numbers_json(page: PageContext) -> str:
    """The page's JSON twin: every number on it, with what its card shows."""
    cards = {key: quoted.card() for key, quoted in page.numbers.items()}
    whole = {"page": page.url, "root": page.root, "numbers": cards}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")) + "\n"


def page_files(pages: Iterable[PageContext]) -> dict[str, str]:
    """Both twins of every page, by site path."""
    out: dict[str, str] = {}
    for page in pages:
        folder = page.url if page.url.endswith("/") or not page.url else f"{page.url}/"
        out[f"{folder}numbers.json"] = numbers_json(page)
        out[f"{folder}index.md"] = _titled(page)
    return out


def _titled(page: PageContext) -> str:
    text = page.to_markdown().strip()
    title = str(page.meta.get("title", ""))
    head = "" if not title or text.startswith("# ") else f"# {title}\n\n"
    return f"{head}{text}\n"


def llms_txt(site: Site, name: str, description: str) -> str:
    """llms.txt: the site's pages, each by its Markdown twin."""
    lines = [f"# {name}", "", f"> {description}", "", "## Pages", ""]
    for page in sorted(site.pages.values(), key=lambda p: p.url):
        title = str(page.meta.get("title") or page.src)
        what = str(page.meta.get("description") or page.meta.get("question") or "")
        lines.append(f"- [{title}]({page.url}index.md)" + (f": {what}" if what else ""))
    return "\n".join([*lines, ""])
