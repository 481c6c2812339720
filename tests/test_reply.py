"""Replies of small models in every form seen: each is one Action, or refused with a reason."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness import parts
from harness.reading import cleaning, fenced, paths, plain, reply
from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.types import Action, Fault

SHAPES = Path(__file__).parent / "replies"
SPECS: dict[str, ActionSpec] = {
    part.SPEC.verb: part.SPEC for part in parts.all_of("actions").values()
}


def shapes() -> list[Any]:
    """Every shape of the corpus, as a parameter with its file's name as id."""
    found = [
        pytest.param(tomllib.loads(path.read_text(encoding="utf-8")), id=path.stem)
        for path in sorted(SHAPES.glob("*.toml"))
    ]
    assert len(found) >= 70
    return found


def read(shape: dict[str, Any]) -> Action | Fault:
    """A shape's reply, read as the loop would read it."""
    return reply.read(
        shape["reply"],
        SPECS,
        expects_done=shape.get("expects_done", False),
        prefer=shape.get("prefer", ()),
    )


@pytest.mark.parametrize("shape", shapes())
def test_each_shape_is_read_as_it_says(shape: dict[str, Any]) -> None:
    """A reply becomes exactly the Action written beside it, by that rule, or that Fault."""
    got = read(shape)
    if "fault" in shape:
        assert isinstance(got, Fault), got
        assert shape["fault"] in got.reason
        assert got.next_action.startswith("Action: ")
    else:
        assert isinstance(got, Action), got
        assert (got.verb, dict(got.fields)) == (shape["verb"], shape["fields"])
        assert shape["rules"] == list(got.rules)


def test_the_corpus_is_as_wide_as_promised() -> None:
    """At least 70 shapes, 32 of them verbatim from real models, 18 of them Faults."""
    found = [shape.values[0] for shape in shapes()]
    assert sum(s["origin"].startswith("verbatim") for s in found) >= 32
    assert sum("fault" in s for s in found) >= 18
    assert len({s["reply"] for s in found}) >= 70


def test_the_next_action_of_every_fault_is_legal_once_its_gaps_are_filled() -> None:
    """What a Fault says to write is itself an Action in plain form, of a declared verb."""
    for shape in (s.values[0] for s in shapes()):
        got = read(shape)
        if isinstance(got, Fault):
            told = plain.read(got.next_action, SPECS)
            assert isinstance(told, Action) or "<" in got.next_action, got.next_action
            assert got.next_action.split("\n")[0].removeprefix("Action: ") in SPECS


# plain form, there and back

LINE = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\r"), min_size=1,
    max_size=30,
)  # fmt: skip
MARKS = st.sampled_from(["```", "````", "~~~", "Action: test", "Path: b.py", "Find:", "  x", ""])
BODY = st.lists(st.one_of(LINE, MARKS), max_size=8).map("\n".join)


@given(find=BODY, replace=BODY, append=BODY)
@settings(max_examples=150, deadline=None)
def test_a_patch_written_in_plain_form_reads_back_unchanged(
    find: str, replace: str, append: str
) -> None:
    """Whatever lines a body holds, fences and labels too, `read(write(action))` is the action."""
    assume(find.strip() and append.strip())
    assume(not any(cleaning.elision(text) for text in (find, replace, append)))
    fields = {"Path": "shop/cart.py", "Find": find, "Replace": replace, "Append": append}
    action = Action("patch", fields)
    assert reply.read(reply.write(action, SPECS["patch"]), SPECS) == action


@given(summary=LINE.filter(lambda text: bool(text.strip())), body=BODY)
@settings(max_examples=150, deadline=None)
def test_other_fields_read_back_unchanged(summary: str, body: str) -> None:
    """A one-line value with any marks, and a whole file, come back as they were."""
    assume(not summary.strip().startswith("<") and body.strip())
    assume(not cleaning.elision(body, markdown=True))
    done = Action("done", {"Summary": summary})
    assert reply.read(reply.write(done, SPECS["done"]), SPECS) == done
    written = Action("write", {"Path": "notes.md", "Body": body})
    assert reply.read(reply.write(written, SPECS["write"]), SPECS) == written


@pytest.mark.parametrize("verb", sorted(SPECS))
def test_every_example_of_an_action_is_in_plain_form(verb: str) -> None:
    """What the prompt shows as an example needs no rule at all."""
    for example in parts.load("actions", verb).EXAMPLES:
        got = reply.read(example, SPECS)
        assert isinstance(got, Action), got
        assert (got.verb, got.rules) == (verb, ())


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_no_text_makes_the_reader_fail(text: str) -> None:
    """Any text at all is an Action of a declared verb or a Fault with a reason; never an error."""
    got = reply.read(text, SPECS)
    assert got.verb in SPECS if isinstance(got, Action) else bool(got.reason)


PIECES = st.sampled_from(
    ["Action: patch", "Action: ", "Path: a.py", "Find:", "Replace:", "```", "```python", "````",
     "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "--- a/a.py", "+++ b/a.py", "@@ -1 +1 @@",
     "-x = 1", "+x = 2", '{"name": "read"', '"arguments": {', "}", "<think>", "</think>",
     "<tool_call>", "<function=read>", "x = 1", "", "> Action: test", "done", "ask: why"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=14).map("\n".join))
@settings(max_examples=300, deadline=None)
def test_broken_forms_never_make_the_reader_fail(text: str) -> None:
    """Forms cut and mixed at random are an Action or a Fault; a body never keeps a tool call."""
    got = reply.read(text, SPECS)
    assert isinstance(got, Action | Fault)


# single rules


def test_a_patch_may_take_a_diff_whole() -> None:
    """Where `patch` declares a Diff field, a diff of several places goes into it undivided."""
    spec = ActionSpec("patch", (FieldSpec("Path"), FieldSpec("Diff", False, True)))
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n@@ -9 +9 @@\n-y = 1\n+y = 2"
    got = reply.read(diff, {"patch": spec})
    assert isinstance(got, Action)
    assert got.fields == {"Path": "a.py", "Diff": diff}


def test_code_under_a_patch_without_body_is_the_whole_file() -> None:
    """Where `patch` cannot take a definition, a block of code under it is written as the file."""
    specs = {
        "patch": ActionSpec("patch", (FieldSpec("Path"), FieldSpec("Append", False, True))),
        "write": SPECS["write"],
    }
    got = reply.read("Action: patch\nPath: a.py\n```python\ndef f():\n    return 1\n```", specs)
    assert isinstance(got, Action)
    assert (got.verb, got.rules) == ("write", ("whole-file-under-patch",))


def test_an_edit_is_a_fault_where_nothing_may_be_written() -> None:
    """In a question the specs hold no patch, so a diff is answered with the way to answer."""
    asked = {verb: SPECS[verb] for verb in ("read", "done")}
    got = reply.read("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2", asked)
    assert isinstance(got, Fault)
    assert got.next_action.startswith("Action: done")


def test_an_alias_renames_the_fields_it_names() -> None:
    """An alias brings its own names of fields, and they go before the general ones."""
    spec = ActionSpec(
        "move",
        (FieldSpec("From"), FieldSpec("To")),
        (Alias("rename", "move", {"Path": "From", "Name": "To"}),),
    )
    got = reply.read("Action: rename\nPath: a.py\nName: b.py", {"move": spec})
    assert got == Action("move", {"From": "a.py", "To": "b.py"}, ("verb-alias", "field-renamed"))


def test_a_field_in_the_verbs_place_means_its_action() -> None:
    """`Action: Append` is a patch where no alias says so, and the text under it is that field."""
    spec = ActionSpec("patch", (FieldSpec("Path"), FieldSpec("Append", False, True)))
    got = reply.read("Action: Append\n```\nX = 1\n```\nPath: a.py", {"patch": spec})
    assert got == Action("patch", {"Path": "a.py", "Append": "X = 1"}, ("field-as-verb",))


def test_data_with_equal_lines_is_no_endless_reply() -> None:
    """A long table of equal rows inside a closed fence is a file, not a reply that ran away."""
    body = "ROWS = [\n" + "    (0, 0, 0, 0, 0, 0, 0, 0),\n" * 40 + "]"
    got = reply.read(f"Action: write\nPath: a.py\nBody:\n```python\n{body}\n```", SPECS)
    assert isinstance(got, Action)
    assert got.fields["Body"] == body


ELIDED = [
    "# ... rest of the code unchanged ...", "    # ... existing code ...", "# (rest unchanged)",
    "# ... (other methods)", "// ... rest of the file", "<!-- rest of the file -->", "# ...",
    "... rest of the code ...", "# Rest of the code remains the same", "# your code here",
    "# ... other functions ...", "# remaining methods unchanged", "# same as before",
]  # fmt: skip
KEPT = [
    "...", "    ...", "# The rest of the function assumes sorted input", "# rest of the arguments",
    "# Other helper functions", "# Existing code paths rely on it", "# remaining seconds",
    "(rest)", "# Same code path for both", "# Return the rest", "# unchanged lines are skipped",
    "# the remaining budget is spent here", "def f(): ...",
]  # fmt: skip


@pytest.mark.parametrize("line", ELIDED)
def test_a_line_that_stands_for_others_is_found(line: str) -> None:
    """A comment or dots in the place of code would delete that code."""
    assert cleaning.elision(f"x = 1\n{line}\n") == line.strip()


@pytest.mark.parametrize("line", KEPT)
def test_ordinary_lines_are_no_elisions(line: str) -> None:
    """A stub's dots and comments that only use such words are code like other code."""
    assert cleaning.elision(f"x = 1\n{line}\n") == ""


@pytest.mark.parametrize(
    "word", ["python", "sql", "os.path", "unittest.TestCase", "e.g.", "3.11", "Python", "v1.2"]
)
def test_ordinary_words_are_no_paths(word: str) -> None:
    """A language's name, a dotted name and a version are no files."""
    assert not paths.is_path(word)


def test_the_closing_fence_is_the_one_that_makes_the_python_whole() -> None:
    """Fences in a docstring stay in the file; the text after the real end does not."""
    inner = 'def f():\n    """Shows:\n    ```\n    x\n    ```\n    """\n    return 1'
    found = fenced.block(f"```python\n{inner}\n```\nThat is all.\n```".split("\n"), 0)
    assert found.text == inner
