"""Refuses the wanted function with nothing in it: pass, dots or NotImplementedError."""

from __future__ import annotations

import ast

from harness.road.moment import Moment, replacing
from harness.types import Action, Job, Refusal

STAGE = "write"
BY = "stub-body"

_ADD = Job("add-function", "add f(x)", subject="f", path="a.py")


def check(moment: Moment) -> Refusal | None:
    """Writing the body is the way on; a stub that stood there before is left alone."""
    name = moment.job.subject.rsplit(".", 1)[-1]
    if moment.job.kind not in ("add-function", "fix") or not name:
        return None
    for path, (before, after) in moment.changes.items():
        if path.endswith(".py") and _is_stub(after, name) and not _is_stub(before, name):
            return Refusal(BY, f"{name} in {path} has no body yet", replacing(path))
    return None


def _is_stub(text: str | None, name: str) -> bool:
    """Whether a text defines a function of that name that does nothing, outside a protocol."""
    try:
        tree = ast.parse(text or "")
    except (SyntaxError, ValueError, RecursionError):
        return False
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    ]
    bare = [n for n in found if not n.decorator_list]
    return bool(bare) and all(_does_nothing(node.body) for node in bare)


def _does_nothing(body: list[ast.stmt]) -> bool:
    """Whether a body is a docstring, pass, dots or NotImplementedError and nothing else."""
    for node in body:
        constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        raised = isinstance(node, ast.Raise) and "NotImplementedError" in ast.dump(node)
        if not (constant or raised or isinstance(node, ast.Pass)):
            return False
    return True


ACCEPTED = (
    Moment(_ADD, Action("patch", {}), {"a.py": ("", "def f(x):\n    return x\n")}),
    Moment(_ADD, Action("patch", {}), {"a.py": ("", "def g(x):\n    pass\n")}),
    Moment(Job("other", "add f"), Action("patch", {}), {"a.py": ("", "def f(x):\n    pass\n")}),
)
REFUSED = (
    Moment(_ADD, Action("patch", {}), {"a.py": ("", "def f(x):\n    pass\n")}),
    Moment(_ADD, Action("patch", {}), {"a.py": ("", 'def f(x):\n    """Does f."""\n    ...\n')}),
    Moment(
        Job("fix", "mend f", subject="C.f"),
        Action("patch", {}),
        {
            "a.py": (
                "class C:\n    def f(self):\n        return 1\n",
                "class C:\n    def f(self):\n        raise NotImplementedError\n",
            )
        },
    ),
)
