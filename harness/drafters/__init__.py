"""Ways to get a draft, one file each.

A file defines KINDS, ORDER, BY_MODEL and EXAMPLES, and `request(brief, settings, number)` with
`read(reply, brief)`, or, without a model, `write(brief, desk, tree)`. It touches nothing. It may
import what stands left of it, such as `brief`, `readings`, `blocks`, `splice`, `symbols`,
`mutants`, `behaviour` and `desk`, never a neighbour. `tests/test_drafters.py` reads every canned
reply. Read `by_symbol.py` first.
"""
