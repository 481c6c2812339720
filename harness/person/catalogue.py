"""Owns the catalogues: commands, parts, settings, exit codes, as tables for a terminal or a page.

Generated text in a page stands between `<!-- generated: TOPIC -->` and `<!-- end generated -->`.
Does not cover the words themselves, which each part says of itself.
"""

from __future__ import annotations

import argparse
import json as json_form
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import ModuleType

from harness import parts
from harness.errors import HarnessError

_BLOCK = re.compile(
    r"(?P<open><!-- generated: (?P<topic>[^\n]*?) -->\n)(?P<body>.*?)"
    r"(?P<close><!-- end generated -->)",
    re.DOTALL,
)
_OPEN = re.compile(r"<!-- generated: ")


@dataclass(frozen=True)
class Table:
    """A catalogue."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def printed(self, *, json: bool = False) -> str:
        """For a terminal, columns aligned, the last one free; or one JSON object a row."""
        if json:
            objects = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
            return json_form.dumps(objects, ensure_ascii=False)
        widths = [max(len(row[i]) for row in (self.columns, *self.rows)) for i in range(self._last)]
        return "\n".join(
            "  ".join([*(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=False)), row[-1]])
            for row in self.rows
        )

    @property
    def _last(self) -> int:
        return len(self.columns) - 1

    def markdown(self) -> str:
        """For a page."""
        rows = [self.columns, ("---",) * len(self.columns), *self.rows]
        cells = [[_cell(cell, last=i == self._last) for i, cell in enumerate(row)] for row in rows]
        return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def _cell(text: str, *, last: bool) -> str:
    """A cell of a page's table; a value is code, and so is every number in running words."""
    text = text.replace("|", "\\|").replace("\n", " ")
    if "`" in text or not any(c.isdigit() for c in text):
        return text
    return re.sub(r"[\w.,/:-]*\d[\w.,/:-]*(?<![.,:])", r"`\g<0>`", text) if last else f"`{text}`"


def commands() -> list[tuple[str, str]]:
    """(name, first line of its docstring) of every command, in ORDER, read without importing."""
    folder, found = resources.files("harness.commands"), []
    for name in parts.names("commands"):
        text = (folder / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
        says = text.removeprefix('"""').split("\n", 1)[0].rstrip('."')
        order = re.search(r"^ORDER = (\d+)", text, re.MULTILINE)
        found.append((int(order[1]) if order else 99, name, says))
    return [(name, says) for _, name, says in sorted(found)]


def table(topic: str) -> Table:
    """The catalogue of a topic; HarnessError names the topics where there is none of that name."""
    if topic not in _TABLES:
        raise HarnessError(f"no catalogue {topic!r}", f"there are: {', '.join(_TABLES)}")
    return _TABLES[topic]()


def _commands() -> Table:
    return Table(("command", "does"), tuple(commands()))


def _of(folder: str, facts: Callable[[ModuleType], tuple[str, ...]], *names: str) -> Table:
    """A plural folder: name, facts, what it says of itself."""
    rows = [(n, *facts(part), parts.says(part)) for n, part in parts.all_of(folder).items()]
    return Table(("name", *names, "does"), tuple(rows))


def _action(part: ModuleType) -> tuple[str, ...]:
    fields = [f.name if f.required else f"[{f.name}]" for f in part.SPEC.fields]
    return " ".join(fields) or "none", "yes" if part.WRITES else "no"


def _drafter(part: ModuleType) -> tuple[str, ...]:
    return ", ".join(part.KINDS), "yes" if part.BY_MODEL else "no"


def _settings() -> Table:
    """Every knob, as the project's table spells it."""
    from harness.person.flags import shown
    from harness.settings import KNOBS

    rows = []
    for name, knob in KNOBS.items():
        about, default = knob.metadata, shown(knob.default) if knob.default != "" else "none"
        fits = " or ".join(about["choices"])
        if about["low"] is not None:
            fits = f"{about['low']:g} to {about['high']:g}"
        if isinstance(knob.default, bool):
            default = str(knob.default).lower()
        rows.append((name.replace("_", "-"), default or "none", fits, about["help"]))
    return Table(("setting", "default", "from", "is"), tuple(rows))


def _exit_codes() -> Table:
    from harness.person.outcomes import EXIT_CODES

    return Table(("exit code", "means"), tuple((str(c), text) for c, text in EXIT_CODES.items()))


_TABLES: dict[str, Callable[[], Table]] = {
    "commands": _commands,
    "actions": lambda: _of("actions", _action, "fields", "writes"),
    "guards": lambda: _of("guards", lambda part: (part.STAGE,), "stage"),
    "fixes": lambda: _of("fixes", lambda part: (part.STAGE,), "stage"),
    "drafters": lambda: _of("drafters", _drafter, "jobs", "asks a model"),
    "engines": lambda: _of("engines", lambda part: (part.DEFAULT_URL or "none",), "address"),
    "settings": _settings,
    "exit codes": _exit_codes,
}


def help_of(command: str) -> str:
    """The help of one command as Markdown: what it does, how it is typed, its options."""
    from harness.person.flags import parser_of

    if command not in parts.names("commands"):
        raise HarnessError(f"no command {command!r}", "see py-harness --help")
    parser = parser_of(command, parts.load("commands", command))
    usage = parser.usage or f"{parser.prog} [options]"
    rows = tuple(_option(action) for action in parser._actions)
    return (
        f"{parser.description}\n\n```text\n{usage}\n```\n\n"
        + Table(("option", "is"), rows).markdown()
    )


def _option(action: argparse.Action) -> tuple[str, str]:
    """One option or word as it is typed, and its help."""
    value = "" if action.nargs == 0 else f" {action.metavar or action.dest.upper()}"
    typed = ", ".join(action.option_strings) + value if action.option_strings else value.strip()
    return f"`{typed}`", (action.help or "").replace("%%", "%")


def text(topic: str) -> str:
    """The generated Markdown of a topic: `help COMMAND` or a catalogue's name."""
    if topic.startswith("help "):
        return help_of(topic.removeprefix("help "))
    return table(topic).markdown()


def renewed(page: str, name: str = "page") -> str:
    """A page's text with every generated block made anew; HarnessError for an open block."""
    if len(_OPEN.findall(page)) != len(_BLOCK.findall(page)):
        raise HarnessError(
            f"{name} has a generated block without its end", "<!-- end generated -->"
        )
    return _BLOCK.sub(lambda m: f"{m['open']}\n{text(m['topic'].strip())}\n{m['close']}", page)


@dataclass(frozen=True)
class StalePage:
    """A page whose generated text is not what the parts say today."""

    path: Path
    fresh: str
    """The whole page as it should be."""


def stale(folder: Path) -> Iterator[StalePage]:
    """Stale pages beneath a folder, in order of their paths."""
    for path in sorted(folder.rglob("*.md")):
        page = path.read_text(encoding="utf-8")
        if _OPEN.search(page) and (fresh := renewed(page, path.name)) != page:
            yield StalePage(path, fresh)
