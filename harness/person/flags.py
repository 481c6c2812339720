"""Owns how a knob is spelled on the command line, and what a person typed: folder, task, files.

Does not cover a knob's default, help or bounds (`settings`) nor what is piped in (`piped`).
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from harness import parts
from harness.errors import HarnessError
from harness.settings import KNOBS, Settings, resolve

if TYPE_CHECKING:
    from harness.source.project import Project

WIDTH = 88


class Parser(argparse.ArgumentParser):
    """A command's parser: wrong words are one line."""

    def error(self, message: str) -> NoReturn:
        """HarnessError with argparse's own line, instead of the whole usage."""
        raise HarnessError(message, f"see {self.prog} --help")


def parser_of(name: str, command: ModuleType) -> Parser:
    """The parser of one command; the first line of its docstring is its help."""
    parser = Parser(
        prog=f"py-harness {name}",
        description=f"{parts.says(command)}.",
        allow_abbrev=False,
        formatter_class=lambda prog: argparse.HelpFormatter(
            prog, max_help_position=26, width=WIDTH
        ),
    )
    command.options(parser)
    return parser


def flag(name: str) -> str:
    """The flag of a knob: `dry_run` is `--dry-run`."""
    return "--" + name.replace("_", "-")


def add_knobs(parser: argparse.ArgumentParser, names: Collection[str] = tuple(KNOBS)) -> None:
    """One flag a knob, in the order of the settings; a flag that is not given sets nothing."""
    for name, knob in KNOBS.items():
        if name not in names:
            continue
        about: dict[str, Any] = {"default": argparse.SUPPRESS, "help": _help(knob)}
        if isinstance(knob.default, bool):
            about["action"] = "store_true"
        elif isinstance(knob.default, tuple):
            about |= {"action": "append", "metavar": "NAME"}
        else:
            about |= {"type": type(knob.default), "metavar": _metavar(knob)}
        parser.add_argument(flag(name), **about)


def _metavar(knob: dataclasses.Field[Any]) -> str:
    if knob.metadata["choices"]:
        return "{" + ",".join(knob.metadata["choices"]) + "}"
    return {int: "N", float: "SECONDS"}.get(type(knob.default), "TEXT")


def _help(knob: dataclasses.Field[Any]) -> str:
    """The knob's own line and its default, where it has one that says something."""
    text = str(knob.metadata["help"]).replace("%", "%%")
    told = knob.default not in ("", (), False)
    return f"{text} (default {shown(knob.default)})" if told else text


def shown(value: Any) -> str:
    """A default as a person would type it."""
    if isinstance(value, float):
        return f"{value:g}"
    return " ".join(value) if isinstance(value, tuple) else str(value)


def add_project(parser: argparse.ArgumentParser) -> None:
    """`-C FOLDER`: the project, else the folder where the command was typed."""
    parser.add_argument(
        "-C",
        "--project",
        metavar="FOLDER",
        default=".",
        help="project's folder (default: this one)",
    )


def add_json(parser: argparse.ArgumentParser, help: str = "print JSON") -> None:
    """`--json`: for programs."""
    parser.add_argument("--json", action="store_true", help=help)


def settings_of(options: argparse.Namespace, root: Path) -> Settings:
    """The settings of a command: its flags first, then the project's table, then the defaults."""
    given = {name: value for name, value in vars(options).items() if name in KNOBS}
    settings = resolve(root, given)
    part("engines", settings.engine)
    known = [name for folder in ("guards", "fixes", "drafters") for name in parts.names(folder)]
    for name in settings.off:
        _known(name, known, "guard, fix or drafter")
    return settings


def part(folder: str, name: str) -> ModuleType:
    """A part that a person named; HarnessError with near names where there is none."""
    _known(name, parts.names(folder), folder.removesuffix("s"))
    return parts.load(folder, name)


def _known(name: str, known: Collection[str], what: str) -> None:
    if name not in known:
        import difflib

        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5) or sorted(known)
        raise HarnessError(f"no {what} {name!r}", f"there are: {', '.join(near)}")


def folder(name: str) -> Path:
    """A folder that is there; HarnessError says what it is instead."""
    path = Path(name)
    if path.is_dir():
        return path
    if path.exists():
        raise HarnessError(f"{name} is a file", "give the project's folder, and the file after")
    raise HarnessError(f"no folder {name}", "give the project's folder with -C FOLDER")


def project(options: argparse.Namespace) -> Project:
    """The project of a command that reads only; HarnessError where it holds no Python."""
    from harness.source.project import Project
    from harness.tree.workspace import Workspace

    root = folder(options.project)
    workspace = Workspace(root, settings_of(options, root).scope, read_only=True)

    def text(path: str) -> str | None:
        return getattr(workspace.read(path), "text", None)

    found = Project(workspace.root, workspace.files(), text)
    if not found.python_files():
        raise HarnessError(f"no Python file in {root}", "give the project's folder with -C FOLDER")
    return found


@dataclass(frozen=True)
class Wanted:
    """What a person typed."""

    root: Path
    """The project's folder."""
    task: str
    """The task or question, verbatim."""
    files: tuple[str, ...]
    """Relative paths named after it, forward slashes, each a file that is there."""


def wanted(options: argparse.Namespace, words: Sequence[str], what: str) -> Wanted:
    """Folder, task and files out of the free words; HarnessError where one does not fit."""
    words, root = list(words), folder(options.project)
    if len(words) > 1 and options.project == "." and Path(words[0]).is_dir():
        root = folder(words.pop(0))
    if not words or not words[0].strip():
        raise HarnessError(f"no {what} was given", f'in quotes: py-harness {options.command} "…"')
    task = words[0].strip()
    if len(words) == 1 and " " not in task and Path(task).is_dir():
        raise HarnessError(f"{task} is a folder, no {what}", f"write the {what} after it")
    return Wanted(root, task, tuple(_inside(root, name, what) for name in words[1:]))


def _inside(root: Path, name: str, what: str) -> str:
    """A named file as a path relative to the project, whether it was named from here or there."""
    for path in (root / name, Path(name)):
        inside = path.resolve()
        if path.is_file() and inside.is_relative_to(root.resolve()):
            return inside.relative_to(root.resolve()).as_posix()
    if (root / name).is_dir():
        raise HarnessError(f"{name} is a folder", f"give it as --scope {name}, or name a file")
    if Path(name).is_file():
        raise HarnessError(f"{name} is outside the project {root}", "copy it there, or pipe it in")
    near = _near(root, name)
    hint = f"did you mean {near}?" if near else f"names of files come after the quoted {what}"
    raise HarnessError(f"no file {name} in the project", hint)


def _near(root: Path, name: str) -> str:
    """A file of the same folder whose name is near, or nothing."""
    import difflib

    place = (root / name).parent
    there = [p.name for p in place.iterdir() if p.is_file()] if place.is_dir() else []
    near = difflib.get_close_matches(Path(name).name, there, n=1, cutoff=0.7)
    return (place / near[0]).relative_to(root).as_posix() if near else ""
