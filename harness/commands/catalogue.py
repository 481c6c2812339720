"""Renew the generated text in Markdown pages, or check that it is fresh.

Does not cover where the text comes from (`harness.catalogue`).
"""

from __future__ import annotations

import argparse

from harness.person import flags

ORDER = 90


def options(parser: argparse.ArgumentParser) -> None:
    """Check or write, and the folder of pages."""
    parser.usage = "py-harness catalogue (--check | --write) FOLDER"
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument(
        "--check", action="store_true", help="name stale pages; exit 1 if there are any"
    )
    how.add_argument("--write", action="store_true", help="renew stale pages")
    parser.add_argument(
        "folder", nargs="?", default=".", help="folder of pages (default: this one)"
    )


def run(options: argparse.Namespace) -> int:
    """Name the stale pages; 1 where they stay so."""
    from harness.person import catalogue

    stale = list(catalogue.stale(flags.folder(options.folder)))
    for page in stale:
        if options.write:
            page.path.write_bytes(page.fresh.encode("utf-8"))
        print(f"{'renewed' if options.write else 'stale'}: {page.path.as_posix()}")
    if options.check and stale:
        print(f"renew with: py-harness catalogue --write {options.folder}")
        return 1
    return 0
