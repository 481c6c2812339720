"""Drafters: every file of the folder keeps the same terms and reads what models really send."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from harness import parts
from harness.road.brief import Brief
from harness.settings import Settings
from harness.source import splice, splice_tests, symbols
from harness.source.splice_tests import Place
from harness.trial import mutants
from harness.types import Draft, Fault, Job, JobKind, Message, SuiteReport
from tests import small_desk

DRAFTERS = parts.all_of("drafters")
BY_MODEL = {n: p for n, p in DRAFTERS.items() if p.BY_MODEL}
KINDS = ("ask", "write-test", "fix", "add-function", "rename", "move", "other")
SETTINGS = Settings(model="m", num_ctx=4096, max_tokens=700)
EXAMPLES = [
    pytest.param(part, *example, id=f"{name}-{number}")
    for name, part in BY_MODEL.items()
    for number, example in enumerate(part.EXAMPLES)
]


@pytest.mark.parametrize("name", DRAFTERS)
def test_every_drafter_keeps_the_terms_of_its_folder(name: str) -> None:
    """A drafter says what it is, for which kinds of jobs, in which order, with examples."""
    part = DRAFTERS[name]
    assert len(parts.says(part)) > 20
    assert part.KINDS
    assert set(part.KINDS) <= set(KINDS)
    assert isinstance(part.ORDER, int)
    assert part.EXAMPLES
    assert hasattr(part, "request") == hasattr(part, "read") == part.BY_MODEL
    assert hasattr(part, "write") != part.BY_MODEL


@pytest.mark.parametrize("name", DRAFTERS)
def test_no_drafter_imports_its_neighbour(name: str) -> None:
    """Drafters share what stands beside the folder, never one another's code."""
    tree = ast.parse(Path(DRAFTERS[name].__file__ or "").read_text(encoding="utf-8"))
    imported = {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert not any(module.startswith("harness.drafters") for module in imported)


@pytest.mark.parametrize(("part", "brief", "reply", "expected"), EXAMPLES)
def test_an_example_reads_to_the_expected_files(
    part: ModuleType, brief: Brief, reply: str, expected: dict[str, str]
) -> None:
    """A canned reply becomes exactly the files that the drafter's example says."""
    draft = part.read(reply, brief)
    assert isinstance(draft, Draft), draft
    assert dict(draft.files) == expected
    assert draft.drafter == parts.name_of(part)


@pytest.mark.parametrize(("part", "brief", "reply", "expected"), EXAMPLES)
def test_a_request_depends_on_nothing_but_its_arguments(
    part: ModuleType,
    brief: Brief,
    reply: str,
    expected: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Equal briefs give equal requests, the first at temperature 0; nothing is written."""
    monkeypatch.chdir(tmp_path)
    first, later = part.request(brief, SETTINGS, 0), part.request(brief, SETTINGS, 1)
    assert first == part.request(replace(brief), SETTINGS, 0)
    assert first.model == brief.model
    assert first.sampling.temperature == 0
    assert first.sampling.num_ctx == SETTINGS.num_ctx
    assert first.sampling.max_tokens <= SETTINGS.max_tokens
    assert (later.sampling.temperature, later.sampling.seed) == (0.7, 1)
    assert bool(first.messages) != bool(first.prompt)
    part.read(reply, brief)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", BY_MODEL)
@pytest.mark.parametrize("reply", ["", "I cannot help with that.", "```python\n```", "<think>hm"])
def test_a_reply_without_code_is_a_fault(name: str, reply: str) -> None:
    """A reply that holds no code is a value that says why, never an exception, never a draft."""
    brief = BY_MODEL[name].EXAMPLES[0][0]
    fault = BY_MODEL[name].read(reply, brief)
    assert isinstance(fault, Fault)
    assert fault.reason


@pytest.mark.parametrize("name", [n for n in BY_MODEL if n not in ("whole-file", "completion")])
def test_a_request_ends_with_what_is_wanted(name: str) -> None:
    """The context comes first and the request last, with the subject named or the tests asked."""
    request = BY_MODEL[name].request(BY_MODEL[name].EXAMPLES[0][0], SETTINGS, 0)
    last = request.messages[-1].content.split("\n\n")[-1]
    assert "in one Python code block" in last


TEXT = "import os\n\n\ndef a(x):\n    return x + 2\n\n\ndef b(x):\n    return a(x)  # kept\n"


def brief_for(kind: JobKind, **more: object) -> Brief:
    """A brief about function a of a small file."""
    job = Job(kind, "a gives one too much", "a", "src/a.py", "tests/test_a.py")
    files = {"src/a.py": TEXT}
    source = "def a(x):\n    return x + 2\n"
    brief = Brief(job, files, source, test_file="tests/test_a.py", model="m", module="src.a")
    return replace(brief, bare=(Message("user", "bare"),), **more)  # type: ignore[arg-type]


def read(name: str, reply: str, brief: Brief) -> dict[str, str]:
    """Files that a drafter reads from a reply."""
    draft = DRAFTERS[name].read(reply, brief)
    assert isinstance(draft, Draft), draft
    return dict(draft.files)


def test_draft_0_is_the_bare_request_word_for_word() -> None:
    """The first draft sends the bare messages as they are; without them there is none."""
    whole, brief = DRAFTERS["whole-file"], brief_for("fix")
    assert whole.request(brief, SETTINGS, 0).messages == brief.bare
    assert whole.request(replace(brief, bare=()), SETTINGS, 0) is None


def test_a_whole_file_that_would_be_cut_is_not_drawn_again() -> None:
    """Files longer than a reply may be are asked for once, as draft 0, never again."""
    whole = DRAFTERS["whole-file"]
    brief = brief_for("fix", files={"src/a.py": TEXT * 60})
    assert whole.request(brief, SETTINGS, 0) is not None
    assert whole.request(brief, SETTINGS, 1) is None


def test_a_fix_by_symbol_keeps_every_other_byte() -> None:
    """Only the function's span changes, though the reply brings the rest in another form."""
    reply = "```python\nimport os\ndef a(x):\n    return x + 1\n\ndef b(x): return 5\n```"
    assert read("by-symbol", reply, brief_for("fix")) == {
        "src/a.py": TEXT.replace("x + 2", "x + 1")
    }


def test_a_fix_that_defines_something_else_is_a_fault() -> None:
    """A reply without the function asked for is not laid into the file."""
    fault = DRAFTERS["by-symbol"].read("```python\ndef c(x):\n    return 1\n```", brief_for("fix"))
    assert isinstance(fault, Fault)
    assert "does not define a" in fault.reason


def test_a_method_is_exchanged_inside_its_class() -> None:
    """A bare method in the reply goes to its place in the class, at the class's depth."""
    text = "class C:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n"
    job = Job("fix", "C.a is wrong", "C.a", "c.py")
    brief = Brief(job, {"c.py": text}, "    def a(self):\n        return 1\n")
    reply = "```python\ndef a(self):\n    return 3\n```"
    assert read("by-symbol", reply, brief) == {"c.py": text.replace("return 1", "return 3")}


def test_code_that_does_not_parse_is_kept_for_the_fixes() -> None:
    """A function with a slip in its form stands in the old one's place, to be mended there."""
    reply = "```python\ndef a(x):\n    return (x + 1\n```"
    files = read("by-symbol", reply, brief_for("fix"))
    assert files["src/a.py"] == TEXT.replace("return x + 2", "return (x + 1")


def test_a_part_of_a_file_does_not_replace_the_whole() -> None:
    """A whole-file reply that holds the changed function alone leaves the others in place."""
    reply = "src/a.py\n```python\ndef a(x):\n    return x + 1\n```"
    assert read("whole-file", reply, brief_for("fix")) == {
        "src/a.py": TEXT.replace("x + 2", "x + 1")
    }


def test_a_file_left_out_in_part_keeps_what_is_left_out() -> None:
    """`rest unchanged` never reaches the file; the definitions that are whole do."""
    reply = "src/a.py\n```python\ndef a(x):\n    return x + 1\n\n# ... rest of the file ...\n```"
    assert read("whole-file", reply, brief_for("fix")) == {
        "src/a.py": TEXT.replace("x + 2", "x + 1")
    }


def test_tests_that_strayed_into_the_code_are_taken_out() -> None:
    """A small model puts the test class into the module; the module stays a module."""
    stray = (
        f"{TEXT}\n\ndef c(x):\n    return x\n\n\nclass TestA(unittest.TestCase):\n"
        "    def test_a(self):\n        self.assertEqual(a(1), 3)\n\n\n"
        'if __name__ == "__main__":\n    unittest.main()\n'
    )
    brief = brief_for("add-function")
    files = read("whole-file", f"src/a.py\n```python\n{stray}```", brief)
    assert files == {"src/a.py": f"{TEXT}\n\ndef c(x):\n    return x\n"}
    asked = replace(brief, job=replace(brief.job, wants_test=True))
    both = read("whole-file", f"src/a.py\n```python\n{stray}```", asked)
    assert symbols.tests_that_call(both["tests/test_a.py"], "a") == ("TestA.test_a",)


def test_a_completion_ends_where_its_body_ends() -> None:
    """What follows the function is dropped; the docstring has the task's words."""
    job = Job("add-function", "Add c(x) to src/a.py that returns x", "c", "src/a.py")
    brief = replace(brief_for("add-function"), job=replace(job, signature="c(x)"), symbol_source="")
    part = DRAFTERS["completion"]
    assert part.request(brief, SETTINGS, 0).prompt.endswith('def c(x):\n    """Returns x."""\n')
    files = read("completion", "return x\n\n\ndef d(x):\n    return c(x)\n", brief)
    assert files["src/a.py"] == f'{TEXT}\n\ndef c(x):\n    """Returns x."""\n    return x\n'


def test_a_completion_needs_a_signature() -> None:
    """Without a spelled signature there is nothing to go on from."""
    brief = replace(brief_for("add-function"), symbol_source="")
    assert DRAFTERS["completion"].request(brief, SETTINGS, 0) is None


@pytest.mark.parametrize(
    ("evidence", "asked"),
    [
        ("NameError: name 'x' is not defined", True),
        ("src/a.py does not parse: SyntaxError", True),
        ("AssertionError: 4 != 3", False),
        ("ValueError: bad", False),
    ],
)
def test_a_repair_is_asked_only_where_it_pays(evidence: str, asked: bool) -> None:
    """Errors of form are repaired with the facts; a wrong value gets a fresh draft instead."""
    part, brief = DRAFTERS["repair"], brief_for("fix", evidence=evidence)
    request = part.request(brief, SETTINGS, 0)
    assert (request is not None) == asked
    if request is not None:
        assert evidence in request.messages[-1].content
    assert part.request(brief, SETTINGS, 2) is None


def test_in_words_needs_a_failing_test() -> None:
    """Without executed facts the sentence would be a guess, so it is not asked for."""
    assert DRAFTERS["in-words"].request(brief_for("fix"), SETTINGS, 0) is None


UNITTEST = Place("a", "src.a", frozenset({"a", "b"}))
THERE = (
    "import unittest\n\nfrom src.a import a\n\n\nclass TestA(unittest.TestCase):\n"
    "    def test_one(self):\n        self.assertEqual(a(1), 3)\n\n\n"
    'if __name__ == "__main__":\n    unittest.main()\n'
)


def test_new_tests_join_the_class_that_is_there() -> None:
    """Loose tests become methods of the class that tests the subject, under free names."""
    code = "from wrong import a\n\ndef test_one():\n    assert a(5) == 7\n"
    laid = splice_tests.lay(THERE, code, UNITTEST)
    assert isinstance(laid, str)
    assert symbols.tests_that_call(laid, "a") == ("TestA.test_one", "TestA.test_one_2")
    assert "wrong" not in laid
    assert laid.startswith(THERE[: THERE.index("\n\n\nif")])
    assert laid.endswith(THERE[THERE.index("if __name__") :])


def test_the_same_test_is_not_added_twice() -> None:
    """A reply that repeats a test changes nothing."""
    assert splice_tests.lay(THERE, THERE, UNITTEST) == THERE


def test_copies_of_the_code_do_not_reach_the_test_file() -> None:
    """A test that brings its own copy of the function would test the copy."""
    code = "def a(x):\n    return 3\n\n\ndef test_a():\n    assert a(1) == 3\n"
    laid = splice_tests.lay("", code, replace(UNITTEST, conventions="pytest"))
    assert laid == "from src.a import a\n\n\ndef test_a():\n    assert a(1) == 3\n"


def test_a_fixture_in_a_unittest_project_is_a_fault() -> None:
    """A test that needs pytest could never run where unittest does."""
    laid = splice_tests.lay("", "def test_a(tmp_path):\n    assert a(1)\n", UNITTEST)
    assert isinstance(laid, Fault)


def test_a_class_in_part_keeps_its_other_members() -> None:
    """A reply's class with one of two methods changes that one."""
    text = "class C:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n"
    laid = splice.lay(text, "class C:\n    def b(self):\n        return 3\n")
    assert laid == text.replace("return 2", "return 3")


SHOP = '''"""Shop."""

import time


def discount(price, percent=10):
    """Less some percent."""
    if percent < 0:
        raise ValueError(percent)
    return price - price * percent / 100


def chance():
    import random

    return random.random()


STARTED = time.time_ns()


def started():
    return STARTED
'''


def characterised(root: Path, subject: str, conventions: str = "unittest") -> Draft | Fault:
    """What the drafter without a model writes for a function of a small shop."""
    small_desk.lay(root, {"src/__init__.py": "", "src/shop.py": SHOP, "tests/__init__.py": ""})
    job = Job("write-test", f"write a test for {subject}", subject, "src/shop.py")
    brief = Brief(job, {"src/shop.py": SHOP}, test_file="tests/test_shop.py", module="src.shop")
    with small_desk.desk_on(root, job) as desk:
        brief = replace(brief, conventions=conventions)  # type: ignore[arg-type]
        found = DRAFTERS["characterisation"].write(brief, desk, desk.scratch.folder)
    assert isinstance(found, (Draft, Fault))
    return found


@pytest.mark.parametrize("conventions", ["unittest", "pytest"])
def test_a_characterisation_passes_kills_and_says_what_it_is(
    tmp_path: Path, conventions: str
) -> None:
    """It is green on the code, red on mutants, and its own words say that no specification is."""
    draft = characterised(tmp_path, "discount", conventions)
    assert isinstance(draft, Draft)
    assert not draft.by_model
    assert draft.notes
    text = draft.files["tests/test_shop.py"]
    assert "not derived from a specification" in text
    assert "ValueError" in text

    def run(code: str) -> SuiteReport:
        (tmp_path / "src/shop.py").write_text(code, encoding="utf-8")
        (tmp_path / "tests/test_shop.py").write_text(text, encoding="utf-8")
        with small_desk.desk_on(tmp_path) as desk:
            return desk.oracle.suite(desk.scratch.folder, ("tests/test_shop.py",))

    assert run(SHOP).green
    grade = mutants.graded(run, mutants.of(SHOP, "discount", 4))
    assert grade.killed >= 3


def test_nothing_steady_is_nothing_to_record(tmp_path: Path) -> None:
    """An answer by chance, one that the next process changes, no function: Faults with a reason."""
    for subject in ("chance", "started", "nothing"):
        fault = characterised(tmp_path, subject)
        assert isinstance(fault, Fault)
        assert "no characterisation" in fault.reason
