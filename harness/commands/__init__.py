"""The commands of `py-harness`, one file each, named as the command (`import_gguf` is import-gguf).

A file defines ORDER, `options(parser)` and `run(options) -> exit code`; its docstring's first
line is its help. It imports what it needs inside `run`, so that start-up stays light, and never a
neighbour. `tests/test_commands.py` asks each for its help, its exit codes and its words on bad
input. Read `last.py` first.
"""
