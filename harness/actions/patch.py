"""Changes part of a file: lines by Find and Replace, more by Append, a function by Symbol."""

from __future__ import annotations

from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.road.desk import Desk, Laid
from harness.source import edits, symbols
from harness.types import Action, Fault, Observation, Refusal

SPEC = ActionSpec(
    "patch",
    (
        FieldSpec("Path", help="path of the file", aliases=("File", "Filename")),
        FieldSpec(
            "Find",
            required=False,
            body=True,
            help="the lines as they stand",
            aliases=("Search", "Old", "Old_string", "Before", "Original", "Old_code"),
        ),
        FieldSpec(
            "Replace",
            required=False,
            body=True,
            help="the lines as they shall be",
            aliases=("New", "New_string", "With", "After", "Replacement", "New_code"),
        ),
        FieldSpec(
            "Append",
            required=False,
            body=True,
            help="lines to add",
            aliases=("Add", "Insert"),
        ),
        FieldSpec(
            "Symbol",
            required=False,
            help="the function, class or Class.method to replace",
            aliases=("Function", "Class", "Method", "Name"),
        ),
        FieldSpec(
            "Body",
            required=False,
            body=True,
            help="its whole new definition",
            aliases=("Code", "Content", "Contents", "Definition"),
        ),
    ),
    (
        Alias("edit", "patch"),
        Alias("replace", "patch"),
        Alias("modify", "patch"),
        Alias("update", "patch"),
        Alias("change", "patch"),
        Alias("fix", "patch"),
        Alias("append", "patch", {"Body": "Append", "Content": "Append", "Text": "Append"}),
        Alias("add", "patch", {"Body": "Append", "Content": "Append", "Text": "Append"}),
        Alias("insert", "patch", {"Body": "Append", "Content": "Append", "Text": "Append"}),
        Alias("str_replace", "patch"),
        Alias("edit_file", "patch"),
        Alias("apply_patch", "patch"),
    ),
)
WRITES = True
EXAMPLES = (
    # Sent back word for word it misses, since hardly a file holds this line: models copy examples.
    "Action: patch\nPath: src/orders.py\nFind:\n```\nTAX = 0.2\n```\n"
    "Replace:\n```\nTAX = 0.25\n```",
    "Action: patch\nPath: src/orders.py\nAppend:\n```\ndef is_empty(prices):\n"
    "    return not prices\n```",
    "Action: patch\nPath: src/orders.py\nSymbol: order_total\nBody:\n```\n"
    "def order_total(prices):\n    return sum(prices)\n```",
)


def act(action: Action, desk: Desk) -> Observation | Refusal:
    """The change laid into the throw-away copy, or why not, with the closest real lines."""
    path = desk.meant(action.fields["Path"])
    if isinstance(path, Refusal):
        return path
    text = desk.read(path)
    if isinstance(text, Refusal):
        if path in desk.files() or not _makes_a_file(action):
            return text
        text = ""
    new = changed(text, action, python=path.endswith((".py", ".pyi")))
    if isinstance(new, Fault):
        return Observation(
            f"Nothing was changed in {path}: {new.reason}.\n{new.next_action}", ok=False
        )
    laid = desk.change({path: new})
    return laid if isinstance(laid, Refusal) else _told(laid)


def _makes_a_file(action: Action) -> bool:
    """Whether the step only adds, so that the file need not be there."""
    given = {name for name, value in action.fields.items() if value.strip()}
    return not given & {"Find", "Symbol"} and bool(given & {"Append", "Body"})


def changed(text: str, action: Action, *, python: bool) -> str | Fault:
    """The file's new text."""
    fields = action.fields
    if "Find" not in fields and not any(fields.get(n, "").strip() for n in ("Append", "Body")):
        return Fault(
            "the patch has nothing to put in",
            f"Action: patch\nPath: {fields['Path']}\nFind:\n```\n<lines as they stand>\n```\n"
            "Replace:\n```\n<lines as they shall be>\n```",
        )
    if fields.get("Body", "").strip():
        found = _body(text, fields.get("Symbol", "").strip(), fields["Body"], python=python)
        if isinstance(found, Fault):
            return found
        text = found
    if "Find" in fields:
        found = edits.replace(text, fields["Find"], fields.get("Replace", ""))
        if isinstance(found, Fault):
            return found
        text = found
    if fields.get("Append", "").strip():
        return edits.append(text, fields["Append"], python=python)
    return text


def _body(text: str, symbol: str, body: str, *, python: bool) -> str | Fault:
    """A definition put in place: the one that Symbol names, else those that the body defines."""
    name = symbol.removesuffix("()")
    if name and symbols.find(text, name) is not None:
        return symbols.replace(text, name, body)
    if not text.strip():
        return body.rstrip("\n") + "\n"
    if not python:
        return Fault("a Body alone says not where it belongs", "give Find and Replace, or Append")
    return edits.definitions(text, body)


def _told(laid: Laid) -> Observation:
    """What was changed, with what the fixes did."""
    paths = tuple(change.path for change in laid.changes)
    return Observation("\n".join([f"Changed {', '.join(paths)}.", *laid.notes]), changed=paths)
