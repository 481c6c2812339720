"""Owns the checks on a finished site: no orphan numbers, no broken links, valid bibliography.

Does not cover the build itself (`build`), whose strictness catches what Markdown shows.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from mkdocs.utils import meta as front_matter

from docs.macros import links
from docs.macros.bib import bibliography_check
from docs.macros.orphan import orphans
from docs.macros.orphan.waivers import Waiver
from docs.macros.site import Site, SourcePage
from docs.macros.verify import RecordVerifier
from harness.errors import HarnessError

ROOT = Path(__file__).resolve().parents[2]


def source_pages(root: Path) -> list[SourcePage]:
    """Every page's source with its front matter and its address in the site."""
    out = []
    docs = root / "docs"
    for path in sorted(docs.rglob("*.md")):
        src = path.relative_to(docs).as_posix()
        text = path.read_text(encoding="utf-8")
        meta = front_matter.get_data(text)[1] if text.startswith("---") else {}
        stem = src.removesuffix(".md")
        url = f"{stem}/" if path.name != "index.md" else f"{stem.removesuffix('index')}"
        out.append(SourcePage(src, url, meta, text))
    return out


def check(root: Path, site_dir: Path) -> list[str]:
    """One line a fault; prints what was looked at."""
    started = time.perf_counter()
    faults = [str(p) for path in sorted((root / "bib").glob("*.bib"))
              for p in bibliography_check.validate(path)]  # fmt: skip
    site = Site(root)
    site.open()
    pages = source_pages(root)
    site.scan(pages)
    waivers = {
        p.url: [Waiver(**w) for w in p.meta["waivers"]] for p in pages if "waivers" in p.meta
    }
    report = orphans.check_site(site_dir, RecordVerifier(site), waivers)
    *found, totals = report.lines()
    faults += found
    faults += list(links.broken(site_dir))
    print(totals)
    print(f"checked in {time.perf_counter() - started:.1f} s")
    return faults


def main() -> int:
    """Check site/ or the folder given; exit 1 with one line a fault."""
    parser = argparse.ArgumentParser(description="Check a built site against the record.")
    parser.add_argument("--site-dir", type=Path, default=ROOT / "site")
    site_dir = parser.parse_args().site_dir.resolve()
    if not (site_dir / "index.html").is_file():
        print(f"{site_dir}: no site there; run make site first", file=sys.stderr)
        return 1
    try:
        faults = check(ROOT, site_dir)
    except HarnessError as error:
        faults = [str(error)]
    for line in faults:
        print(line, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
