"""Finds where a name is defined, shows the definition and who calls it."""

from __future__ import annotations

from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.road import excerpt
from harness.road.desk import Desk
from harness.source.symbols import Symbol
from harness.types import Action, Observation

SPEC = ActionSpec(
    "locate",
    (
        FieldSpec(
            "Query",
            help="a function, class or Class.method",
            aliases=("Name", "Symbol", "Function", "Class", "Method", "Pattern"),
        ),
    ),
    (
        Alias("definition", "locate"),
        Alias("goto", "locate"),
        Alias("where", "locate"),
        Alias("find_definition", "locate"),
        Alias("find_function", "locate"),
        Alias("find_symbol", "locate"),
        Alias("lookup", "locate"),
    ),
)
WRITES = False
EXAMPLES = ("Action: locate\nQuery: order_total",)
LIMIT = 4_000
CALLERS = 8


def act(action: Action, desk: Desk) -> Observation:
    """The definition's own lines, other places of that name, and up to eight callers."""
    name = _name(action.fields["Query"])
    places = list(desk.project.definitions(name)) if name else []
    if not places:
        return _near(name or action.fields["Query"].strip(), desk)
    places.sort(key=lambda place: (desk.project.is_test(place[0]), place[0] != desk.job.path))
    path, symbol = places[0]
    text = desk.text(path) or ""
    parts = [f"{symbol.qualname} is defined in {path}, line {symbol.line}:"]
    parts.append(excerpt.of_symbol(text, symbol, LIMIT))
    if others := [f"{p}:{s.line} {s.qualname}" for p, s in places[1:6]]:
        parts.append("The name is defined as well in:\n" + "\n".join(others))
    parts.append(_callers(symbol, desk))
    return Observation("\n\n".join(parts), read=(path,))


def _name(query: str) -> str:
    """The name in a query such as `def order_total(` or "order_total function"."""
    words = query.strip().strip("`'\"").replace("(", " ").replace(":", " ").split()
    words = [w for w in words if w not in ("def", "class", "async", "function", "method", "the")]
    name = words[0].strip("`'\".,") if words else ""
    return name if name.replace(".", "").isidentifier() else ""


def _callers(symbol: Symbol, desk: Desk) -> str:
    """Where it is called, as path:line: text."""
    calls = desk.project.callers(symbol.qualname)
    lines = [f"{path}:{line}: {text.strip()[:120]}" for path, line, text in calls[:CALLERS]]
    if not lines:
        return "Nothing calls it."
    more = f"\nand {len(calls) - CALLERS} more" if len(calls) > CALLERS else ""
    return "It is called in:\n" + "\n".join(lines) + more


def _near(name: str, desk: Desk) -> Observation:
    """What is defined under like names, where nothing is defined under this one."""
    wanted = name.rsplit(".", 1)[-1].casefold()
    alike = [
        f"{path}:{symbol.line} {symbol.qualname}"
        for path in desk.project.python_files()
        for symbol in desk.project.outline(path)
        if wanted and (wanted in symbol.name.casefold() or symbol.name.casefold() == wanted)
    ]
    shown = "\nLike names:\n" + "\n".join(alike[:10]) if alike else ""
    return Observation(f"Nothing here defines {name}.{shown}", ok=False)
