"""Replies of a bare model, read generously into files or code, and diffs laid in by content."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.reading import blocks
from harness.types import Fault

CART = '''def total(prices, discount=0):
    """Sum after a discount in percent."""
    result = 0
    for price in prices:
        result += price
    return result - discount


def largest(prices):
    return max(prices)
'''
FIXED = CART.replace("result - discount", "result * (1 - discount / 100)")
KNOWN = {
    "README.md": "# shop\n",
    "shop/cart.py": CART,
    "shop/texts.py": "def words(text):\n    return text.split()\n",
    "tests/test_cart.py": "def test_total():\n    assert True\n",
}
PLACES = [
    ("bold", "**shop/cart.py**", "python", ""),
    ("ticks and colon", "`shop/cart.py`:", "python", ""),
    ("heading", "### shop/cart.py", "python", ""),
    ("label", "File: shop/cart.py", "python", ""),
    ("bold label", "**File: `shop/cart.py`**", "python", ""),
    ("numbered with a remark", "1. `shop/cart.py` (updated)", "", ""),
    ("info with colon", "Here it is:", "python:shop/cart.py", ""),
    ("info with space", "", "python shop/cart.py", ""),
    ("info with title", "", 'python title="shop/cart.py"', ""),
    ("info alone", "", "shop/cart.py", ""),
    ("comment", "Here it is:", "python", "# shop/cart.py\n"),
    ("comment with label", "", "python", "# File: shop/cart.py\n"),
    ("base name", "cart.py", "python", ""),
    ("of a diff", "b/shop/cart.py", "python", ""),
    ("made-up folder", "path/to/shop/cart.py", "python", ""),
    ("project's name before", "myproject/shop/cart.py", "python", ""),
    ("absolute", "/home/me/proj/shop/cart.py", "python", ""),
    ("dot", "./shop/cart.py", "python", ""),
    ("back-slashes", "shop\\cart.py", "python", ""),
    ("a sentence that names another", "Here is what shop/texts.py needs:", "python", ""),
    ("a heading that is a language", "## Python", "python", ""),
    ("nothing", "", "python", ""),
]


def files(
    text: str, known: dict[str, str] | list[str] | None = None, default: str = ""
) -> dict[str, str]:
    """The files of a reply that holds some."""
    got = blocks.files(text, KNOWN if known is None else known, default)
    assert not isinstance(got, Fault), got
    return got[0]


def fault(text: str, known: dict[str, str] | None = None, default: str = "") -> Fault:
    """The Fault of a reply that holds none."""
    got = blocks.files(text, KNOWN if known is None else known, default)
    assert isinstance(got, Fault), got
    assert got.next_action
    return got


@pytest.mark.parametrize(
    ("head", "info", "first"), [p[1:] for p in PLACES], ids=[p[0] for p in PLACES]
)
def test_a_block_goes_to_the_file_that_is_meant(head: str, info: str, first: str) -> None:
    """A path in any dress is the known file; without one the code itself says whose it is."""
    text = f"{head}\n\n```{info}\n{first}{FIXED}```\n\nThe discount is a percentage now."
    assert files(text) == {"shop/cart.py": FIXED}


def test_a_new_file_keeps_its_path() -> None:
    """A path that is not known is a new file, where it says."""
    assert files("tests/test_texts.py\n```python\ndef test_words():\n    pass\n```") == {
        "tests/test_texts.py": "def test_words():\n    pass\n"
    }


def test_two_files_in_one_reply() -> None:
    """Each block goes to its own file; commands and output go nowhere."""
    text = (
        f"**shop/cart.py**\n```python\n{FIXED}```\n\n`tests/test_cart.py`\n```python\n"
        "def test_total():\n    assert 1\n```\nRun it:\n```bash\npytest\n```\n```\n1 passed\n```"
    )
    assert files(text) == {
        "shop/cart.py": FIXED,
        "tests/test_cart.py": "def test_total():\n    assert 1\n",
    }


def test_an_example_of_use_beside_a_file_is_left() -> None:
    """A second block without definitions is a usage example, not a file."""
    text = f"```python\n{FIXED}```\nExample:\n```python\nprint(total([1, 2]))\n```"
    assert files(text) == {"shop/cart.py": FIXED}


def test_code_without_path_goes_to_the_default_where_nothing_is_known_of_it() -> None:
    """Names alone cannot place code, so the default takes it; without one it is a Fault."""
    reply = "```python\ndef fresh():\n    return 1\n```"
    assert files(reply, list(KNOWN), "shop/cart.py") == {
        "shop/cart.py": "def fresh():\n    return 1\n"
    }
    assert "which file" in fault(reply).reason


def test_a_base_name_that_two_files_have_is_refused_unless_one_is_the_default() -> None:
    """Never a guess between two real files, and never a third one beside them."""
    twins = {"a/cart.py": "x = 1\n", "b/cart.py": "y = 1\n"}
    text = "cart.py\n```python\nz = 1\n```"
    assert "a/cart.py or b/cart.py" in fault(text, twins).reason
    assert files(text, twins, "b/cart.py") == {"b/cart.py": "z = 1\n"}


def test_an_absolute_path_outside_the_project_is_no_new_file_inside_it() -> None:
    """`/etc/x.py` becomes neither `etc/x.py` nor anything else."""
    assert "no file" in fault("/etc/x.py\n```python\nx = 1\n```").reason


@pytest.mark.parametrize("line", ["# ... rest unchanged", "    # ... existing code ..."])
def test_lines_left_out_are_a_fault(line: str) -> None:
    """A placeholder would delete what it stands for."""
    got = fault(f"shop/cart.py\n```python\ndef total(prices):\n    return 0\n\n{line}\n```")
    assert "leaves lines out" in got.reason


def test_a_placeholder_that_the_file_itself_has_is_kept() -> None:
    """What already stands in the file was not left out by the model."""
    text = "def f():\n    # ... existing code ...\n    return 1\n"
    assert files(f"a.py\n```python\n{text}```", {"a.py": text}) == {"a.py": text}


def test_the_original_shown_before_the_change_does_not_win() -> None:
    """Of two blocks for one file the later one counts, unless it holds fewer definitions."""
    both = f"shop/cart.py\n```python\n{CART}```\nbecomes\n\nshop/cart.py\n```python\n{FIXED}```"
    assert files(both) == {"shop/cart.py": FIXED}
    part = (
        f"shop/cart.py\n```python\n{FIXED}```\nThe line is\n\nshop/cart.py\n```python\nx = 1\n```"
    )
    assert files(part) == {"shop/cart.py": FIXED}


def test_a_tool_call_is_never_a_files_text() -> None:
    """JSON that calls a tool is read as the file it would write, or refused."""
    assert "tool call" in fault('{"name": "read", "arguments": {"path": "shop/cart.py"}}').reason
    call = (
        '```json\n{"name": "write", "arguments": {"path": "cart.py", "content": "x = 1\\n"}}\n```'
    )
    assert files(call) == {"shop/cart.py": "x = 1\n"}
    assert files('package.json\n```json\n{"name": "shop"}\n```') == {
        "package.json": '{"name": "shop"}\n'
    }


def test_markdown_keeps_its_own_fences() -> None:
    """A README in four ticks, or in three with examples inside, arrives whole."""
    body = "# shop\n\n```python\ntotal([1])\n```\n\nEnd.\n"
    assert files(f"README.md\n````markdown\n{body}````") == {"README.md": body}
    assert files(f"README.md\n```markdown\n{body}```\nI added it.") == {"README.md": body}


def test_thinking_and_indentation_are_taken_off() -> None:
    """Code moved right as a whole is moved back only because it does not parse otherwise."""
    moved = "".join(f"    {line}" if line.strip() else line for line in FIXED.splitlines(True))
    assert files(f"shop/cart.py is it\n</think>\n\nshop/cart.py\n```python\n{moved}```") == {
        "shop/cart.py": FIXED
    }


@pytest.mark.parametrize("text", ["", "I cannot do that.", "```\n```", "<think>hm", "no " * 300])
def test_replies_without_a_file_are_faults(text: str) -> None:
    """Empty, prose, an empty fence, cut thinking, endless: each says that there is no file."""
    assert fault(text).reason


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_text_makes_the_readers_fail(text: str) -> None:
    """Any text is files or a Fault, code or a Fault, and every block has a text."""
    assert isinstance(blocks.files(text, KNOWN, "shop/cart.py"), tuple | Fault)
    assert isinstance(blocks.code(text), tuple | Fault)
    assert all("\r" not in block.path for block in blocks.fences(text))


# one body of code


def code(text: str) -> str:
    """The code of a reply that holds some."""
    got = blocks.code(text)
    assert not isinstance(got, Fault), got
    return got[0]


@pytest.mark.parametrize(
    "text",
    [
        f"Here:\n```python\n{FIXED}```\nand so on",
        f"```\n{FIXED}",
        FIXED,
        f"Sure! This is it.\n\n{FIXED}\nThis takes the discount as a percentage.",
        f"```bash\npip install a-very-long-name\n```\n```python\n{FIXED}```",
        f"```python\nx = 1\n```\nno:\n```python\n{FIXED}```",
        "1. Like this:\n   ```python\n"
        + "".join(f"   {line}" if line.strip() else line for line in FIXED.splitlines(True))
        + "   ```",
    ],
    ids=["fenced", "open", "bare", "prose around", "beside bash", "longest", "in a list"],
)
def test_the_one_body_of_code_is_found(text: str) -> None:
    """Fenced, left open, bare, among prose: the same code, nothing more."""
    assert code(text) == FIXED


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Yes", "no Python"),
        ("", "empty"),
        ("```python\ndef f(:\n```", "no Python"),
        ("```python\ndef f():\n    # ... rest of the code\n    return 1\n```", "leaves lines out"),
        ('```json\n{"name": "write", "arguments": {}}\n```', "no Python"),
    ],
)
def test_no_code_is_a_fault(text: str, word: str) -> None:
    """A word, broken code, a placeholder and a tool call are no code."""
    got = blocks.code(text)
    assert isinstance(got, Fault)
    assert word in got.reason


# diffs


def laid(diff: str, text: str = CART) -> str:
    """A text after a diff that fits."""
    got = blocks.apply_diff(text, diff)
    assert isinstance(got, str), got
    return got


HEAD = "--- a/shop/cart.py\n+++ b/shop/cart.py\n"
CHANGE = "-    return result - discount\n+    return result * (1 - discount / 100)\n"
DIFFS = {
    "right": f"{HEAD}@@ -5,2 +5,2 @@\n         result += price\n{CHANGE}",
    "wrong offset": f"{HEAD}@@ -91,2 +91,2 @@\n         result += price\n{CHANGE}",
    "wrong counts": f"{HEAD}@@ -1,9 +1,77 @@\n         result += price\n{CHANGE}",
    "no numbers": f"{HEAD}@@ ... @@\n         result += price\n{CHANGE}",
    "no head": CHANGE,
    "context without its space": f"{HEAD}@@ -4 +4 @@\n        result += price\n{CHANGE}",
    "context made up": f"{HEAD}@@ -4 +4 @@\n     total = 0\n{CHANGE} # the end\n",
    "indentation off": "-return result - discount\n+return result * (1 - discount / 100)\n",
    "search and replace": "shop/cart.py\n<<<<<<< SEARCH\n    return result - discount\n=======\n"
    "    return result * (1 - discount / 100)\n>>>>>>> REPLACE",
}


@pytest.mark.parametrize("name", DIFFS)
def test_a_diff_is_laid_in_where_its_content_stands(name: str) -> None:
    """Counts, offsets, lost spaces and made-up context do not matter where one place fits."""
    assert laid(DIFFS[name]) == FIXED


def test_several_places_are_all_changed() -> None:
    """Every hunk of a file is laid in, the second one below the first."""
    diff = f"{HEAD}@@ -6 +6 @@\n{CHANGE}@@ -10 +10 @@\n-    return max(prices)\n+    return max(prices, default=0)\n"  # noqa: E501
    assert laid(diff) == FIXED.replace("max(prices)", "max(prices, default=0)")


def test_equal_places_need_an_exact_line_number() -> None:
    """Of two equal lines the diff's own number chooses one; a wrong number is a Fault."""
    text = "a\nx\nb\nx\nc\n"
    assert laid("@@ -4 +4 @@\n-x\n+y", text) == "a\nx\nb\ny\nc\n"
    got = blocks.apply_diff(text, "@@ -3 +3 @@\n-x\n+y")
    assert isinstance(got, Fault)
    assert "2 places" in got.reason


@pytest.mark.parametrize(
    ("diff", "word"),
    [
        ("-    return nothing\n+    return 1\n", "do not stand"),
        (f"{HEAD}@@ -3,0 +4 @@\n+    x = 1\n", "place is not known"),
        ("no diff at all", "no change"),
    ],
)
def test_a_diff_that_does_not_fit_is_a_fault(diff: str, word: str) -> None:
    """Nothing is written by half or at a guessed place."""
    got = blocks.apply_diff(CART, diff)
    assert isinstance(got, Fault)
    assert word in got.reason


def test_context_keeps_the_files_own_bytes() -> None:
    """Spaces at line ends and tabs of unchanged lines are the file's, not the model's."""
    text = "def f():\t\n\tx = 1  \n\treturn x\n"
    diff = " def f():\n     x = 1\n-    return x\n+    return x + 1\n"
    assert laid(diff, text) == "def f():\t\n\tx = 1  \n\treturn x + 1\n"


def test_diffs_of_a_reply_are_told_apart_by_file() -> None:
    """Two files in one diff are two entries, each with its path."""
    new = "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x = 1\n"
    text = f"```diff\n{HEAD}@@ -6 +6 @@\n{CHANGE}{new}```"
    assert [path for path, _ in blocks.diffs(text)] == ["shop/cart.py", "new.py"]
    assert files(text) == {"shop/cart.py": FIXED, "new.py": "x = 1\n"}


def test_a_diff_of_a_file_whose_text_is_not_known_is_a_fault() -> None:
    """A bare reply that is an edit cannot become a whole file out of nothing."""
    got = blocks.files(HEAD + CHANGE, ["shop/cart.py"])
    assert isinstance(got, Fault)
    assert "not known" in got.reason


def test_several_files_in_one_fence_are_told_apart() -> None:
    """A flush comment that names another file begins that file; an inner comment does not."""
    reply = (
        "```python\n# shop/basket.py\ndef total(items):\n    # see shop/text.py\n"
        "    return sum(items)\n\n# tests/test_basket.py\nfrom shop.basket import total\n```\n"
    )
    known = {"shop/basket.py": "", "tests/test_basket.py": "", "shop/text.py": ""}
    read = blocks.files(reply, known, "shop/basket.py")
    assert not isinstance(read, Fault)
    assert set(read[0]) == {"shop/basket.py", "tests/test_basket.py"}
    assert read[0]["tests/test_basket.py"] == "from shop.basket import total\n"
    assert "several-files-in-a-fence" in read[1]
