"""What a step may not do, one rule a file.

A file defines STAGE (action: before a step; write: a change is proposed; done: the run shall
end), `check(moment) -> Refusal | None`, pure, and the moments ACCEPTED and REFUSED that show it.
Each refusal names the next legal action, and `by` is the rule's name. A rule may import `moment`,
`asserts`, `secrets`, `types`, `symbols` and `scope`, never a neighbour.
`tests/test_guards_of_the_loop.py` asks every rule about its moments. Read `identical_patch.py`
first.
"""
