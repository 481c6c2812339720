"""Owns the rows that a suite's run writes, one JSON object a line, while the tests go on.

Does not cover which test runner calls it. Runs on Python 3.8 and newer.
"""

from __future__ import annotations

import json
import os
import reprlib
import sys
from types import TracebackType
from typing import Any

VARIABLE = "PY_HARNESS_REPORT"
_ROOT = os.getcwd()
_SIMPLE = (int, float, complex, str, bytes, bool, type(None), list, tuple, dict, set, frozenset)
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 120
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxset = _SHORT.maxfrozenset = _SHORT.maxdict = 12


class Rows:
    """The file of one run's rows; a test that patches `open` or changes folder cannot stop it."""

    def __init__(self, path: str) -> None:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._handle = _out_of_the_way(handle)

    def write(self, row: str, _put: Any = os.write, _dump: Any = json.dumps, **fields: Any) -> None:
        """Append one row at once, whole."""
        _put(self._handle, (_dump({"row": row, **fields}) + "\n").encode("utf-8", "replace"))


def take() -> str:
    """Path of the file to write, taken out of the environment so that no child writes to it."""
    return os.environ.pop(VARIABLE, "")


def _out_of_the_way(handle: int) -> int:
    """The same file under a high number: a test may close the low ones."""
    if sys.platform == "win32":
        return handle
    import fcntl

    try:
        high: int = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 300)
    except (OSError, ValueError):
        return handle
    os.close(handle)
    return high


def about(error: BaseException | None, trace: TracebackType | None) -> dict[str, Any]:
    """What is told of an exception: its last line, its project frames, values at the innermost."""
    if error is None:
        return {"error": "", "frames": [], "values": ""}
    frames = []
    values = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if path := inside(code.co_filename):
            frames.append([path, trace.tb_lineno, code.co_name])
            values = _values(trace.tb_frame.f_locals)
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename and (path := inside(error.filename)):
        frames.append([path, error.lineno or 0, ""])
    return {"error": line_of(error), "frames": frames[-12:], "values": values}


def line_of(error: BaseException) -> str:
    """Exception and message in one line."""
    name = type(error).__qualname__
    try:
        message = str(error).strip()
    except Exception as wrong:
        message = "its message could not be made: " + type(wrong).__name__
    first = message.split("\n")[0][:500]
    return name + (": " + first if first else "")


def inside(name: str) -> str:
    """Path relative to the project, or an empty text for what is not its own."""
    path = os.path.abspath(os.path.join(_ROOT, name))
    if not path.startswith(_ROOT + os.sep) or not name.endswith((".py", ".pyi")):
        return ""
    relative = os.path.relpath(path, _ROOT).replace(os.sep, "/")
    return "" if "site-packages/" in relative or "/lib/python" in relative else relative


def _values(names: dict[str, Any]) -> str:
    """Plain values among a frame's own names, bounded."""
    said = []
    for name in sorted(names):
        if not name.startswith(("__", "@py_")) and type(names[name]) in _SIMPLE:
            try:
                said.append(name + " = " + _SHORT.repr(names[name]))
            except Exception as wrong:
                said.append(name + " = <" + type(wrong).__name__ + ">")
    return ", ".join(said)[:400]
