"""Owns the `py-harness` command line; knows no job yet, so it offers none."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from harness import __version__


def parser() -> argparse.ArgumentParser:
    """The command line of the helper, with no subcommand until there is one that works."""
    out = argparse.ArgumentParser(
        prog="py-harness",
        description="A laptop helper for everyday Python. This release holds its record and its "
        "site; `ask` and `run` are not in it yet.",
    )
    out.add_argument("--version", action="version", version=f"py-harness {__version__}")
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Print the help; exit 2 (argparse) on anything that is not an option of this release."""
    command_line = parser()
    command_line.parse_args(argv)
    command_line.print_help()
    return 0
