"""Lets `python -m harness` stand for `py-harness`; holds nothing else."""

from harness.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
