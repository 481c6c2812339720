"""The verbs that a model may use, one file each, named as the verb.

A file defines SPEC (an ActionSpec: fields and the names that models use instead), WRITES,
EXAMPLES (replies in plain form) and `act(action, desk) -> Observation | Refusal`. It may import
`desk`, `edits`, `excerpt`, `types`, `verbs` and what stands left of them, never a neighbour. An
action that writes hands its texts to `desk.change`, which mends them and asks the guards.
`tests/test_actions.py` runs every example and tries to leave the fence. Read `search.py` first.
"""
