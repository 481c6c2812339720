"""The verbs that a model may use, one file each, named as the verb.

A file defines SPEC (an ActionSpec: fields and the names that models use instead), WRITES,
EXAMPLES (replies in plain form) and `act(action, desk) -> Observation`. It may import `desk`,
`types`, `reply` and what stands left of them, never a neighbour. `tests/test_actions.py` runs
every example and tries to leave the fence with it. Read `search.py` first.
"""
