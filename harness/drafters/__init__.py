"""Ways to get a draft, one file each.

A file defines KINDS, ORDER, BY_MODEL and EXAMPLES, and `request(brief, settings, number)` with
`read(reply, brief)`, or, without a model, `write(brief, desk, tree)`. It touches nothing. It may
import `brief`, `types`, `blocks`, `symbols`, `mutants`, `behaviour` and `desk`, never a
neighbour. `tests/test_drafters.py` reads every canned reply. Read `whole_file.py` first.
"""
