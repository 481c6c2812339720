"""The verbs of the loop: each example is in plain form and works; none can leave the fence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import parts
from harness.events import Asked
from harness.reading import reply
from harness.road.desk import Desk
from harness.types import Action, Job, Observation, Refusal
from tests.small_desk import FILES, ORDERS, desk_on, lay, tree

ACTIONS = parts.all_of("actions")
SPECS = {verb: part.SPEC for verb, part in ACTIONS.items()}
EXAMPLES = [(verb, text) for verb, part in ACTIONS.items() for text in part.EXAMPLES]
HOSTILE = (
    "../outside.py",
    "src/../../outside.py",
    "/etc/passwd",
    "C:\\windows\\win.ini",
    "..\\outside.py",
    "~/outside.py",
    "linked/secret.py",
    "link.py",
    ".git/config",
    ".env",
    ".py-harness/runs/x.py",
    "src/orders.py\x00.md",
    "",
    ".",
    "src",
    "a" * 5000 + ".py",
    "\ud800.py",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project with a link that leaves it."""
    root = lay(tmp_path / "project", FILES)
    lay(tmp_path, {"outside.py": "SECRET = 'told'\n", "away/secret.py": "SECRET = 'told'\n"})
    (root / "linked").symlink_to(tmp_path / "away")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    return root


@pytest.fixture
def desk(root: Path) -> Iterator[Desk]:
    """A desk on that project, where every question is answered."""
    with desk_on(root, answers=["yes"] * 9) as desk:
        yield desk


def act(desk: Desk, verb: str, **fields: str) -> Observation:
    """Carry out an action that must not be refused."""
    found = ACTIONS[verb].act(Action(verb, fields), desk)
    assert isinstance(found, Observation), found
    return found


@pytest.mark.parametrize(("verb", "text"), EXAMPLES)
def test_an_example_is_in_plain_form(verb: str, text: str) -> None:
    """The reader takes it for that verb and needs no rule."""
    read = reply.read(text, SPECS)
    assert isinstance(read, Action), read
    assert (read.verb, read.rules) == (verb, ())


@pytest.mark.parametrize(("verb", "text"), EXAMPLES)
def test_an_example_works_on_a_small_project(verb: str, text: str, root: Path) -> None:
    """It does what was asked, and the person's own files stay as they are."""
    before = tree(root)
    with desk_on(root, answers=["the net one"]) as desk:
        read = reply.read(text, SPECS)
        assert isinstance(read, Action)
        found = ACTIONS[verb].act(read, desk)
        assert isinstance(found, Observation), found
        assert found.ok
        assert found.text.strip()
        assert bool(found.changed) is ACTIONS[verb].WRITES
    assert tree(root) == before


@pytest.mark.parametrize("verb", ACTIONS)
def test_an_action_is_declared_whole(verb: str) -> None:
    """Its spec carries its name, and what it does fits one line of the system text."""
    part = ACTIONS[verb]
    assert part.SPEC.verb == verb
    assert 20 < len(parts.says(part)) < 100
    assert part.EXAMPLES
    assert all(alias.verb == verb for alias in part.SPEC.aliases)


def test_no_word_means_two_verbs() -> None:
    """An alias belongs to one action and is no other action's verb."""
    words = [alias.word for spec in SPECS.values() for alias in spec.aliases]
    assert len(words) == len(set(words))
    assert not set(words) & set(SPECS)


@pytest.mark.parametrize("verb", ACTIONS)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_action_leaves_the_fence(verb: str, name: str, root: Path) -> None:
    """Whatever field holds a hostile path, nothing outside is shown or written."""
    above = root.parent
    outside = {p: b for p, b in tree(above).items() if not p.startswith("project/")}
    spec = SPECS[verb]
    with desk_on(root, answers=["no"]) as desk:
        places = [f.name for f in spec.fields if not f.body]
        for place in places:
            fields = {f.name: "x = 1" for f in spec.fields if f.body}
            fields |= {f.name: "order_total" for f in spec.fields if not f.body and f.required}
            fields[place] = name
            found = ACTIONS[verb].act(Action(verb, fields), desk)
            shown = found.text if isinstance(found, Observation) else found.reason
            assert "told" not in shown
            assert set(desk.overlay) <= set(desk.files())
        assert not [p for p in desk.overlay if p.startswith(("..", "/", ".git", ".env"))]
        copied = {p: b for p, b in tree(above).items() if not p.startswith("project/")}
    assert copied == outside


def test_find_matches_names_folders_and_patterns(desk: Desk) -> None:
    """A pattern, a folder and a part of a name are all understood; a miss says so."""
    assert act(desk, "find", Pattern="*.md").text == "README.md"
    assert act(desk, "find", Pattern="src").text.splitlines() == [
        "src/__init__.py",
        "src/orders.py",
        "src/views.py",
    ]
    assert act(desk, "find", Pattern="**/test_*.py").text == "tests/test_orders.py"
    assert act(desk, "find", Pattern="order").text.splitlines() == [
        "src/orders.py",
        "tests/test_orders.py",
    ]
    assert not act(desk, "find", Pattern="*.rs").ok


def test_find_stops_at_thirty(root: Path) -> None:
    """A large project is counted, not listed."""
    lay(root, {f"many/m{n:02}.py": "" for n in range(40)})
    with desk_on(root) as desk:
        lines = act(desk, "find", Pattern="many/*.py").text.splitlines()
    assert len(lines) == 31
    assert lines[-1] == "and 10 more"


def test_search_takes_a_bad_expression_as_text(desk: Desk) -> None:
    """`order_total(` is no expression, yet it is found; so is another case, and it is said."""
    found = act(desk, "search", Pattern="order_total(")
    assert found.text.startswith("(taken as plain text)")
    assert "src/orders.py:6: def order_total(prices):" in found.text
    assert "case taken as one" in act(desk, "search", Pattern="ORDER_TOTAL").text
    assert not act(desk, "search", Pattern="nowhere_at_all").ok


def test_search_is_not_stopped_by_a_costly_expression(root: Path) -> None:
    """A repeat of a repeat is looked for as it is written, so that it ends."""
    lay(root, {"long.py": "# " + "a" * 400 + "\n"})
    with desk_on(root) as desk:
        assert not act(desk, "search", Pattern="(a+)+b").ok


def test_search_stays_under_a_path(desk: Desk) -> None:
    """With a path only the files beneath it are searched."""
    assert "tests/" not in act(desk, "search", Pattern="order_total", Path="src").text
    assert not act(desk, "search", Pattern="order_total", Path="nowhere").ok


def test_read_shows_what_is_asked(desk: Desk) -> None:
    """A file, some lines, one definition; each counts as shown."""
    whole = act(desk, "read", Path="src/orders.py")
    assert ORDERS.rstrip() in whole.text
    assert whole.read == ("src/orders.py",)
    assert "total = 0" in act(desk, "read", Path="src/orders.py", Lines="6-8").text
    assert act(desk, "read", Path="src/orders.py", Symbol="Basket.total").text.endswith(
        "    def total(self):\n        return order_total(self.prices)"
    )
    missing = act(desk, "read", Path="src/orders.py", Symbol="nothing")
    assert not missing.ok
    assert "order_total" in missing.text


def test_read_finds_the_one_file_of_a_bare_name(desk: Desk) -> None:
    """A name without its folder, or with a stray prefix, means the one file that fits."""
    for name in ("orders.py", "b/src/orders.py", "./src/orders.py", "`src/orders.py`"):
        assert act(desk, "read", Path=name).read == ("src/orders.py",)
    assert isinstance(ACTIONS["read"].act(Action("read", {"Path": "nowhere.py"}), desk), Refusal)


def test_a_long_file_is_shown_by_its_ends_and_outline(root: Path) -> None:
    """Above the limit the middle is left out, and what it defines is listed."""
    long = "".join(f"def part_{n}(x):\n    return x + {n}\n\n\n" for n in range(600))
    lay(root, {"long.py": long})
    with desk_on(root) as desk:
        text = act(desk, "read", Path="long.py").text
    assert len(text) < 8000
    assert "characters left out" in text
    assert "def part_0(x)" in text
    assert "return x + 599" in text


def test_locate_shows_the_definition_and_its_callers(desk: Desk) -> None:
    """However the name is dressed, its lines, its callers and its file are given."""
    for query in ("order_total", "def order_total(", "`order_total()`", "the function order_total"):
        found = act(desk, "locate", Query=query)
        assert "defined in src/orders.py, line 6" in found.text
        assert "total += price" in found.text
        assert "src/orders.py:21: return order_total(self.prices)" in found.text
        assert found.read == ("src/orders.py",)
    miss = act(desk, "locate", Query="total")
    assert "Basket.total" in miss.text
    assert not act(desk, "locate", Query="nothing_like_it").ok


def test_map_lists_files_with_what_they_define(desk: Desk) -> None:
    """Sources come before tests; a scope narrows; nothing there is said."""
    lines = act(desk, "map").text.splitlines()
    assert lines.index("src/orders.py") < lines.index("tests/test_orders.py")
    assert any("def order_total(prices)" in line for line in lines)
    assert "tests/" not in act(desk, "map", Scope="src").text
    assert not act(desk, "map", Scope="nowhere").ok


def test_layout_names_one_next_move(root: Path) -> None:
    """A cycle of imports is found by module path, and one move follows."""
    lay(root, {"src/a.py": "from src import b\n", "src/b.py": "from src import a\n"})
    with desk_on(root) as desk:
        text = act(desk, "layout").text
    assert "src.a, src.b" in text
    assert text.count("Next move:") == 1


def test_patch_replaces_one_place(desk: Desk) -> None:
    """Exact lines are exchanged, and every other line stays."""
    found = act(desk, "patch", Path="src/orders.py", Find="    total = 0", Replace="    total = 1")
    assert found.changed == ("src/orders.py",)
    assert desk.text("src/orders.py") == ORDERS.replace("total = 0", "total = 1")
    assert (desk.scratch.folder / "src/orders.py").read_text(encoding="utf-8").count(
        "total = 1"
    ) == 1


def test_patch_bears_other_spacing_where_one_place_fits(desk: Desk) -> None:
    """Lines without their depth are found, and the new ones are put at the real depth."""
    find = "for price in prices:\n    total += price"
    act(desk, "patch", Path="src/orders.py", Find=find, Replace="total = sum(prices)")
    assert "    total = 0\n    total = sum(prices)\n    return total\n" in (
        desk.text("src/orders.py") or ""
    )


def test_patch_says_where_it_missed(desk: Desk) -> None:
    """Lines that stand nowhere bring the closest ones; those that stand twice, their places."""
    missed = act(desk, "patch", Path="src/orders.py", Find="    totl = 0\n    for p in prices:",
                 Replace="x")  # fmt: skip
    assert not missed.ok
    assert "    total = 0\n    for price in prices:" in missed.text
    twice = act(desk, "patch", Path="src/orders.py", Find="prices", Replace="x")
    assert not twice.ok
    assert "times in the file (lines 6, 7" in twice.text
    loose = act(desk, "patch", Path="src/views.py", Find="  from src.orders import Basket ",
                Replace="x")  # fmt: skip
    assert loose.ok
    body = "def a():\n    x = 1\n\n\ndef b():\n        x = 1\n"
    desk.lay({"src/two.py": body})
    again = act(desk, "patch", Path="src/two.py", Find="x = 1 ", Replace="x = 2")
    assert not again.ok
    assert "fits 2 places" in again.text
    assert desk.text("src/two.py") == body


def test_patch_puts_additions_at_their_place(desk: Desk) -> None:
    """A function goes above the main guard, its import among the imports."""
    new = "import math\n\n\ndef rounded(prices):\n    return math.floor(order_total(prices))"
    act(desk, "patch", Path="src/orders.py", Append=new)
    text = desk.text("src/orders.py") or ""
    assert text.index("import math") < text.index("TAX")
    assert text.index("class Basket") < text.index("def rounded") < text.index("if __name__")


def test_patch_replaces_a_definition_by_name(desk: Desk) -> None:
    """With Symbol and Body, or a body that defines a known name, that span alone is exchanged."""
    body = "def total(self):\n    return 2 * order_total(self.prices)"
    act(desk, "patch", Path="src/orders.py", Symbol="Basket.total", Body=body)
    assert "        return 2 * order_total(self.prices)\n" in (desk.text("src/orders.py") or "")
    act(
        desk, "patch", Path="src/orders.py", Body="def order_total(prices):\n    return sum(prices)"
    )
    text = desk.text("src/orders.py") or ""
    assert "def order_total(prices):\n    return sum(prices)\n\n\nclass Basket" in text


def test_patch_makes_a_new_file_of_an_addition(desk: Desk) -> None:
    """Append to a file that is not there is a new file; Find in one is refused."""
    act(desk, "patch", Path="src/new.py", Append="def f():\n    return 1")
    assert desk.text("src/new.py") == "def f():\n    return 1\n"
    missing = Action("patch", {"Path": "src/no.py", "Find": "x", "Replace": "y"})
    assert isinstance(ACTIONS["patch"].act(missing, desk), Refusal)


def test_a_patch_that_changes_nothing_is_refused(desk: Desk) -> None:
    """The same text again is no change."""
    same = Action("patch", {"Path": "src/orders.py", "Find": "TAX = 0.2", "Replace": "TAX = 0.2"})
    found = ACTIONS["patch"].act(same, desk)
    assert isinstance(found, Refusal)
    assert "already" in found.reason


def test_write_keeps_the_rest_of_a_file(desk: Desk) -> None:
    """A whole-file draft of one function alone is put in place, not in place of the file."""
    act(
        desk, "write", Path="src/orders.py", Body="def order_total(prices):\n    return sum(prices)"
    )
    text = desk.text("src/orders.py") or ""
    assert "return sum(prices)" in text
    assert "class Basket" in text


def test_test_runs_all_or_the_named_ones(desk: Desk) -> None:
    """Names in any dress are understood; what is no test of the project is never handed on."""
    assert "green: 1 passed" in act(desk, "test").text
    assert "green: 1 passed" in act(desk, "test", Names="tests/test_orders.py").text
    named = act(desk, "test", Names="python -m unittest tests.test_orders.OrderTotalTest")
    assert "green: 1 passed" in named.text
    other = act(desk, "test", Names="rm -rf . --junitxml=/tmp/x")
    assert "all of them were" in other.text


def test_test_shows_the_failure_bounded(root: Path) -> None:
    """A red suite names the test, the error and the traceback, in 1,200 characters."""
    lay(root, {"src/orders.py": ORDERS.replace("total = 0", "total = 1")})
    with desk_on(root) as desk:
        found = act(desk, "test")
    assert not found.ok
    assert "tests.test_orders.OrderTotalTest.test_sums: AssertionError: 4 != 3" in found.text
    assert "Traceback" in found.text
    assert len(found.text) <= 1300


def test_ask_puts_at_most_four_options(root: Path) -> None:
    """Options may be parted by bars, lines or commas; the answer comes back."""
    heard: list[object] = []
    with desk_on(root, answers=["net"], heard=heard) as desk:  # type: ignore[arg-type]
        found = act(desk, "ask", Question="Which?", Options="- net\n- gross\n- both\n- none\n- x")
        assert found.text == "The answer is: net"
        silent = act(desk, "ask", Question="Which?")
    assert [e.options for e in heard if isinstance(e, Asked)] == [
        ("net", "gross", "both", "none"),
        (),
    ]
    assert silent.ends == "asked"


@pytest.mark.parametrize(
    ("job", "ends"),
    [
        (Job("ask", "what?"), "answered"),
        (Job("fix", "mend it"), "nothing-to-do"),
    ],
)
def test_done_ends_as_the_job_asks(root: Path, job: Job, ends: str) -> None:
    """A question ends answered; a job that changed nothing says so."""
    with desk_on(root, job) as desk:
        assert act(desk, "done", Summary="It sums the prices.").ends == ends
