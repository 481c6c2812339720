"""List the guards, which refuse a step and say what to do instead.

Does not cover what a part does beyond its own words (`catalogue` reads them).
"""

from __future__ import annotations

import argparse

from harness.person import flags

ORDER = 71


def options(parser: argparse.ArgumentParser) -> None:
    """For a person or for a program."""
    flags.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the catalogue."""
    from harness.person import catalogue

    print(catalogue.table("guards").printed(json=options.json))
    return 0
