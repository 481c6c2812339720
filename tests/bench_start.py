"""Measures how much longer `py-harness --version` takes than `python -c pass`, runs interleaved.

Run it as `python -m tests.bench_start`. Does not cover what a command itself takes.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = 15

NOTHING = "pass"
VERSION = "import sys; from harness.cli import main; sys.exit(main(['--version']))"


def once(code: str) -> float:
    """Seconds of one interpreter that runs the code, from start to exit."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def ratio(code: str = VERSION, runs: int = RUNS) -> float:
    """Median time of the code over the median time of nothing, after one run of each unmeasured."""
    times: dict[str, list[float]] = {NOTHING: [], code: []}
    for number in range(runs + 1):
        for what, taken in times.items():
            seconds = once(what)
            if number:
                taken.append(seconds)
    return statistics.median(times[code]) / statistics.median(times[NOTHING])


if __name__ == "__main__":
    print(f"py-harness --version takes {ratio():.2f} times as long as python -c pass")
    heavy = ratio(VERSION.replace("--version", "--help"))
    print(f"py-harness --help takes {heavy:.2f} times as long")
