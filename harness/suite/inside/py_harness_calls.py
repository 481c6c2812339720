"""Owns calls of one function inside the project's interpreter, and what each of them gave.

Does not cover which arguments are tried nor what the outcomes mean (`behaviour`). Runs as a script
on Python 3.8 and newer: reads one JSON object, writes one line of JSON behind a mark.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import io
import itertools
import json
import math
import os
import signal
import sys
import threading
import time
import types
from typing import Any

MARK = "py-harness-calls:"
MAX_SHOWN = 400
MAX_ITEMS = 100
MAX_DEPTH = 6
_LITERALS = (int, float, complex, str, bytes, bool, type(None))


class TimeUp(BaseException):
    """A call took too long."""


def normal(value: Any, depth: int = 0) -> str:
    """A value in a form that is equal for values that a test would call equal."""
    if depth > MAX_DEPTH:
        return "<" + type(value).__name__ + ">"
    if isinstance(value, bool) or value is None or isinstance(value, (str, bytes)):
        return repr(value)
    if isinstance(value, int):
        return str(value) if type(value) is int else repr(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        pairs = [normal(k, depth + 1) + ": " + normal(v, depth + 1) for k, v in value.items()]
        return "{" + ", ".join(sorted(pairs)) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(normal(v, depth + 1) for v in value)) + "}"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(normal(v, depth + 1) for v in value)
        return "[" + inner + "]" if isinstance(value, list) else "(" + inner + ")"
    return _object(value, depth)


def _number(value: float) -> str:
    """A float to nine digits; a whole one as an int."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return format(value, ".9g")


def _object(value: Any, depth: int) -> str:
    """Another object: its repr, or its type with its fields where the repr names an address."""
    name = type(value).__name__
    if callable(value):
        return "<" + name + ">"
    try:
        shown = repr(value)
    except Exception:
        return "<" + name + ">"
    if " at 0x" not in shown:
        return shown
    fields = getattr(value, "__dict__", None) or {}
    inner = [k + "=" + normal(v, depth + 1) for k, v in sorted(fields.items())]
    return name + "(" + ", ".join(inner) + ")"


def short(text: str) -> str:
    """A long text as its start and a digest, so that long ones are told apart still."""
    if len(text) <= MAX_SHOWN:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    return text[: MAX_SHOWN - 100] + "... " + digest


def is_literal(value: Any) -> bool:
    """Whether a test can spell the value: built of plain types, and its repr gives it back."""
    if isinstance(value, (list, tuple, set)):
        return type(value) in (list, tuple, set) and all(is_literal(v) for v in value)
    if isinstance(value, dict):
        items = itertools.chain(value.keys(), value.values())
        return type(value) is dict and all(is_literal(v) for v in items)
    return type(value) in _LITERALS and value == value


def round_trips(value: Any) -> bool:
    """Whether the value's repr, read as a literal, is the value."""
    if not is_literal(value):
        return False
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError, RecursionError):
        return False


def limited(seconds: float, call: Any) -> Any:
    """What a call returns; TimeUp where it takes longer."""
    if not hasattr(signal, "setitimer"):
        return _in_thread(seconds, call)

    def up(*_: Any) -> None:
        # Again soon: the first may be swallowed by a bare except.
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        raise TimeUp()

    signal.signal(signal.SIGALRM, up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _in_thread(seconds: float, call: Any) -> Any:
    """As `limited`, where there is no timer: the call goes on in a thread that nobody waits for."""
    kept: list[Any] = []

    def work() -> None:
        try:
            kept.append((call(), None))
        except BaseException as wrong:
            kept.append((None, wrong))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if not kept:
        raise TimeUp()
    if kept[0][1] is not None:
        raise kept[0][1]
    return kept[0][0]


def reach(module: Any, qualname: str) -> Any:
    """A function that makes the call: looks the name up, and makes an instance for a method."""
    names = qualname.split(".")
    owner: Any = module
    for name in names[:-1]:
        owner = getattr(owner, name)
    if not inspect.isclass(owner):
        return getattr(owner, names[-1])
    static = inspect.getattr_static(owner, names[-1])
    if isinstance(static, (staticmethod, classmethod)):
        return getattr(owner, names[-1])
    owner()
    if isinstance(static, property):
        return lambda: getattr(owner(), names[-1])
    return lambda *args, **kwargs: getattr(owner(), names[-1])(*args, **kwargs)


def bind(given: str, module: Any) -> Any:
    """Fresh positional and keyword arguments from their text."""
    names = dict(vars(module))
    names["__bind__"] = lambda *args, **kwargs: (args, kwargs)
    return eval("__bind__(" + given + ")", names)


def finished(value: Any) -> Any:
    """What a coroutine gives, or the items of an iterator with a word before them."""
    if inspect.iscoroutine(value):
        import asyncio

        return finished(asyncio.run(value))
    if hasattr(value, "__next__") and hasattr(value, "__iter__") and not hasattr(value, "read"):
        return Items(itertools.islice(value, MAX_ITEMS))
    return value


class Items(list):  # type: ignore[type-arg]
    """Items of an iterator, read to the end or to a limit."""


def once(function: Any, given: str, module: Any, seconds: float) -> dict[str, Any]:
    """One call with fresh arguments, and its outcome."""
    try:
        args, kwargs = bind(given, module)
    except Exception as wrong:
        return {"kind": "unusable", "normal": "unusable " + type(wrong).__name__}
    before = normal([args, kwargs])
    try:
        value = limited(seconds, lambda: finished(function(*args, **kwargs)))
        outcome = _returned(value)
    except TimeUp:
        return {"kind": "hangs", "normal": "does not end"}
    except BaseException as wrong:
        outcome = _raised(wrong, module)
    after = normal([args, kwargs])
    if after != before:
        outcome["mutates"] = True
        outcome["normal"] += "; arguments then " + short(after)
    return outcome


def _returned(value: Any) -> dict[str, Any]:
    """The outcome of a call that came back."""
    items = isinstance(value, Items)
    shown = normal(list(value) if items else value)
    word = "yields " if items else "returns "
    literal = not items and round_trips(value)
    return {
        "kind": "returns",
        "normal": word + short(shown),
        "repr": repr(value) if literal else "",
        "type": type(value).__name__,
    }


def _raised(wrong: BaseException, module: Any) -> dict[str, Any]:
    """The outcome of a call that raised; whether the module's own `raise` did it."""
    name = type(wrong).__name__
    last = wrong.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    own = False
    if last is not None and last.tb_frame.f_code.co_filename == getattr(module, "__file__", ""):
        lines = getattr(module, "__harness_lines__", None) or _lines(module)
        row = lines[last.tb_lineno - 1] if last.tb_lineno <= len(lines) else ""
        own = row.strip().startswith("raise")
    builtin = type(wrong).__module__ == "builtins"
    return {"kind": "raises", "normal": "raises " + name, "type": name, "own": own and builtin}


def _lines(module: Any) -> list[str]:
    """Lines of a module's file."""
    try:
        with open(module.__file__, encoding="utf-8", errors="replace") as file:
            return file.read().split("\n")
    except OSError:
        return []


def traced(module: Any, call: Any) -> tuple[Any, list[int]]:
    """What a call gives, and the lines of the module that it ran."""
    ran: set[int] = set()
    path = getattr(module, "__file__", "")

    def trace(frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != path:
            return None
        if event == "line":
            ran.add(frame.f_lineno)
        return trace

    sys.settrace(trace)
    try:
        result = call()
    finally:
        sys.settrace(None)
    return result, sorted(ran)


def all_calls(wanted: dict[str, Any], module: Any, trace: bool, until: float) -> list[Any]:
    """Outcomes of all inputs on one module; each call is made twice, to see whether it varies."""
    function = reach(module, wanted["qualname"])
    outcomes: list[Any] = []
    for given in wanted["inputs"]:
        seconds = min(wanted["seconds"], until - time.monotonic())
        if seconds <= 0:
            outcomes.append({"kind": "unusable", "normal": "not tried, time was over"})
            continue

        def call(given: str = given, seconds: float = seconds) -> dict[str, Any]:
            return once(function, given, module, seconds)

        first, lines = traced(module, call) if trace else (call(), [])
        if first["kind"] in ("returns", "raises"):
            again = call()
            if again["normal"] != first["normal"]:
                first = {"kind": "varies", "normal": "varies"}
        first["lines"] = lines
        outcomes.append(first)
    return outcomes


def variant(module: Any, text: str) -> Any:
    """The module made anew from another text, in its place."""
    made = types.ModuleType(module.__name__)
    for name in ("__file__", "__package__", "__spec__", "__loader__", "__path__"):
        if hasattr(module, name):
            setattr(made, name, getattr(module, name))
    vars(made)["__harness_lines__"] = text.split("\n")
    sys.modules[module.__name__] = made
    exec(compile(text, module.__file__, "exec"), vars(made))
    return made


def variants(wanted: dict[str, Any], module: Any, until: float) -> list[Any]:
    """Outcomes in normal form of each other text; None for one whose time was over."""
    found: list[Any] = []
    for text in wanted["variants"]:
        if time.monotonic() > until:
            found.append(None)
            continue
        try:
            made = limited(wanted["seconds"], lambda text=text: variant(module, text))
            outcomes = all_calls(wanted, made, False, until)
            found.append([o["normal"] for o in outcomes])
        except BaseException as wrong:
            found.append(["no module: " + type(wrong).__name__] * len(wanted["inputs"]))
    sys.modules[module.__name__] = module
    return found


def work(wanted: dict[str, Any]) -> dict[str, Any]:
    """Import, call, and tell; a reason where the function cannot be reached."""
    until = time.monotonic() + wanted["whole"]
    try:
        module = limited(wanted["whole"], lambda: importlib.import_module(wanted["module"]))
    except BaseException as wrong:
        return {"reason": "it does not import: " + type(wrong).__name__ + ": " + str(wrong)[:200]}
    try:
        outcomes = all_calls(wanted, module, wanted["trace"], until)
    except BaseException as wrong:
        return {"reason": "it cannot be reached: " + type(wrong).__name__ + ": " + str(wrong)[:200]}
    return {"reason": "", "outcomes": outcomes, "variants": variants(wanted, module, until)}


def main() -> None:
    """Read what is wanted, keep what the calls print away, write the outcome behind the mark."""
    wanted = json.loads(sys.stdin.read())
    out = os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(quiet, handle)
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), io.StringIO(), io.StringIO()
    text = "\n" + MARK + json.dumps(work(wanted)) + "\n"
    view = memoryview(text.encode("ascii"))
    while view:
        view = view[os.write(out, view) :]
    # Threads that a call left behind are not waited for.
    os._exit(0)


if __name__ == "__main__":
    main()
