"""Owns the project's own suite as proof: runs it, bounded, in a copy, and says what it said.

Does not cover the copy (`scratch`), finding the runner (`suite_plan`) nor reading its output
(`suite_output`).
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from harness.suite import sandbox, suite_plan, test_ids
from harness.suite.interpreter import Interpreter, find
from harness.suite.sandbox import Limits, Ran
from harness.suite.suite_output import SuiteRun, of_rows, of_text, relative_to, rows_of
from harness.suite.suite_plan import SuitePlan
from harness.tree import copying
from harness.tree.filenames import is_protected
from harness.types import SuiteReport, SuiteStatus

_INSIDE = Path(__file__).resolve().parent / "inside"
_REPORT_VARIABLE = "PY_HARNESS_REPORT"
_PLUGIN = "py_harness_pytest"
_PYTEST_OPTIONS = (
    "-p", _PLUGIN, "-p", "no:cacheprovider", "-p", "no:randomly", "--tb=short", "--color=no",
    "--maxfail=0", "--continue-on-collection-errors", "-o", "required_plugins=",
)  # fmt: skip


class Oracle:
    """Runs a project's suite, and code, in copies of the project; never in the project itself."""

    def __init__(
        self,
        root: Path,
        *,
        python: str = "",
        test_cmd: str = "",
        timeout_s: float = 300.0,
        memory_mb: int = 4096,
    ) -> None:
        """`root` is the user's project; HarnessError later where `python` does not answer."""
        self.root = root.resolve()
        self._python, self._test_cmd = python, test_cmd
        self._limits = Limits(seconds=timeout_s, memory_mb=memory_mb)

    @cached_property
    def interpreter(self) -> Interpreter:
        """The project's Python; HarnessError where the one given does not answer."""
        return find(self.root, self._python)

    def plan(self) -> SuitePlan:
        """How the suite will be run; looks at the project anew, since a run may add its tests."""
        return suite_plan.plan(self.root, self.interpreter, self._test_cmd)

    def suite(self, tree: Path, tests: Sequence[str] = ()) -> SuiteReport:
        """One bounded run in a copy: of everything, or of the tests with these ids alone."""
        tree = tree.resolve()
        planned = suite_plan.plan(tree, self.interpreter, self._test_cmd)
        if planned.runner == "none":
            missing: SuiteStatus = "not-importable" if planned.test_files else "no-suite"
            return SuiteRun(missing, (), "none", output=planned.why)
        runs = {"pytest": self._pytest, "unittest": self._unittest, "command": self._command}
        return replace(runs[planned.runner](tree, planned, tests), partial=bool(tests))

    def python(self, tree: Path, code: str, *, stdin: str = "", seconds: float = 10) -> Ran:
        """Run code as a script that can import from the tree and from its src folder."""
        tree = tree.resolve()
        with tempfile.TemporaryDirectory(prefix="py-harness-code-") as folder:
            script = Path(folder).resolve() / "snippet.py"
            script.write_text(code, encoding="utf-8")
            argv = [str(self.interpreter.path), str(script)]
            env = self._variables(tree, (tree, tree / "src"))
            limits = replace(self._limits, seconds=seconds)
            return self._run(argv, tree, limits, env, stdin=stdin, readable=(script.parent,))

    def _pytest(self, tree: Path, planned: SuitePlan, tests: Sequence[str]) -> SuiteRun:
        ids = [test_ids.for_pytest(test, tree, _tops(tree)) for test in tests]
        options = [*_PYTEST_OPTIONS, f"--rootdir={self._seen(tree)}"]
        if "pytest_cov" in self.interpreter.modules:
            options.append("--no-cov")
        shown = (*planned.command, *ids)
        report, ran = self._reported([*planned.command, *options, *ids], tree, planned, shown)
        if ran.exit_code == 4 and not ids and "rror: unrecognized arguments" in ran.stderr:
            # Its settings ask for a plugin that nobody installed: better without them than not.
            options += ["-o", "addopts="]
            report, ran = self._reported([*planned.command, *options], tree, planned, shown)
        return report

    def _unittest(self, tree: Path, planned: SuitePlan, tests: Sequence[str]) -> SuiteRun:
        ids = [test_ids.for_unittest(test, planned.tops) for test in tests]
        wanted = {
            "groups": [[group.start, group.top, group.pattern] for group in planned.groups],
            "tests": ids,
        }
        python = str(self.interpreter.path)
        argv = [python, str(_INSIDE / "py_harness_unittest.py"), json.dumps(wanted)]
        shown = (python, "-m", "unittest", *ids) if ids else planned.command
        return self._reported(argv, tree, planned, shown)[0]

    def _command(self, tree: Path, planned: SuitePlan, tests: Sequence[str]) -> SuiteRun:
        """A person's command; where it comes to run pytest, that reports as usual."""
        words = list(planned.command)
        if any(PurePosixPath(word).name in ("pytest", "py.test") for word in words):
            words += [test_ids.for_pytest(test, tree, _tops(tree)) for test in tests]
        if any(mark in word for word in words for mark in ("&&", "||", "|", ";", ">", "$")):
            words = ["/bin/sh", "-c", self._test_cmd] if os.name == "posix" else words
        extra = {"PYTEST_PLUGINS": _PLUGIN} if "pytest" in self.interpreter.modules else {}
        report, _ = self._reported(words, tree, planned, tuple(words), extra)
        wanted = {*tests, *(test_ids.for_pytest(test, tree, _tops(tree)) for test in tests)}
        kept = tuple(failure for failure in report.failures if failure.test in wanted)
        return replace(report, failures=kept or report.failures)

    def _reported(
        self,
        argv: Sequence[str],
        tree: Path,
        planned: SuitePlan,
        shown: Sequence[str],
        extra: Mapping[str, str] | None = None,
    ) -> tuple[SuiteRun, Ran]:
        """Run something that writes rows, and read them."""
        clean = relative_to((self.root, tree))
        with tempfile.TemporaryDirectory(prefix="py-harness-report-") as folder:
            report = Path(folder).resolve() / "rows.jsonl"
            source = tree / "src"
            paths = (*((source,) if _is_source_root(source) else ()), _INSIDE)
            env = self._variables(tree, paths) | {_REPORT_VARIABLE: str(report), **(extra or {})}
            ran = self._run(argv, tree, self._limits, env, also_writable=(report.parent,))
            text = report.read_text(encoding="utf-8") if report.is_file() else ""
        rows = rows_of(text)
        if planned.runner == "command" and not rows:
            return of_text(ran, shown, clean), ran
        return of_rows(rows, ran, planned.runner, shown, clean), ran

    def _run(
        self,
        argv: Sequence[str],
        tree: Path,
        limits: Limits,
        env: Mapping[str, str],
        *,
        stdin: str = "",
        also_writable: Sequence[Path] = (),
        readable: Sequence[Path] = (),
    ) -> Ran:
        """Run in a copy, which stands in the project's own place where the system allows it."""
        outside = [path for path in self.interpreter.places if not _within(path, self.root)]
        return sandbox.run(
            argv,
            cwd=tree,
            limits=limits,
            writable=tree,
            mount_as=self.root if tree != self.root else None,
            env=env,
            stdin=stdin,
            also_writable=also_writable,
            readable=(*outside, _INSIDE, *readable),
            behind=copying.shown(self.root),
        )

    def _seen(self, tree: Path) -> Path:
        """The tree's path as the process has it."""
        return self.root if sandbox.contained() else tree

    def _variables(self, tree: Path, paths: Sequence[Path]) -> dict[str, str]:
        """Import path and program path, as they are with the project's environment active."""
        seen = self._seen(tree)
        own = [seen / path.relative_to(tree) if _within(path, tree) else path for path in paths]
        if not sandbox.contained():
            # The copy goes before an editable install, which leads to the project itself.
            own.append(tree)
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        theirs = [
            str(seen / entry) if not os.path.isabs(entry) else entry for entry in given if entry
        ]
        program = self.interpreter.path.parent
        variables = {
            "PYTHONPATH": os.pathsep.join([*map(str, own), *theirs]),
            "PATH": os.pathsep.join([str(program), os.environ.get("PATH", os.defpath)]),
        }
        if (program.parent / "pyvenv.cfg").is_file():
            variables["VIRTUAL_ENV"] = str(program.parent)
        return variables


def _within(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or folder in path.parents


def _is_source_root(source: Path) -> bool:
    """Whether a src folder holds what is imported, and is no package itself."""
    return source.is_dir() and not (source / "__init__.py").exists()


def _tops(tree: Path) -> tuple[str, ...]:
    """Folders at which dotted names of tests may start."""
    usual = (".", "tests", "test", "src")
    return tuple(name for name in usual if (tree / name).is_dir())


def newly_red(before: SuiteReport, after: SuiteReport) -> tuple[str, ...]:
    """Tests that fail after and did not before, and those that passed before and are gone."""
    failing = after.failing() - before.failing()
    gone: set[str] = set()
    if isinstance(before, SuiteRun) and isinstance(after, SuiteRun) and not after.partial:
        gone = set(before.passing) - {*after.passing, *after.failing()}
    return tuple(sorted(failing | gone))


def fingerprint(tree: Path) -> str:
    """Hash over the tests and the test configuration of a tree: equal while none was touched."""
    digest = hashlib.sha256()
    for entry in copying.walk(tree):
        if entry.kind == "file" and (is_protected(entry.path) or suite_plan.is_test(entry.path)):
            content = hashlib.sha256((tree / entry.path).read_bytes()).hexdigest()
            digest.update(f"{entry.path}\0{content}\n".encode())
    return "sha256:" + digest.hexdigest()
