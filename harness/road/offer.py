"""Owns the one write of a run: the change is shown, accepted or declined, written, and committed.

Does not cover whether a change is right (`checks`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from harness.errors import HarnessError
from harness.events import Note, Offered
from harness.road.desk import Desk
from harness.tree import gittree
from harness.tree.workspace import diff
from harness.types import Change, Outcome, Refusal, Verdict

Accept = Callable[[Offered], bool] | None


@dataclass(frozen=True)
class Offering:
    """What became of a change."""

    outcome: Outcome
    summary: str
    changes: tuple[Change, ...] = ()
    diff: str = ""


def make(desk: Desk, files: Mapping[str, str | None], verdict: Verdict, accept: Accept) -> Offering:
    """Show a change and, if it is accepted, write it; the tree is touched once, here."""
    preview = desk.workspace.preview(files)
    if isinstance(preview, Refusal):
        return Offering("gave-up", f"the change cannot be written: {preview.reason}")
    if not preview:
        return Offering("nothing-to-do", "the files already read like that")
    offered = Offered(preview, diff(preview), verdict)
    desk.tell(offered)
    settings = desk.settings
    if settings.dry_run:
        return Offering("dry-run", f"nothing written; {verdict.reason}", preview, offered.diff)
    if not settings.yes and not (accept is not None and accept(offered)):
        said = "the change was declined; nothing was written"
        if accept is None:
            said = "nothing was written: nobody could accept the change; give --yes to apply it"
        return Offering("declined", said, (), offered.diff)
    own = gittree.dirty(desk.workspace.root, tuple(files)) if settings.commit else ()
    written = desk.workspace.write(files, desk.run_id)
    if isinstance(written, Refusal):
        return Offering("gave-up", f"nothing was written: {written.reason}")
    if settings.commit:
        _commit(desk, written, own)
    return Offering("done", verdict.reason, written, offered.diff)


def _commit(desk: Desk, written: tuple[Change, ...], own: tuple[str, ...]) -> None:
    """One commit of exactly this change; a reason not to is told, the change stays."""
    paths, root = [c.path for c in written], desk.workspace.root
    try:
        sha = gittree.commit(root, paths, _message(desk), dirty_before=own)
    except HarnessError as wrong:
        desk.tell(Note(f"not committed: {wrong}"))
        return
    desk.tell(Note(f"committed as {sha[:10]}"))


def _message(desk: Desk) -> str:
    """A commit's message: the task's first line, at most 72 characters."""
    line = desk.job.task.strip().splitlines()[0]
    return line if len(line) <= 72 else line[:69].rstrip() + "…"
