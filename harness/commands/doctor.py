"""Check what a run needs, from server to suite, and say what to do where it lacks.

Does not cover mending it.
"""

from __future__ import annotations

import argparse
import json

from harness.person import flags
from harness.person.terminal import clean

ORDER = 55


def options(parser: argparse.ArgumentParser) -> None:
    """The folder, and the knobs that say how a run would go."""
    flags.add_project(parser)
    flags.add_json(parser)
    parser.add_argument("--quick", action="store_true", help="do not run the suite")
    names = ("model", "engine", "base_url", "num_ctx", "scope", "python", "test_cmd")
    flags.add_knobs(parser, (*names, "test_timeout_s", "test_memory_mb"))


def run(options: argparse.Namespace) -> int:
    """One check a line: ok, warn or bad, and what to do; 1 where anything is bad."""
    from harness.person import health

    root = flags.folder(options.project)
    checks = []
    for check in health.checks(flags.settings_of(options, root), root, suite=not options.quick):
        checks.append(check)
        if not options.json:
            print(clean(f"{check.state:<5}{check.name}: {check.says}"), flush=True)
            if check.todo:
                print(clean(f"     {check.todo}"))
    if options.json:
        print(json.dumps([check._asdict() for check in checks], ensure_ascii=False))
    return 1 if any(check.state == "bad" for check in checks) else 0
