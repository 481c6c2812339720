"""Output of tools in its normal form: the same for every run of the same thing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from harness.normal import bounded, normalise


@pytest.mark.parametrize(
    ("printed", "normal"),
    [
        ("Ran 3 tests in 0.003s", "Ran 3 tests in <time>"),
        ("=== 2 passed in 12.34s ===", "=== 2 passed in <time> ==="),
        ("finished in 3 seconds", "finished in <time>"),
        ("0.02s call tests/test_a.py::test_b", "<time> call tests/test_a.py::test_b"),
        ("<Order object at 0x7f3a2b>", "<Order object at <address>>"),
        ("Thread 0x00007f1234567890", "Thread <address>"),
        ("killed pid 4711", "killed pid <pid>"),
        ("listening on localhost:54321", "listening on localhost:<port>"),
        ("2026-01-02 03:04:05,123 WARNING x", "<time> WARNING x"),
        ("{'b', 'a'} != frozenset({'z', 'c'})", "{'a', 'b'} != frozenset({'c', 'z'})"),
        ("\x1b[31mred\x1b[0m\r\nnext", "red\nnext"),
    ],
)
def test_what_differs_from_run_to_run_is_replaced(printed: str, normal: str) -> None:
    """Times, addresses, process ids, ports, the order of sets, colours and line ends go."""
    assert normalise(printed) == normal


@pytest.mark.parametrize(
    "value",
    [
        "AssertionError: '1.5s' != '2.5s'",
        "assert 0xff == 0xfe",
        "assert {'b': 1, 'a': 2} == {}",
        "'2026-01-02 03:04:05.123456' is no date",
        "assert ['b', 'a'] == ['a', 'b']",
        "version v1.2s",
        "port 8080 of localhost:8080",
    ],
)
def test_a_value_that_a_test_is_about_stays(value: str) -> None:
    """Quoted texts, short hexadecimal numbers, dictionaries and lists are left as they are."""
    assert normalise(value) == value


def test_paths_of_the_project_and_of_its_copies_become_relative(tmp_path: Path) -> None:
    """Every place that stands for the project gives the same text; a sibling's path is kept."""
    root, copy = tmp_path / "shop", tmp_path / "copy"
    said = [normalise(f'File "{place}/a.py" in {place}', root, [copy]) for place in (root, copy)]
    assert said == ['File "a.py" in .'] * 2
    assert f"{tmp_path.name}/shopping/b.py" in normalise(f"{tmp_path}/shopping/b.py", root)


def test_made_up_temporary_folders_become_one_word() -> None:
    """A folder that a library made up becomes <tmp>; a name that a person chose is kept."""
    made = Path(tempfile.mkdtemp())
    made.rmdir()
    assert normalise(f"{made}/out.txt") == "<tmp>/out.txt"
    assert normalise("/tmp/pytest-of-ann/pytest-31/test_x0/a") == "<tmp>/test_x0/a"
    assert normalise("/tmp/orders.db") == "/tmp/orders.db"


def test_normalising_twice_changes_nothing_more() -> None:
    """A normal text is its own normal form."""
    text = "Ran 1 test in 0.1s at 0x7fffaabb /tmp/tmpabcdefg/x {'b', 'a'} pid=3"
    assert normalise(normalise(text)) == normalise(text)


def test_bounded_keeps_both_ends_and_counts_the_rest() -> None:
    """A long text keeps head and tail, and the number it tells is the number it lost."""
    text = "head" + "x" * 5000 + "tail"
    cut = bounded(text, 200)
    assert len(cut) <= 200
    assert cut.startswith("head")
    assert cut.endswith("tail")
    lost = int(cut.split("… ")[1].split(" ")[0])
    assert cut.count("x") - "characters left out".count("x") + lost == 5000
    assert bounded("short", 200) == "short"
