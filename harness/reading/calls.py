"""Owns the reading of calls that a model writes in another tongue: JSON, tags, Python calls.

Does not cover what a call's name and arguments mean here (`vocabulary`), nor labelled text
(`labels`).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_NAME_KEYS = ("action", "verb", "name", "tool", "tool_name", "toolname", "function", "command",
              "function_name")  # fmt: skip
_ARGS_KEYS = ("arguments", "args", "parameters", "params", "input", "action_input", "fields",
              "kwargs", "tool_input", "inputs")  # fmt: skip
_LIST_KEYS = ("tool_calls", "actions", "calls", "steps")
_TAG = re.compile(
    r"<(?P<tag>function|invoke|tool)\s*(?:=|\s+name\s*=)\s*[\"']?(?P<name>[\w.-]+)[\"']?\s*>"
    r"(?P<inside>.*?)(?:</(?P=tag)>|\Z)",
    re.DOTALL,
)
_PARAMETER = re.compile(
    r"<(?:parameter|param|arg)\s*(?:=|\s+name\s*=)\s*[\"']?(?P<name>[\w -]+?)[\"']?\s*>"
    r"(?P<value>.*?)</(?:parameter|param|arg)>",
    re.DOTALL,
)
_ELEMENT = re.compile(r"<(?P<name>[A-Za-z]\w*)>(?P<value>.*?)</(?P=name)>", re.DOTALL)
_MAX_TRIES = 40


@dataclass(frozen=True)
class Call:
    """One call: a name, and arguments by their own names."""

    name: str
    """As it was written."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Values as text."""
    positional: tuple[str, ...] = ()
    """Values without a name, in order."""
    rules: tuple[str, ...] = ()
    """Reading rules that were needed."""


def in_json(text: str) -> list[Call]:
    """Calls written as JSON or as a Python dict, anywhere in a text."""
    calls: list[Call] = []
    for value, rules in objects(text):
        calls.extend(_calls(value, ("json", *rules)))
    if calls and re.search(
        r"<\|?/?(?:tool_call|tools?|python_tag|function_call)|\[TOOL_CALLS\]", text
    ):
        return [Call(c.name, c.arguments, c.positional, ("tool-call-tag", *c.rules)) for c in calls]
    return calls


def looks_like_call(text: str) -> bool:
    """Whether a text is nothing but a tool call in JSON: it must not become a file."""
    stripped = re.sub(r"</?tool_call>|\[TOOL_CALLS\]", "", text).strip()
    if not stripped.startswith(("{", "[{")):
        return False
    found = list(objects(stripped))
    first = found[0][0] if found else None
    items = first if isinstance(first, list) else [first]
    return any(
        (
            isinstance(item, dict)
            and _key(item, _NAME_KEYS) is not None
            and (_key(item, _ARGS_KEYS) is not None or "function" in item)
        )
        or (isinstance(item, dict) and "tool_calls" in item)
        for item in items
    )


def objects(text: str) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """Every outermost object or list of objects in a text, read tolerantly, with rules needed."""
    at = tries = 0
    while tries < _MAX_TRIES and (start := _next_start(text, at)) >= 0:
        tries += 1
        value, end, rules = _object_at(text, start)
        if end > start:
            yield value, rules
            at = end
        else:
            at = start + 1


def _next_start(text: str, at: int) -> int:
    """Where the next brace stands that may open an object, or a list of objects; -1 if none."""
    found = re.compile(r"\[\s*\{|\{\s*[\"'}\w]").search(text, at)
    return found.start() if found else -1


def _object_at(text: str, start: int) -> tuple[Any, int, tuple[str, ...]]:
    """The value that begins at `start` and its end; the end is `start` where none is readable."""
    try:
        value, end = json.JSONDecoder(strict=True).raw_decode(text, start)
        return value, end, ()
    except (ValueError, RecursionError):
        pass
    end = _matching(text, start)
    piece = text[start:end]
    for candidate, rule in _mended(piece):
        try:
            return json.loads(candidate, strict=False), end, (rule,)
        except (ValueError, RecursionError):
            pass
        try:
            value = ast.literal_eval(_pythonic(candidate))
            return value, end, ("python-dict",) if candidate == piece else (rule, "python-dict")
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None, start, ()


def _matching(text: str, start: int) -> int:
    """Index after the brace that closes the one at `start`, quoted texts skipped; else the end."""
    depth = 0
    at = start
    while at < len(text):
        mark = text[at]
        if mark in "\"'`":
            at = _after_quote(text, at)
            continue
        depth += (mark in "{[") - (mark in "}]")
        at += 1
        if depth == 0:
            return at
    return len(text)


def _after_quote(text: str, at: int) -> int:
    """Index after a quoted text that begins at `at`; triple quotes and escapes understood."""
    quote = text[at] * 3 if text.startswith(text[at] * 3, at) else text[at]
    if quote == text[at] and text[at] == "'" and at and text[at - 1].isalnum():
        return at + 1
    at += len(quote)
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith(quote, at):
            return at + len(quote)
        else:
            at += 1
    return at


def _mended(piece: str) -> Iterator[tuple[str, str]]:
    """The piece as it is, without trailing commas, with other quotes, with braces closed."""
    yield piece, "json-raw-lines"
    plain = re.sub(r",(\s*[}\]])", r"\1", piece)
    yield plain, "json-trailing-comma"
    ticked = re.sub(r"`{3}\w*\n?(.*?)`{3}|`([^`]*)`", _as_string, plain, flags=re.DOTALL)
    yield ticked, "json-back-ticks"
    tripled = re.sub(r'"""(.*?)"""', _as_string, plain, flags=re.DOTALL)
    yield tripled, "json-triple-quotes"
    open_braces = plain.count("{") - plain.count("}")
    if 0 < open_braces <= 3:
        yield plain.rstrip().rstrip(",") + "}" * open_braces, "json-braces-closed"


def _as_string(matched: re.Match[str]) -> str:
    inner = next((group for group in matched.groups() if group is not None), "")
    return json.dumps(inner)


def _pythonic(text: str) -> str:
    """JSON's constants in Python's words."""
    return re.sub(
        r"(?<=[:,\[ ])(true|false|null)(?=\s*[,}\]])",
        lambda m: {"true": "True", "false": "False", "null": "None"}[m[1]],
        text,
    )


def _key(value: Mapping[Any, Any], keys: Collection[str]) -> str | None:
    """The key of an object that is one of these, in any case."""
    for wanted in keys:
        for key in value:
            if isinstance(key, str) and key.casefold() == wanted:
                return key
    return None


def _calls(value: Any, rules: tuple[str, ...]) -> Iterator[Call]:
    """The calls that a parsed value stands for; none where it is other data."""
    if isinstance(value, list):
        for item in value:
            yield from _calls(item, rules)
        return
    if not isinstance(value, dict):
        return
    if (key := _key(value, _LIST_KEYS)) and isinstance(value[key], list):
        yield from _calls(value[key], rules)
        return
    name_key = _key(value, _NAME_KEYS)
    if name_key is None:
        yield from _keyed_by_verb(value, rules)
        return
    name, rest = value[name_key], {k: v for k, v in value.items() if k != name_key}
    if isinstance(name, dict):
        yield from _calls({**rest, **name}, rules)
        return
    if not isinstance(name, str):
        return
    args_key = _key(rest, _ARGS_KEYS)
    args = rest.pop(args_key) if args_key else {}
    yield _call(name, args, {k: v for k, v in rest.items() if k not in ("id", "type")}, rules)


def _keyed_by_verb(value: Mapping[Any, Any], rules: tuple[str, ...]) -> Iterator[Call]:
    """`{"read": {"Path": "a.py"}}` and `{"function": …}` without a name of its own."""
    if len(value) == 1:
        (name, args) = next(iter(value.items()))
        if isinstance(name, str) and re.fullmatch(r"[A-Za-z][\w -]*", name):
            yield _call(name, args, {}, rules)


def _call(name: str, args: Any, rest: Mapping[str, Any], rules: tuple[str, ...]) -> Call:
    if isinstance(args, str):
        parsed = next((v for v, _ in objects(args) if isinstance(v, dict)), None)
        args = parsed if args.strip().startswith("{") and parsed is not None else [args]
    if isinstance(args, Mapping):
        named = {str(k): as_text(v) for k, v in {**rest, **args}.items()}
        return Call(name, named, (), rules)
    values = args if isinstance(args, list) else [args]
    named = {str(k): as_text(v) for k, v in rest.items()}
    return Call(name, named, tuple(as_text(v) for v in values), rules)


def as_text(value: Any) -> str:
    """A JSON value as the text of a field: lists of lines joined, null empty, others as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False)


def in_tags(text: str, verbs: Collection[str]) -> list[Call]:
    """Calls written as tags: `<function=read>…`, `<invoke name="read">…`, `<read><path>…`."""
    found = [
        Call(m["name"], _parameters(m["inside"]), (), ("tool-call-tag",))
        for m in _TAG.finditer(text)
    ]
    if found:
        return found
    for matched in _ELEMENT.finditer(text):
        name, inside = matched["name"], matched["value"]
        if name.casefold() in verbs:
            named = _parameters(inside)
            positional = () if named or not inside.strip() else (inside.strip(),)
            found.append(Call(name, named, positional, ("tool-call-tag",)))
        elif name.casefold() == "action" and inside.strip().casefold() in verbs:
            rest = text[matched.end() :]
            found.append(Call(inside.strip(), _parameters(rest), (), ("tool-call-tag",)))
    return found


def _parameters(inside: str) -> dict[str, str]:
    """Parameters inside a tag: as tags of their own, or as one JSON object."""
    named = {m["name"].strip(): _unpadded(m["value"]) for m in _PARAMETER.finditer(inside)}
    if named:
        return named
    stripped = inside.strip()
    if stripped.startswith("{"):
        for value, _ in objects(stripped):
            if isinstance(value, dict):
                return {str(k): as_text(v) for k, v in value.items()}
    return {m["name"]: _unpadded(m["value"]) for m in _ELEMENT.finditer(inside)}


def _unpadded(value: str) -> str:
    """A parameter without the line ends beside its tags."""
    return value.removeprefix("\n").removesuffix("\n")


def in_python(text: str, verbs: Collection[str]) -> list[Call]:
    """Calls written as Python, where the whole text is nothing else: `read("a.py")`."""
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: list[Call] = []
    for statement in tree.body:
        node = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return []
        call = _python_call(node, node.func.id)
        if call is None or call.name.casefold() not in verbs:
            return []
        found.append(call)
    return found


def _python_call(node: ast.Call, name: str) -> Call | None:
    """A call whose arguments are all constants; None for another."""
    try:
        values = tuple(as_text(ast.literal_eval(arg)) for arg in node.args)
        named = {k.arg or "": as_text(ast.literal_eval(k.value)) for k in node.keywords}
    except (ValueError, TypeError, SyntaxError):
        return None
    return Call(name, named, values, ("python-call",))
