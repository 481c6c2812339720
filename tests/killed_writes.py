"""Kills a write and its undo at every file-system call, then undoes; run as a script by a test.

Prints one JSON object: how many points there were, and what was not as before. POSIX only.
A process does nothing to the disk between two calls, so to die before each call is to die after
each one as well; a write dies half-way too. With a death, bytes that were not synced are lost.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.tree.disk import Calls
from harness.tree.workspace import Workspace

RUN = "20261201T000000-kill"
NAMES = frozenset(n for n, v in vars(Calls).items() if callable(v) and not n.startswith("_"))
BEFORE = {"a.py": b"x = 1\r\ny = 2\n", "pkg/b.py": b"\xef\xbb\xbfb = 1\r\n", "old.md": b"caf\xe9"}
CHANGES = {"a.py": "x = 2\ny = 2\nz\n", "pkg/b.py": "b = 3\n", "old.md": None, "new/in/c.py": "c\n"}
Tree = dict[str, tuple[bytes, int] | None]


class Dying(Calls):
    """Calls that end the process before the one at `point`, after which unsynced bytes are gone."""

    def __init__(self, point: int, synced: bool = True) -> None:
        self.point = point
        self.count = 0
        self.synced = synced
        self.unsynced: dict[int, int] = {}

    def __getattribute__(self, name: str) -> Any:
        call = super().__getattribute__(name)
        if name not in NAMES:
            return call

        def counted(*arguments: Any) -> Any:
            if self.count == self.point:
                self.die(name, arguments)
            self.count += 1
            result = call(*arguments)
            return self.noted(name, arguments, result)

        return counted

    def sync(self, handle: Any) -> None:
        """Wait for the disk, unless this is the broken kind that does not."""
        if self.synced:
            super().sync(handle)

    def noted(self, name: str, arguments: tuple[Any, ...], result: Any) -> Any:
        """Remember which files have bytes that may not be on the disk."""
        if name == "make_file":
            self.unsynced[result] = os.dup(result)
        elif name == "sync" and self.synced:
            self.unsynced.pop(arguments[0], None)
        elif name == "close" and arguments[0] in self.unsynced:
            self.unsynced[-arguments[0] - self.count * 1000] = self.unsynced.pop(arguments[0])
        return result

    def die(self, name: str, arguments: tuple[Any, ...]) -> None:
        """End at once; a write gets half of its bytes out, and unsynced bytes are lost."""
        if name == "write":
            os.write(arguments[0], arguments[1][: len(arguments[1]) // 2])
        for file in self.unsynced.values():
            os.ftruncate(file, 0)
        os._exit(9)


def make(root: Path) -> None:
    """The tree that is written to."""
    shutil.rmtree(root, ignore_errors=True)
    for name, data in BEFORE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "a.py").chmod(0o755)
    (root / "untracked.bin").write_bytes(b"\0mine")


def tree(root: Path) -> Tree:
    """Every file and folder but the helper's own, as bytes and mode."""
    found: Tree = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(".py-harness"):
            is_file = path.is_file() and not path.is_symlink()
            found[name] = (path.read_bytes(), path.stat().st_mode) if is_file else None
    return found


def child(work: Callable[[], None]) -> int:
    """Run in a process of its own; its exit code."""
    process = os.fork()
    if process == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def write(root: Path, point: int, synced: bool = True) -> Callable[[], None]:
    """The write, dying at a point."""
    return lambda: void(Workspace(root, calls=Dying(point, synced)).write(CHANGES, RUN))


def undo(root: Path, point: int = -1) -> Callable[[], None]:
    """The undo, dying at a point; a run that came to nothing has none."""

    def work() -> None:
        try:
            report = Workspace(root, calls=Dying(point)).undo(RUN)
        except HarnessError as wrong:
            if "no run is named" not in wrong.message:
                raise
            return
        assert report.left == (), report

    return work


def void(result: object) -> None:
    """Fail unless a write was made."""
    assert isinstance(result, tuple), result
    assert len(result) == len(CHANGES)


def count(root: Path, work: Callable[[Calls], object]) -> int:
    """How many calls a piece of work makes when nothing stops it."""
    calls = Dying(-1)
    work(calls)
    return calls.count


def wrong_state(root: Path, before: Tree, after: Tree, undoing: bool) -> str:
    """What is wrong right after a death: a half-done write that nobody is told of.

    An undo that died leaves a run that has writes, which is what to undo again.
    """
    runs = {run.run_id: run for run in Workspace(root).runs()}
    now = {name: held for name, held in tree(root).items() if not name.endswith(".tmp")}
    told = RUN in runs and runs[RUN].has_writes
    if now not in (before, after) and not (told and (runs[RUN].unfinished or undoing)):
        return "half done and not told"
    return "" if now == before or told else "changed and not told"


def main(folder: Path, synced: bool = True) -> dict[str, Any]:
    """Every point of the write, every point of the undo, and pairs of them."""
    root = folder / "tree"
    make(root)
    before = tree(root)
    writes = count(root, lambda calls: Workspace(root, calls=calls).write(CHANGES, RUN))
    after = tree(root)
    undos = count(root, lambda calls: Workspace(root, calls=calls).undo(RUN))
    wrong: list[str] = []
    pairs = 0

    def check(what: str, *deaths: Callable[[], None]) -> None:
        make(root)
        codes = [child(death) for death in deaths]
        if state := wrong_state(root, before, after, len(deaths) > 1):
            wrong.append(f"{what}: {state}")
        codes += [child(undo(root)), child(undo(root))]
        if tree(root) != before or not set(codes) <= {0, 9} or codes[-2:] != [0, 0]:
            wrong.append(f"{what}: exit codes {codes}, {sorted(set(tree(root)) ^ set(before))}")

    for point in range(0, writes + 1, 1 if synced else 5):
        check(f"write dies at {point}", write(root, point, synced))
    if synced:
        for point in range(undos + 1):
            check(f"undo dies at {point}", write(root, -1), undo(root, point))
        for first in range(writes // 3, writes, 31):
            for second in range(0, undos, 23):
                pairs += 1
                what = f"write dies at {first}, undo at {second}"
                check(what, write(root, first), undo(root, second))
    return {"writes": writes, "undos": undos, "pairs": pairs, "wrong": wrong}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), synced="--unsynced" not in sys.argv)))
