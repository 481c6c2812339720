"""What a step may not do, one rule a file.

A file defines STAGE (action, write or done), `check(moment) -> Refusal | None`, pure, and the
moments ACCEPTED and REFUSED that show it. Each refusal names the next legal action. It may import
`moment`, `types`, `symbols` and `scope`, never a neighbour. `tests/test_guards_of_the_loop.py`
asks every rule about its moments. Read `identical_patch.py` first.
"""
