"""Runs the project's tests: all, or those named."""

from __future__ import annotations

import re

from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.road import excerpt
from harness.road.desk import Desk
from harness.types import Action, Observation

SPEC = ActionSpec(
    "test",
    (
        FieldSpec(
            "Names",
            required=False,
            help="ids or files of tests, else all",
            aliases=("Name", "Test", "Tests", "Path", "File", "Argv", "Args", "Command", "Cmd"),
        ),
    ),
    (
        Alias("run", "test"),
        Alias("pytest", "test"),
        Alias("unittest", "test"),
        Alias("check", "test"),
        Alias("tests", "test"),
        Alias("run_tests", "test"),
        Alias("verify", "test"),
        Alias("execute", "test"),
        Alias("bash", "test"),
        Alias("shell", "test"),
    ),
)
WRITES = False
EXAMPLES = ("Action: test", "Action: test\nNames: tests/test_orders.py")


def act(action: Action, desk: Desk) -> Observation:
    """What the suite says, bounded; names that are none of the project's tests mean all tests."""
    asked = action.fields.get("Names", "").strip()
    names = ids_in(asked, desk)
    known = desk.suite_now if not names and not desk.stale else None
    report = known or desk.suite("test", names)
    remark = ""
    if asked and not names and not re.search(r"pytest|unittest|\ball\b", asked):
        remark = "Only the project's tests can be run, so all of them were.\n"
    return Observation(remark + excerpt.of_suite(report), ok=report.green)


def ids_in(asked: str, desk: Desk) -> tuple[str, ...]:
    """Ids among the words that name test files, or tests in them, of this project; no options."""
    files = set(desk.project.tests())
    dotted = {path.removesuffix(".py").replace("/", "."): path for path in files}
    found = []
    for word in re.split(r"[\s,;]+", asked.replace("\\", "/")):
        word = word.strip("`'\"").removeprefix("./")
        path, _, rest = word.partition("::")
        of_file = path in files and re.fullmatch(r"[\w.:\[\]-]*", rest)
        if of_file or any(word == name or word.startswith(name + ".") for name in dotted):
            found.append(word)
    return tuple(dict.fromkeys(found))
