"""Owns the tests of plain text: its figures, structural forms, comparative words and sentences.

Does not cover rendered pages, nor whether a figure may stand in one (`test_orphans`).
"""

from __future__ import annotations

import pytest

from docs.macros.orphan import comparative_words
from docs.macros.orphan.figures_in_text import find
from docs.macros.orphan.masks import BOUND, CITE
from docs.macros.orphan.sentences import sentence_spans

FIGURES = [
    ("It passed 7 / 54, then 7/54.", "fraction: 7 / 54|fraction: 7/54"),
    ("12 of 54 and 12 out of 54", "fraction: 12 of 54|fraction: 12 out of 54"),
    ("Seven of the nine; seven-of-nine", "fraction: Seven of the nine|fraction: seven-of-nine"),
    ("one of the seven, one in ten", "fraction: one of the seven|fraction: one in ten"),
    ("none of the twelve", "fraction: none of the twelve"),
    ("1 in 20", "fraction: 1 in 20"),
    ("between 6-9/10", "fraction: 6-9/10"),
    ("7/54 to 12/54", "fraction: 7/54|fraction: 12/54"),
    ("7 of 2000", "fraction: 7 of 2000"),
    ("step 3 of 12", "fraction: 3 of 12"),
    ("13%, 13 %, 13\u00a0%", "percentage: 13%|percentage: 13 %|percentage: 13\u00a0%"),
    ("13 percent, thirteen per cent", "percentage: 13 percent|percentage: thirteen per cent"),
    ("+13.5 points", "percentage: +13.5 points"),
    ("13% to 22%", "percentage: 13%|percentage: 22%"),
    ("20 to 30 %", "percentage: 20 to 30 %"),
    ("tier 3 13%", "percentage: 13%"),
    ("rose-13%", "percentage: 13%"),
    ("6-9 runs, 6\u20139 s, 6 to 9", "range: 6-9|range: 6\u20139|range: 6 to 9"),
    ("six to nine", "range: six to nine"),
    ("no writes x4, 1.5x, 3 \u00d7", "ratio: x4|ratio: 1.5x|ratio: 3 \u00d7"),
    ("18 scripts x 3", "integer: 18|ratio: x 3"),
    ("0.4 and 4.9GB and p<0.05", "decimal: 0.4|decimal: 4.9|decimal: 0.05"),
    ("1,619 figures, 500 million", "integer: 1,619|integer: 500 million"),
    ("\u00bd of them", "decimal: \u00bd"),
    ("12s, 20-step, n=24", "integer: 12|integer: 20|integer: 24"),
    ("about 2000; 2048 tokens", "integer: 2000|integer: 2048"),
    ("a context of 2048", "integer: 2048"),
    ("In May 13 runs failed", "integer: 13"),
    ("tier 3 and 12 runs", "integer: 12"),
    ("Ollama 4.9 GB; Windows 3 jobs", "decimal: 4.9|integer: 3"),
    ("Linux 12 passed", "integer: 12"),
    ("top-5, up-to-4, K=4", "integer: 5|integer: 4|integer: 4"),
    ("score:7 and the figure 54", "integer: 7|integer: 54"),
    ("wins and losses 6:0", "integer: 6|integer: 0"),
    ("two, twenty-five, ninety-nine", "spelled: two|spelled: twenty-five|spelled: ninety-nine"),
    ("eight hundred and thirty-six", "spelled: eight hundred and thirty-six"),
    ("a hundred, a dozen, thousand", "spelled: a hundred|spelled: a dozen|spelled: thousand"),
    ("half, a third of, two thirds", "spelled: half|spelled: a third|spelled: two thirds"),
    ("a quarter, twice, thrice", "spelled: a quarter|spelled: twice|spelled: thrice"),
    ("zero and nought", "spelled: zero|spelled: nought"),
    ("a two-case gap, up-to-ten", "spelled: two|spelled: ten"),
]
STRUCTURAL = [
    *("in 2026", "(Bichel, 2026)", "2025-26", "the 1990s", "Since 2026, it", "Copyright 1999"),
    *("6 September 2026", "September 6, 2026", "5\u20136 Sep", "2026-09-06T15:03:00Z", "2026-09"),
    *("at 15:03", "3 pm", "v1.2", "Python 3.11 and 3.12+", "macOS 26.5", "Ollama 0.33.2", "1.2.3"),
    *("mkdocs 1.6.x", "Windows 11", "CC BY 4.0", "tier 3", "Tier 1 runs", "tiers 1 to 4"),
    *("tier six", "a tier-six run", "section 2.1", "\u00a74.2", "Table 2", "Figure 2", "Step 4"),
    *(
        "issue #339",
        "#206",
        "issue 339",
        "pull request 12",
        "RFC 8785",
        "exit code 5",
        "port 11434",
    ),
    *("0.5B", "8B", "1\u20133B", "llama3.1:8b", "Qwen2.5-Coder-32B", "Q4_K_M", "sha256", "M3"),
    *("utf-8", "t-wall", "4-bit", "pass@1", "qwen3-coder-30b-a3b", "2866288a", "con-01"),
    *("arXiv:2310.06770", "10.48550/arXiv.2310.06770", "https://x.y/12/34", "localhost:11434"),
    *("first, second, third", "a third model", "the 3rd and 20th", "2. Measure", "one of them"),
    *("No one is the one", "non-zero", "demo-eleven", "behalf", "half-written", "often"),
]


@pytest.mark.parametrize(("text", "expected"), FIGURES)
def test_figures_are_found_with_their_shape(text: str, expected: str) -> None:
    """Every figure of a text is found whole, in order and with its shape, and nothing else is."""
    found = find(text)
    assert "|".join(f"{one.shape}: {one.text}" for one in found) == expected
    assert all(text[one.start : one.end] == one.text for one in found)


@pytest.mark.parametrize("text", STRUCTURAL)
def test_structural_forms_are_no_figures(text: str) -> None:
    """Years, dates, versions, identifiers, names and ordinals are no figures, alone or not."""
    assert find(text) == []
    assert find(f"It says {text} here.") == [] or text.startswith("2. ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("better or worse than the best", "better|worse|the best"),
        ("Faster, slower, higher, lower", "Faster|slower|higher|lower"),
        ("It beats and outperforms; it improved", "beats|outperforms|improved"),
        ("raised the score, reverses the reading", "raised|reverses"),
        ("no effect, no difference, moved the score", "no effect|no difference|moved the score"),
        ("at least, at best, best practice, more than", ""),
        ("lower-case, lowercase, lower bound, higher-order, faster-whisper, or higher", ""),
        ("raises ValueError, raises an error, improvised, heartbeat", ""),
    ],
)
def test_comparative_words_are_found_without_false_friends(text: str, expected: str) -> None:
    """Comparative words are found on word boundaries; words that only look alike are not."""
    assert "|".join(word.text for word in comparative_words.find(text)) == expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It ran. Then it stopped! Why? It did.", 4),
        ("See e.g. Python, i.e. CPython vs. PyPy, et al. Done", 1),
        ("It took 3.5 s. The end", 2),
        ("It says no. 3 of Fig. 2", 1),
        ("It says no. Then", 2),
        (f"It passed. {CITE * 3} Next", 2),
        (f"It ran. {BOUND * 6} passed", 2),
    ],
)
def test_sentences_end_at_stops_and_not_in_abbreviations(text: str, count: int) -> None:
    """A sentence ends at a stop before a capital or a number; the spans cover the whole text."""
    spans = sentence_spans(text)
    assert len(spans) == count
    assert "".join(text[start:end] for start, end in spans) == text
