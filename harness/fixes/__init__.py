"""Mechanical fixes without a model, one file each: they restore form and never author logic.

A file defines STAGE (draft or project), EXAMPLES, and `mend(path, text, project) -> Mend` for a
draft or `carry(job, project) -> Carried | None` for a whole job. It may import `fix`, `types`,
`symbols`, `scope` and `project`, never a neighbour. `tests/test_fixes.py` asks that it is
idempotent and leaves good code alone, over the whole standard library. Read `stray_fence.py`
first.
"""
