"""Owns one run on behalf of a person: what they typed and piped, who answers, the exit code.

Does not cover the run itself (`session`) nor how it is shown (`show`).
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from harness.person import flags

if TYPE_CHECKING:
    from harness.events import Event, Listener, Offered
    from harness.person.show import Show
    from harness.session import Session
    from harness.settings import Settings
    from harness.types import RunResult

Call: TypeAlias = "Callable[[Session, flags.Wanted, str], RunResult]"
"""Carries out what is wanted in a session, given the text that was piped in."""


def add_words(parser: argparse.ArgumentParser, what: str, command: str) -> None:
    """The free words of `ask` and `run`: an optional folder, the task, names of files."""
    parser.usage = f"py-harness {command} [options] [FOLDER] {what.upper()} [FILE ...]"
    parser.set_defaults(command=command)
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help=f"the {what} in quotes, then files that it is about; text piped in is evidence",
    )
    flags.add_project(parser)


def carry_out(options: argparse.Namespace, what: str, call: Call) -> int:
    """One run from typed words to exit code."""
    from harness.events import Note, Started
    from harness.person import outcomes, piped, terminal
    from harness.person.show import JsonLines, Show

    wanted = flags.wanted(options, options.words, what)
    settings = flags.settings_of(options, wanted.root)
    show = None if options.json else Show(project=str(wanted.root))
    listener: Listener = show or JsonLines()
    begun: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, Started):
            begun.append(event.run_id)
        listener(event)

    _end_tidily()
    session = _session(settings, wanted.root, hear, show)
    try:
        evidence = piped.text(lambda note: listener(Note(note)))
        result = call(session, wanted, terminal.clean(terminal.without_colours(evidence)))
    except KeyboardInterrupt:
        if show:
            show.rest()
        print(f"py-harness: {_interrupted(wanted.root, begun)}", file=sys.stderr)
        return outcomes.exit_code("interrupted")
    finally:
        if show:
            show.rest()
    return outcomes.exit_code(result.outcome)


def _end_tidily() -> None:
    """A run that is told to end, or whose terminal is closed, ends as with Ctrl-C."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        return
    known = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP", "SIGBREAK")]
    for number in [n for n in known if n is not None and signal.getsignal(n) == signal.SIG_DFL]:
        signal.signal(number, stop)


def _session(settings: Settings, root: Path, hear: Listener, show: Show | None) -> Session:
    """A session with a person in it where one can be asked; a program's is never asked."""
    from harness.person import terminal
    from harness.session import Session

    if show is None or not terminal.someone_answers():
        return Session(settings, root, on_event=hear)

    def offer(offered: Offered) -> bool:
        show.rest()
        return terminal.agree("Apply?")

    return Session(settings, root, on_event=hear, on_question=terminal.choose, on_offer=offer)


def _interrupted(root: Path, begun: list[str]) -> str:
    """What a stopped run left behind, in one line."""
    from harness.tree.workspace import Workspace

    wrote = {run.run_id for run in Workspace(root).runs() if run.has_writes}
    if begun and begun[-1] in wrote:
        at = "" if str(root) == "." else f" -C {root}"
        return f"interrupted; undo with: py-harness undo {begun[-1]}{at}"
    return "interrupted; nothing was written"
