"""Owns the `py-measure` command line: finds the command, prints errors, sets exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from harness import __version__
from harness.errors import HarnessError
from measure import derive, transcribe
from measure.record import schema
from measure.record.counts import counts
from measure.record.published import Figure
from measure.record.whole import PUBLISHED, Record, load


def _root(given: str | None) -> Path:
    """The project's folder: as given, else the nearest one above that holds data/published."""
    start = Path(given or ".").resolve()
    for folder in (start,) if given else (start, *start.parents):
        if (folder / PUBLISHED).is_dir():
            return folder
    where = f"in {given}" if given else "here or above"
    raise HarnessError(f"no {PUBLISHED} {where}", "run it in the project, or give --root")


def run_check(options: argparse.Namespace) -> int:
    """Read the whole record, its schema files and its arithmetic."""
    root = _root(options.root)
    record = load(root)
    stale = schema.stale(root)
    if stale:
        raise HarnessError(f"stale: {', '.join(stale)}", "run py-measure schema --write")
    wrong = [c for c in derive.checks(record) if not c.same]
    for found in wrong:
        print(found, file=sys.stderr)
    print(
        f"record: {len(record.figures)} figures, {len(record.tables)} tables, "
        f"{len(record.results)} results; {len(wrong)} differ"
    )
    return 1 if wrong else 0


def run_counts(options: argparse.Namespace) -> int:
    """Print the counts that the site prints of itself."""
    for count in counts(load(_root(options.root))).values():
        print(f"{count.value:>6}  {count.label} ({count.name})")
    return 0


def run_schema(options: argparse.Namespace) -> int:
    """Write the JSON Schema files, or say which are stale."""
    root = _root(options.root)
    if options.write:
        print(f"wrote {len(schema.write(root))} files under data/schema")
        return 0
    stale = schema.stale(root)
    for name in stale:
        print(f"{name}: stale; run py-measure schema --write", file=sys.stderr)
    print("schema fresh" if not stale else f"{len(stale)} schema files are stale")
    return 1 if stale else 0


def run_show(options: argparse.Namespace) -> int:
    """Print one figure: value, where it stands, who decided, how to have it again."""
    record = load(_root(options.root))
    figure = _figure(record, options.id)
    print(figure.model_dump_json(indent=1, by_alias=True, exclude_defaults=True))
    return 0


def _figure(record: Record, name: str) -> Figure:
    if name not in record.figures:
        near = record.nearest(name, record.figures)
        hint = f"did you mean {near!r}?" if near else "ids stand in data/published"
        raise HarnessError(f"no figure {name!r} in the record", hint)
    return record.figures[name]


def run_replay(options: argparse.Namespace) -> int:
    """Do derived figures and intervals again; with no id, all of them."""
    record = load(_root(options.root))
    if options.id is None:
        found = list(derive.checks(record))
    else:
        figure = _figure(record, options.id)
        if figure.derivation is None:
            raise HarnessError(
                f"{options.id} is {figure.kind}, its replay is: {figure.replay.status}",
                "only derived figures can be done again without a model",
            )
        found = [derive.check_derived(record, figure)]
    wrong = [check for check in found if not check.same]
    for check in wrong if options.id is None else found:
        print(check)
    print(f"{len(found) - len(wrong)} of {len(found)} same; {len(record.results)} results to judge")
    return 1 if wrong else 0


def run_transcribe(options: argparse.Namespace) -> int:
    """Write data/published from a folder of transcribed facts."""
    written = transcribe.transcribe(Path(options.facts), _root(options.root))
    print(f"wrote {len(written)} files under data/published")
    return 0


def parser() -> argparse.ArgumentParser:
    """The whole command line; tests parse every replay command of the record with it."""
    out = argparse.ArgumentParser(
        prog="py-measure", description="Read, check and replay the record under data/."
    )
    out.add_argument("--version", action="version", version=f"py-measure {__version__}")
    out.add_argument("--root", help="the project's folder (default: found from here upwards)")
    commands = out.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add = commands.add_parser
    add("check", help="check the whole record").set_defaults(run=run_check)
    add("counts", help="count what the record holds").set_defaults(run=run_counts)
    sub = add("schema", help="check data/schema against the models")
    sub.add_argument("--write", action="store_true", help="write it instead")
    sub.set_defaults(run=run_schema)
    sub = add("show", help="print one figure of the record")
    sub.add_argument("id", help="figure id")
    sub.set_defaults(run=run_show)
    sub = add("replay", help="do derived figures and intervals again, without a model")
    sub.add_argument("id", nargs="?", help="figure id (default: all)")
    sub.set_defaults(run=run_replay)
    sub = add("transcribe", help="write data/published from a folder of transcribed facts")
    sub.add_argument("facts", help="folder with published.json, tables.json, sources.json, ...")
    sub.set_defaults(run=run_transcribe)
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command: 0 fine, 1 something differs or is wrong, 2 bad command line."""
    options = parser().parse_args(argv)
    try:
        return int(options.run(options))
    except HarnessError as error:
        print(f"py-measure: {error}", file=sys.stderr)
        return 1
