"""Owns the `py-harness` command line: finds the command, prints errors, sets exit codes.

Does not cover what a command does (`commands/`) nor how knobs are spelled (`flags`).
"""

from __future__ import annotations

import os
import sys

from harness import __version__
from harness.errors import HarnessError

TYPE_CHECKING = False
if TYPE_CHECKING:  # nothing of typing is imported at start-up, which must stay light
    from collections.abc import Sequence
    from types import ModuleType

INTERRUPTED = 130

HOW_TO = """\
py-harness: a laptop helper for everyday Python, with a small local model.

  py-harness ask "what does compute_total return?"     answers, writes nothing
  py-harness run "fix the NameError in src/orders.py"  checks a change, shows it, asks
  py-harness undo                                      takes the last run back
  py-harness doctor                                    says what is missing here

All commands: py-harness --help"""


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out one command line and return its exit code; never raises what a user can mend."""
    words = list(sys.argv[1:] if argv is None else argv)
    _careful_streams(json="--json" in words)
    try:
        code = _dispatch(words)
        sys.stdout.flush()
    except HarnessError as wrong:
        print(f"py-harness: {' '.join(str(wrong).split())}", file=sys.stderr)
        return wrong.exit_code
    except KeyboardInterrupt:
        print("py-harness: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has gone; a flush at exit would complain once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _careful_streams(*, json: bool) -> None:
    """A console that lacks a letter shows its escape instead; JSON is always UTF-8."""
    for stream in (sys.stdout, sys.stderr):
        if change := getattr(stream, "reconfigure", None):
            encoding = {"encoding": "utf-8"} if json and stream is sys.stdout else {}
            change(errors="backslashreplace", **encoding)


def _dispatch(words: list[str]) -> int:
    """Exit code of one command line."""
    first = words[0] if words else ""
    if first in ("--version", "-V"):
        print(f"py-harness {__version__}")
        return 0
    if not words:
        print(HOW_TO)
        return 0
    if first in ("-h", "--help", "help"):
        if len(words) == 1:
            print(overview())
            return 0
        first, words = words[1], [words[1], "--help"]
    return _carry_out(command(first, more=len(words) > 2), first, words[1:])


def _carry_out(part: ModuleType, name: str, words: list[str]) -> int:
    """Exit code of one command with its own words."""
    from harness.person.flags import parser_of

    try:
        options = parser_of(name, part).parse_intermixed_args(words)
    except SystemExit as end:  # --help has printed what it had to say
        return int(end.code or 0)
    return int(part.run(options))


def command(name: str, *, more: bool = False) -> ModuleType:
    """The command's module, the only one that is imported; HarnessError names near ones.

    `more` tells that words follow, so that it may be a sentence typed without a command.
    """
    from harness import parts

    known = parts.names("commands")
    if name in known:
        return parts.load("commands", name)
    if name.startswith("-"):
        raise HarnessError(f"no option {name} before the command", "see py-harness --help")
    import difflib

    near = difflib.get_close_matches(name, known, n=3, cutoff=0.75 if more else 0.6)
    does = f"did you mean {' or '.join(near)}?" if near else "see py-harness --help"
    if " " in name.strip() or (more and not near):
        does = 'the command comes first: py-harness run "…" or py-harness ask "…"'
    raise HarnessError(f"no command {name!r}", does)


def overview() -> str:
    """Every command with what it does, one line each, in ORDER; none is imported for it."""
    from harness.person.catalogue import table

    lines = table("commands").printed().splitlines()
    return "\n".join(
        [
            "usage: py-harness COMMAND …",
            "",
            *(f"  {line}" for line in lines),
            "",
            "Options of one command: py-harness COMMAND --help",
            "Version: py-harness --version",
        ]
    )
