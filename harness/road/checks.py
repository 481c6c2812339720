"""Owns the judgement of a draft: what it may touch, what it must keep, and what the suite says.

Does not cover where drafts come from (`drafters`), nor which is chosen among several (`drafts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from harness.normal import bounded
from harness.road.desk import Desk
from harness.source import scope, symbols
from harness.suite import oracle
from harness.trial import examples, mutants
from harness.types import Draft, Job, Refusal, SuiteReport, Verdict

MAX_MUTANTS = 9
MAX_MUTANT_RUNS_S = 120.0

Files = Mapping[str, str]


def trimmed(draft: Draft, desk: Desk) -> Draft:
    """The draft without what its job may not touch: tests in a fix, code in a test job."""
    kept: dict[str, str] = {}
    left: list[str] = []
    for path, text in draft.files.items():
        if desk.text(path) == text:
            continue
        if desk.is_protected(path) or not _may_touch(path, desk.job, desk):
            left.append(f"left {path} as it is: {_why_not(path, desk)}")
        else:
            kept[_found_by_name(path, desk)] = text
    return replace(draft, files=kept, notes=(*draft.notes, *left))


def _found_by_name(path: str, desk: Desk) -> str:
    """A new test file's path under a name that unittest's discovery finds: `test*.py`."""
    folder, _, name = path.rpartition("/")
    is_new = desk.project.is_test(path) and path not in desk.project.files
    if not is_new or name.startswith("test") or desk.oracle.plan().runner != "unittest":
        return path
    other = f"{folder}/test_{name.removesuffix('.py').removesuffix('_test')}.py".lstrip("/")
    return path if other in desk.project.files else other


def _may_touch(path: str, job: Job, desk: Desk) -> bool:
    """Whether a job of this kind may change a file."""
    is_test = desk.project.is_test(path)
    if job.kind == "write-test":
        return is_test
    if job.kind == "fix":
        return not is_test or desk.original(path) is None
    if job.kind == "add-function":
        return job.wants_test or not is_test
    return True


def _why_not(path: str, desk: Desk) -> str:
    """Why a draft's file was left out, a few words."""
    if desk.is_protected(path):
        return "test configuration is not edited"
    return "it is a test" if desk.project.is_test(path) else "only tests were asked for"


def parted(files: Files, desk: Desk) -> tuple[dict[str, str], dict[str, str]]:
    """A draft's files as (code, tests)."""
    tests = {p: t for p, t in files.items() if desk.project.is_test(p)}
    return {p: t for p, t in files.items() if p not in tests}, tests


@contextmanager
def laid(desk: Desk, files: Mapping[str, str | None]) -> Iterator[None]:
    """The throw-away copy with files laid into it, and as it was afterwards."""
    desk.scratch.lay(files)
    try:
        yield
    finally:
        desk.scratch.reset()
        if desk.overlay:
            desk.scratch.lay(desk.overlay)


def check(draft: Draft, desk: Desk) -> Verdict:
    """What the checks say of a draft that was trimmed and mended; leaves everything as it was."""
    if not draft.files:
        return Verdict(False, False, "it changes nothing that this job may change")
    if wrong := _form(draft.files, desk):
        return wrong
    with laid(desk, draft.files):
        report = desk.oracle.suite(desk.scratch.folder)
        if broken := _newly_red(desk.suite_before, report, draft, desk):
            return broken
        return _ACCEPTANCE.get(desk.job.kind, _harmless)(draft.files, report, desk)


def _form(files: Files, desk: Desk) -> Verdict | None:
    """What can be said without running anything: fence, parse, vanished and undefined names."""
    judged = desk.workspace.preview(files)
    if isinstance(judged, Refusal):
        return Verdict(False, False, judged.reason)
    for path, text in files.items():
        if not path.endswith(".py"):
            continue
        if error := symbols.parses(text):
            return Verdict(False, False, f"{path} does not parse: {error}", facts=error)
        before = desk.text(path) or ""
        if gone := symbols.vanished(before, text):
            return Verdict(False, False, f"{path} lost {', '.join(gone)}", score=1)
        known = {u.name for u in scope.undefined(before)}
        new = [u for u in scope.undefined(text) if u.name not in known]
        if new:
            facts = "\n".join(f"line {u.line}: name '{u.name}' is not defined" for u in new)
            names = ", ".join(dict.fromkeys(u.name for u in new))
            return Verdict(False, False, f"{path} uses undefined {names}", facts=facts, score=1)
    return None


def _newly_red(
    before: SuiteReport | None, after: SuiteReport, draft: Draft, desk: Desk
) -> Verdict | None:
    """A rejection where the draft breaks what was whole."""
    if before is None:
        return None
    if before.runner != after.runner and before.collected:
        said = f"its tests are for {after.runner}, the project's are {before.runner}'s"
        return Verdict(False, False, said, "", after, 2)
    red = oracle.newly_red(before, after)
    if before.status in ("green", "no-tests", "no-suite") and after.status in (
        "timeout",
        "crashed",
    ):
        return Verdict(False, False, f"the suite did not end: {after.status}", "", after, 1)
    if not red:
        return None
    facts = failure_facts(after, red)
    return Verdict(False, False, f"newly red: {', '.join(red[:3])}", facts, after, 2)


def failure_facts(report: SuiteReport, tests: tuple[str, ...] = ()) -> str:
    """Executed facts of a report's failures, the ones named first, bounded."""
    chosen = [f for f in report.failures if f.test in tests] or list(report.failures)
    return bounded("\n\n".join(f"{f.test}\n{f.detail or f.error}" for f in chosen[:2]), 1200)


def _harmless(files: Files, report: SuiteReport, desk: Desk) -> Verdict:
    """A job without a rule of its own: nothing newly red."""
    return Verdict(True, False, "nothing newly red", "", report, 3)


def _by_examples(files: Files, desk: Desk) -> tuple[examples.Outcome, ...]:
    """The person's own examples, carried out on the draft; empty where they gave none."""
    job = desk.job
    wanted = examples.in_task(f"{job.task}\n{job.evidence}", job.subject)
    path = holder(files, desk)
    if not wanted or not path:
        return ()
    return examples.run(
        wanted, desk.project.module_of(path), job.subject, desk.oracle, desk.scratch
    )


def holder(files: Files, desk: Desk) -> str:
    """The file that holds the job's subject, once the draft is laid; empty where none does."""
    job = desk.job
    places = [job.path, *files, *desk.project.python_files()]
    for path in dict.fromkeys(p for p in places if p.endswith(".py")):
        text = files.get(path) or desk.text(path) or ""
        if job.subject and not desk.project.is_test(path) and symbols.find(text, job.subject):
            return path
    return ""


def _fix(files: Files, report: SuiteReport, desk: Desk) -> Verdict:
    """A fix: what failed passes now; without a failing test, the person's example or the name."""
    job, before = desk.job, desk.suite_before
    if job.failing:
        named = desk.oracle.suite(desk.scratch.folder, job.failing)
        if not named.green:
            return Verdict(
                False, False, "the named test still fails", failure_facts(named), named, 2
            )
        return Verdict(True, True, "the named test passes and nothing is newly red", "", report, 9)
    told = _by_examples(files, desk)
    if wrong := [o for o in told if not o.holds]:
        return Verdict(False, False, str(wrong[0]), "\n".join(map(str, wrong)), report, 2)
    if before is not None and before.failures:
        mended = before.failing() - report.failing()
        if not mended and not told:
            facts = failure_facts(report)
            return Verdict(False, False, "what failed still fails", facts, report, 2)
        if mended:
            left = f"; {report.failed} still fail" if report.failed else ""
            said = f"{len(mended)} failing tests pass now{left}"
            return Verdict(True, not report.failed, said, "", report, 8)
    if told:
        return Verdict(True, True, "the example of the task holds now", "", report, 8)
    return _undefined_gone(files, report, desk)


def _undefined_gone(files: Files, report: SuiteReport, desk: Desk) -> Verdict:
    """Of a NameError that no test shows: the undefined name must be gone."""
    had = {u.name for p in files for u in scope.undefined(desk.text(p) or "") if p.endswith(".py")}
    left = {u.name for p, t in files.items() if p.endswith(".py") for u in scope.undefined(t)}
    if desk.job.error == "NameError" and had and had & left:
        names = ", ".join(sorted(had & left))
        return Verdict(False, False, f"{names} is still undefined", "", report, 2)
    if had - left:
        names = ", ".join(sorted(had - left))
        return Verdict(True, True, f"{names} was undefined and is gone", "", report, 7)
    return Verdict(True, False, "no test shows the fault; nothing is newly red", "", report, 4)


def _add(files: Files, report: SuiteReport, desk: Desk) -> Verdict:
    """Something new: it is there, with the signature asked for, and does the examples given."""
    job = desk.job
    path = holder(files, desk)
    if job.subject and not path:
        return Verdict(False, False, f"no {job.subject} in it", "", report, 1)
    if path and (other := _other_parameters(files.get(path) or desk.text(path) or "", job)):
        return Verdict(False, False, other, "", report, 1)
    told = _by_examples(files, desk)
    if wrong := [o for o in told if not o.holds]:
        return Verdict(False, False, str(wrong[0]), "\n".join(map(str, wrong)), report, 2)
    if told:
        return Verdict(True, True, "the examples of the task hold", "", report, 9)
    return Verdict(True, False, f"{job.subject or 'it'} is there; no test decides", "", report, 5)


def _other_parameters(text: str, job: Job) -> str:
    """Says so where the parameters are not those that the task spells; empty where they are."""
    found = symbols.find(text, job.subject)
    if found is None or not job.signature:
        return ""
    wanted, got = _parameters(job.signature), _parameters(found.signature)
    return "" if wanted == got else f"its parameters are ({', '.join(got)}), not those asked for"


def _parameters(signature: str) -> tuple[str, ...]:
    """Names of a signature's parameters, self left out; empty where it does not parse."""
    source = (
        signature if signature.lstrip().startswith(("def ", "async def ")) else f"def {signature}"
    )
    found = symbols.parameters(source.rstrip(": ") + ": ...")
    return tuple(n for n in found if n not in ("self", "cls"))


def _write_test(files: Files, report: SuiteReport, desk: Desk) -> Verdict:
    """A test: it calls the subject, is green on the code, and red on at least one mutant."""
    job = desk.job
    calling = [t for text in files.values() for t in symbols.tests_that_call(text, job.subject)]
    if job.subject and not calling:
        return Verdict(False, False, f"no test in it calls {job.subject}", "", report, 1)
    if report.failures or not report.green:
        before = desk.suite_before
        if before is None or report.failing() - before.failing() or not report.passed:
            facts = failure_facts(report)
            return Verdict(False, False, "its tests do not pass on the code", facts, report, 2)
    return graded(files, report, desk)


def graded(files: Files, report: SuiteReport, desk: Desk) -> Verdict:
    """Tests graded by mutants of the subject: accepted if they notice at least one."""
    path = holder(files, desk)
    text = files.get(path) or desk.text(path) or ""
    small = mutants.of(text, desk.job.subject, MAX_MUTANTS) if path else ()
    if not small:
        return Verdict(
            True, False, "its tests pass; nothing to mutate in the subject", "", report, 4
        )
    only = tuple(p for p in files if desk.project.is_test(p))

    def suite(mutant: str) -> SuiteReport:
        desk.scratch.lay({path: mutant})
        return desk.oracle.suite(desk.scratch.folder, only)

    grade = mutants.graded(suite, small, MAX_MUTANT_RUNS_S)
    desk.scratch.lay({path: text})
    if not grade.killed:
        return Verdict(False, False, f"its tests notice no change: {grade}", str(grade), report, 3)
    missed = str(grade.survivors[0]) if grade.survivors else ""
    said = f"its tests pass and notice changes: {grade}"
    return Verdict(True, True, said, missed, report, 5 + grade.killed)


_ACCEPTANCE = {"fix": _fix, "add-function": _add, "write-test": _write_test}
