"""Owns `make site`: mkdocs builds beside the old site, which is replaced only when all went well.

Does not cover the checks on the finished site (`check`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build(target: Path) -> int:
    """Build strictly into `target`; on failure it stays as it was. Returns mkdocs' exit code."""
    fresh = target.with_name(target.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    env = os.environ | {"CI": "true", "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(fresh)]
    code = subprocess.run(command, cwd=ROOT, env=env, check=False).returncode
    if code == 0:
        shutil.rmtree(target, ignore_errors=True)
        fresh.rename(target)
    else:
        shutil.rmtree(fresh, ignore_errors=True)
    return code


def main() -> int:
    """Build into site/ or the folder given."""
    parser = argparse.ArgumentParser(description="Build the site strictly, or leave it as it was.")
    parser.add_argument("--site-dir", type=Path, default=ROOT / "site")
    return build(parser.parse_args().site_dir.resolve())


if __name__ == "__main__":
    sys.exit(main())
