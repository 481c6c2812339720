"""Refuses a change that puts a key, a token or a password into a file."""

from __future__ import annotations

from harness.model import secrets
from harness.road.moment import Moment
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "secret-in-draft"

_JOB = Job("other", "read the key from the environment")
# In two parts, so that this file itself holds nothing of that shape.
_KEY = "AKIA" + "ABCDEFGHIJKLMNOP"


def check(moment: Moment) -> Refusal | None:
    """Reading it from the environment is the way on; the value is never repeated."""
    for path, (before, after) in moment.changes.items():
        new = set(secrets.find(after or "")) - set(secrets.find(before or ""))
        if new:
            onward = f'write {path} again with os.environ["NAME"] in its place'
            return Refusal(BY, f"the new text of {path} holds what looks like: {min(new)}", onward)
    return None


ACCEPTED = (
    Moment(_JOB, Action("write", {}), {"a.py": (None, 'KEY = os.environ["KEY"]\n')}),
    Moment(_JOB, Action("write", {}), {"a.py": (f'KEY = "{_KEY}"\n', f'KEY = "{_KEY}"\nx = 1\n')}),
)
REFUSED = (Moment(_JOB, Action("write", {}), {"a.py": ("x = 1\n", f'KEY = "{_KEY}"\n')}),)
