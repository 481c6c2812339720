"""Servers that hold a model, one file each.

A file defines DEFAULT_URL and `make(settings) -> Engine`. It may import `engine`, `types`,
`errors`, `settings`, `recording` and `secrets`, never a neighbour; client libraries are imported
here and nowhere else. `tests/test_engines.py` asks each for a canned exchange and for every fault
of a server that misbehaves. Read `replay.py` first.
"""
