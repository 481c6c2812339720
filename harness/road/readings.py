"""Owns how a drafter's reply becomes a draft: a definition or tests, laid into the brief's files.

Does not cover whole files (`drafters/whole_file`) nor taking code out of a reply (`blocks`).
"""

from __future__ import annotations

from harness.reading import blocks
from harness.road.brief import Brief, tests_place
from harness.source import splice, splice_tests, symbols, syntax
from harness.types import Draft, Fault


def code_of(reply: str) -> tuple[str, tuple[str, ...]] | Fault:
    """All Python of a reply in one text: its blocks that parse, else the one body it holds."""
    whole = blocks.code(reply)
    found = [b.text.strip("\n") for b in blocks.fences(reply) if b.lang in ("python", "py", "")]
    good = [text for text in found if text and not symbols.parses(text)]
    if isinstance(whole, Fault) or len(good) < 2:
        return whole
    return "\n\n\n".join(good) + "\n", (*whole[1], "several-blocks")


def definition(reply: str, brief: Brief, drafter: str) -> Draft | Fault:
    """A reply's definition laid into the subject's file, its tests into the test file."""
    found = code_of(reply)
    if isinstance(found, Fault):
        return _unparsed(reply, brief, drafter, found)
    code, rules = found
    parted = splice.parted(code)
    path, subject = brief.job.path, brief.job.subject
    owner = subject.rpartition(".")[0]
    if not _defines(parted.code, brief.name()):
        return Fault(f"it does not define {subject}", f"write the whole of {subject}", rules)
    laid = splice.lay(brief.target(), parted.code, owner=owner, only=subject)
    if isinstance(laid, Fault):
        return laid
    files = {path: laid} if laid != brief.target() else {}
    if parted.tests and brief.job.wants_test:
        tests = splice_tests.lay(brief.tests(), parted.tests, tests_place(brief))
        files |= {} if isinstance(tests, Fault) else {brief.tests_path(): tests}
    if not files:
        return Fault("it is what the file says already", "write it so that it behaves otherwise")
    return Draft(files, drafter, rules=rules)


def _defines(code: str, name: str) -> bool:
    """Whether some code defines a name, at any depth; true of any code where no name is wanted."""
    return bool(code) and (not name or any(s.name == name for s in symbols.outline(code)))


def _unparsed(reply: str, brief: Brief, drafter: str, fault: Fault) -> Draft | Fault:
    """Code that does not parse, in the place of the old definition, for the fixes to mend."""
    found = [b.text for b in blocks.fences(reply) if f"def {brief.name()}" in b.text]
    symbol = symbols.find(brief.target(), brief.job.subject)
    if not found or symbol is None:
        return fault
    rows = syntax.lines(brief.target())
    indent = syntax.indent_of(rows[symbol.line - 1])
    moved = syntax.shifted(found[0].strip("\n") + "\n", indent)
    text = "".join([*rows[: symbol.first_line - 1], moved, *rows[symbol.end_line :]])
    return Draft({brief.job.path: text}, drafter, rules=(*fault.rules, "does-not-parse-yet"))


def added_tests(
    code: str, brief: Brief, drafter: str, rules: tuple[str, ...] = ()
) -> Draft | Fault:
    """Tests laid into the test file, which is made where there is none."""
    laid = splice_tests.lay(brief.tests(), code, tests_place(brief))
    if isinstance(laid, Fault):
        return laid
    if laid == brief.tests():
        return Fault("its tests are all there already", "write a test that is not there yet", rules)
    return Draft({brief.tests_path(): laid}, drafter, rules=rules)
