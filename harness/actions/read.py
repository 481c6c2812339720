"""Shows a file: all of it when short, else the lines or the definition asked for."""

from __future__ import annotations

from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.road import excerpt
from harness.road.desk import Desk
from harness.source import symbols
from harness.types import Action, Observation, Refusal

SPEC = ActionSpec(
    "read",
    (
        FieldSpec("Path", help="path of a file", aliases=("File", "Filename", "Name", "Query")),
        FieldSpec(
            "Lines",
            required=False,
            help="such as 10-40",
            aliases=("Line", "Range", "Line_range", "Start"),
        ),
        FieldSpec(
            "Symbol",
            required=False,
            help="a function, class or Class.method",
            aliases=("Function", "Class", "Method", "Def"),
        ),
    ),
    (
        Alias("open", "read"),
        Alias("cat", "read"),
        Alias("view", "read"),
        Alias("show", "read"),
        Alias("read_file", "read"),
        Alias("head", "read"),
    ),
)
WRITES = False
EXAMPLES = (
    "Action: read\nPath: src/orders.py",
    "Action: read\nPath: src/orders.py\nLines: 1-20",
    "Action: read\nPath: src/orders.py\nSymbol: order_total",
)


def act(action: Action, desk: Desk) -> Observation | Refusal:
    """The text as it stands, nothing added to its lines so that they can be copied."""
    asked = action.fields["Path"].strip().strip("`'\"")
    path = desk.meant(asked)
    if isinstance(path, Refusal):
        return path
    plain = asked.replace("\\", "/").removeprefix("./")
    note = "" if plain.endswith(path) else f"There is no {asked}; this is {path}.\n"
    text = desk.read(path)
    if isinstance(text, Refusal):
        return text
    name = action.fields.get("Symbol", "").strip().removesuffix("()")
    if name:
        if (symbol := symbols.find(text, name)) is None:
            names = ", ".join(s.qualname for s in symbols.outline(text)[:30]) or "none"
            return Observation(f"{path} defines no {name}. It defines: {names}", ok=False)
        shown = f"{path}, line {symbol.line}:\n{excerpt.of_symbol(text, symbol)}"
        return Observation(note + shown, read=(path,))
    first, last = excerpt.numbers(action.fields.get("Lines", ""))
    if first:
        return Observation(f"{note}{path}, {excerpt.of_lines(text, first, last)}", read=(path,))
    outline = symbols.outline(text) if len(text) > excerpt.WHOLE else ()
    return Observation(f"{note}{path}:\n{excerpt.of_file(text, outline)}", read=(path,))
