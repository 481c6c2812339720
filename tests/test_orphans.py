"""Owns the tests of the orphan check: figures in text, figures and comparisons in rendered pages.

Does not cover the record: a ten-line verifier stands in for it.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from docs.macros import figures_in_text as figures
from docs.macros import orphans
from docs.macros.orphans import PageReport, Waiver, check_html, check_site

PAGE = "experiments/the-wall/"
NUMBERS = {"wall.a": "7 / 54", "wall.b": "13.5 points", "wall.c": "no effect"}
ROWS = [["script", "base"], ["fib", "1/3"], ["wrap", "2/3"]]
TABLE = (
    '<table data-src="w.json#/tables/t">{caption}<tr><th>script</th><th>base</th></tr>'
    "<tbody><tr><th>fib</th><td>{first}</td></tr><tr><th>wrap</th><td>2/3</td></tr></tbody></table>"
)
CITE = '<a class="cite" href="#ref-wilson" id="cite-wilson-1">[1]</a>'
REASON = "a name of the method, not a result"


class Record:
    """A record of three numbers, one table and one claim."""

    def number_ok(self, figure_id: str, src: str, shown: str) -> str:
        """Compare with NUMBERS."""
        return "" if NUMBERS.get(figure_id) == shown else f"the record has {NUMBERS.get(figure_id)}"

    def table_ok(self, src: str, rows: list[list[str]]) -> str:
        """Compare with ROWS."""
        return "" if rows == ROWS else "a cell differs from the record"

    def claim_ok(self, claim_id: str, verdict_class: str) -> str:
        """Know one claim."""
        known = (claim_id, verdict_class) == ("c", "claim--as-stated")
        return "" if known else "the verdict is another"

    def is_generated(self, page: str) -> bool:
        """Know one page that the program makes."""
        return page == "status/"


class RecordWithCaptions(Record):
    """The same record, which knows the table's caption too."""

    def caption_ok(self, src: str, caption: str) -> str:
        """Know one caption."""
        return "" if caption == "18 scripts" else "the caption differs from the record"


def num(figure_id: str = "wall.a", shown: str = "7 / 54") -> str:
    """Return a number as the macro writes it."""
    return (
        f'<a class="num-link" href="../../replay/w/#{figure_id}"><data class="num num--measured" '
        f'data-id="{figure_id}" data-src="w.json#/figures/{figure_id}">{shown}</data></a>'
    )


def check(article: str, *waivers: Waiver, page: str = PAGE) -> PageReport:
    """Check an article in a page like the site's."""
    html = (
        f'<!doctype html><html><body><nav>9 of 10</nav><article class="md-content__inner">{article}'
        "</article><footer>13%</footer></body></html>"
    )
    return check_html(html, page, Record(), waivers)


def texts(report: PageReport) -> list[str]:
    """Return the texts of all that is at fault."""
    return [fault.text for fault in (*report.orphans, *report.faults)]


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
    found = figures.find(text)
    assert "|".join(f"{one.shape}: {one.text}" for one in found) == expected
    assert all(text[one.start : one.end] == one.text for one in found)


@pytest.mark.parametrize("text", STRUCTURAL)
def test_structural_forms_are_no_figures(text: str) -> None:
    """Years, dates, versions, identifiers, names and ordinals are no figures, alone or not."""
    assert figures.find(text) == []
    assert figures.find(f"It says {text} here.") == [] or text.startswith("2. ")


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
    assert "|".join(word.text for word in figures.comparisons(text)) == expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It ran. Then it stopped! Why? It did.", 4),
        ("See e.g. Python, i.e. CPython vs. PyPy, et al. Done", 1),
        ("It took 3.5 s. The end", 2),
        ("It says no. 3 of Fig. 2", 1),
        ("It says no. Then", 2),
        (f"It passed. {figures.CITE * 3} Next", 2),
        (f"It ran. {figures.BOUND * 6} passed", 2),
    ],
)
def test_sentences_end_at_stops_and_not_in_abbreviations(text: str, count: int) -> None:
    """A sentence ends at a stop before a capital or a number; the spans cover the whole text."""
    spans = figures.sentences(text)
    assert len(spans) == count
    assert "".join(text[start:end] for start, end in spans) == text


@pytest.mark.parametrize(
    ("article", "counted"),
    [
        (f"<p>It passed {num()} runs.</p>", "bound"),
        (TABLE.format(caption="", first="1/3"), "in tables"),
        (
            '<p><span class="claim claim--as-stated" data-claim="c">7 is better.</span></p>',
            "in claims",
        ),
        ('<figure class="chart" data-figures="wall.a"><img alt="7 of 54"></figure>', "in charts"),
        (f"<p>Nothing here. The level is 95 % as usual. {CITE} Next.</p>", "cited"),
        (f"<p>A better one stands at 95 % {CITE}.</p>", "cited"),
        ('<ol><li class="reference" id="ref-x">Better agents, 7(2).</li></ol>', "cited"),
        ("<p>In 2026 tier 3 ran on the 8B.</p>", "structural"),
    ],
)
def test_each_allowed_class_passes(article: str, counted: str) -> None:
    """A figure in each class that may stand is counted in it and raises no fault."""
    report = check(article)
    assert texts(report) == []
    assert report.counts[counted] > 0


def test_generated_parts_count_only_on_pages_the_program_makes() -> None:
    """`data-generated` lets figures and comparisons stand on a generated page and nowhere else."""
    article = "<ul data-generated><li>12 pages, better than 13%</li></ul>"
    assert texts(check(article, page="status/")) == []
    assert check(article, page="status/").counts["generated"] == 2
    assert texts(check(article)) == ["12", "13%", "better"]


@pytest.mark.parametrize(
    ("article", "expected"),
    [
        ("<p>It passed 7 / 54.</p>", "7 / 54"),
        ("<p>It passed <b>7</b> of\n  <em>54</em>.</p>", "7 of 54"),
        (f"<p>It passed {num(shown='8 / 54')}.</p>", "8 / 54"),
        (f"<p>It passed {num()}0 and half of {num()}.</p>", "0|half"),
        (f"<p>7 of 54 passed. It is known {CITE}.</p>", "7 of 54"),
        (f"<p>Known {CITE}.</p><p>7 of 54</p>", "7 of 54"),
        ('<p>Plain <data class="other">7</data>.</p>', "7"),
        ('<p>A <a href="#x"><data class="num" data-src="w">7</data></a></p>', "7"),
        ('<p>A <a href="#x"><data class="num" data-id="wall.a">7 / 54</data></a></p>', "7 / 54"),
        ('<p>A <data class="num" data-id="wall.a" data-src="w">7 / 54</data></p>', "7 / 54"),
        (TABLE.format(caption="", first="3/3"), "w.json#/tables/t"),
        (TABLE.format(caption="<caption>18 scripts</caption>", first="1/3"), "18"),
        ("<table><caption>On 18 GB</caption><tr><td>7</td></tr></table>", "18|7"),
        ('<p>See <img alt="7 of 54" title="13%"></p>', "7 of 54|13%"),
        ("<figure><figcaption>All 12.</figcaption></figure>", "12"),
        ('<figure class="chart"><img alt="7 of 54"></figure>', "7 of 54"),
        (
            '<figure class="chart" data-figures="a"><figcaption>better</figcaption></figure>',
            "better",
        ),
        ("<h2>Two models</h2><details><summary>Five</summary></details>", "Two|Five"),
        ("<dl><dt>eleven</dt><dd>12</dd></dl><blockquote>13</blockquote>", "eleven|12|13"),
        ("<ul><li>5<ul><li>6</li></ul>of 7</li></ul>", "5|6|7"),
        ('<div class="macro-error" role="alert">no figure</div>', "no figure"),
        ('<p>It is 95 % <a class="cite" href="#x">[1]</a>.</p>', "[1]"),
        ('<span class="claim claim--supported" data-claim="c">7</span>', "c"),
        ('<span class="claim" data-claim="c">7</span>', "c"),
        ("<p>It is better.</p>", "better"),
        (f"<p>{num('wall.c', 'no effect')} and no effect.</p>", "no effect"),
    ],
)
def test_each_fault_is_seen(article: str, expected: str) -> None:
    """A figure or word without the record, or not as in the record, is a fault, and only it."""
    assert "|".join(texts(check(article))) == expected


@pytest.mark.parametrize(
    "article",
    [
        "<pre>7 / 54</pre><p>Type <code>sleep 7</code> or <kbd>F 7</kbd>.</p>",
        "<nav>7</nav><script>7</script><style>7</style><noscript>7</noscript>",
        '<template>7</template><h2>Why<a class="headerlink" href="#w">7</a></h2>',
        '<p>So.<sup id="fnref:1"><a class="footnote-ref" href="#fn:1">1</a></sup></p><!-- 7 -->',
        "<p>It raises <code>ValueError</code> and is called <code>faster-whisper</code>.</p>",
    ],
)
def test_code_navigation_and_marks_are_not_read(article: str) -> None:
    """Code, navigation, scripts, comments, permanent links and footnote marks hold no figures."""
    assert texts(check(article)) == []


def test_captions_are_verified_where_the_record_knows_them() -> None:
    """A verifier with `caption_ok` settles a record table's caption; a changed one is a fault."""
    for caption, faults in (("18 scripts", 0), ("19 scripts", 1)):
        html = f"<main>{TABLE.format(caption=f'<caption>{caption}</caption>', first='1/3')}</main>"
        report = check_html(html, PAGE, RecordWithCaptions())
        assert (len(report.orphans), len(report.faults)) == (0, faults)


def test_a_figure_half_inside_an_allowed_part_is_an_orphan() -> None:
    """A figure counts as held only when all of it stands in the part that holds it."""
    assert texts(check('<p><b data-claim="c" class="claim--as-stated">7</b> of 54</p>')) == [
        "7 of 54"
    ]


def test_a_page_without_content_is_a_fault() -> None:
    """An empty page cannot pass as a page without orphans."""
    assert [fault.shape for fault in check_html(" ", PAGE, Record()).faults] == ["page"]
    assert texts(check_html("<main>7</main>", PAGE, Record())) == ["7"]
    assert texts(check_html("<body>7</body>", PAGE, Record())) == ["7"]


@pytest.mark.parametrize(
    ("waiver", "expected"),
    [
        (Waiver("12", REASON), ""),
        (Waiver("12", REASON, "the Methods"), ""),
        (Waiver("12", REASON, "elsewhere"), "12|12"),
        (Waiver("12", "too short"), "12|12"),
        (Waiver("1", REASON), "12|1"),
    ],
)
def test_waivers_match_exact_text_and_need_a_reason(waiver: Waiver, expected: str) -> None:
    """A sound waiver that fits lets a figure stand; an unsound or unneeded one is a fault."""
    report = check("<p>Of the methods, 12 are named.</p>", waiver)
    assert "|".join(texts(report)) == expected
    assert report.counts["waived"] == (not expected)


def test_a_waiver_covers_a_comparative_word_but_no_bound_figure() -> None:
    """A comparative word can be waived; a waiver for what stands anyway is not needed."""
    assert texts(check("<p>A better name.</p>", Waiver("better", REASON))) == []
    assert texts(check(f"<p>A {num()}</p>", Waiver("54", REASON))) == ["54"]


@pytest.mark.parametrize("text", ["7 / 54", "seven of nine", "13%", "13.5 points"])
def test_fractions_and_percentages_are_never_waived(text: str) -> None:
    """A waiver for a fraction or a percentage is a fault, and the figure stays an orphan."""
    report = check(f"<p>It is {text} here.</p>", Waiver(text, REASON))
    assert [fault.shape for fault in report.faults] == ["waiver"]
    assert [orphan.text for orphan in report.orphans] == [text]


def write_site(site: Path, pages: dict[str, str]) -> Path:
    """Write pages under a folder like a built site's."""
    for name, article in pages.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        html = f'<body><nav>7 %</nav><article class="md-content__inner">{article}</article></body>'
        (site / name).write_text(html, encoding="utf-8")
    return site


def test_a_site_is_checked_page_by_page_with_its_waivers(tmp_path: Path) -> None:
    """Pages go by their address, waivers by address or source; totals sum to all found."""
    pages = {
        "index.html": "<p>12 names and 7 / 54.</p>",
        "404.html": f"<p>Gone, 13% of {num()}.</p>",
        "experiments/the-wall/index.html": f"<p>{num()} in 2026, 9 names. 95 % {CITE}.</p>",
    }
    waivers = {"index.md": [Waiver("12", REASON)], "experiments/the-wall.md": [Waiver("9", REASON)]}
    report = check_site(write_site(tmp_path, pages), Record(), waivers)
    *faults, totals = report.lines()
    assert [line.split(": is not", 1)[0] for line in faults] == [
        '404.html: "13%" in "Gone, 13% of 7 / 54."',
        './: "7 / 54" in "12 names and 7 / 54."',
    ]
    assert totals.startswith("3 pages, 8 figures found: 2 bound, 0 in tables")
    assert "1 cited, 1 structural, 2 waived, 2 orphans; 0 comparisons bare, 0 other" in totals
    assert sum(report.counts[name] for name in orphans.CLASSES) == report.counts.total()


def test_too_many_waivers_and_strange_pages_are_faults(tmp_path: Path) -> None:
    """Thirty waivers pass, one more does not; nor do a page that is not there or an empty site."""
    words = [f"{100 + n}" for n in range(orphans.MOST_WAIVERS + 1)]
    site = write_site(tmp_path / "site", {"index.html": f"<p>{' and '.join(words)}</p>"})
    waivers = [Waiver(word, REASON) for word in words]
    assert [fault.text for fault in check_site(site, Record(), {"./": waivers[:-1]}).found] == [
        "130"
    ]
    assert check_site(site, Record(), {"./": waivers}).found[-1].text == "31 waivers"
    strange = check_site(site, Record(), {"./": waivers[:-2], "gone.md": waivers[-1:]})
    assert strange.found[-1].text == "gone/"
    assert [fault.text for fault in check_site(tmp_path / "no", Record(), {}).found] == ["no"]


def test_two_hundred_pages_take_less_than_five_seconds(tmp_path: Path) -> None:
    """200 pages of about 60 KB are checked in less than 5 s of this process.

    As on the site, nearly half of a page is menus; the rest is prose, numbers, a table and code.
    """
    menu = '<li class="md-nav__item"><a class="md-nav__link" href="../x/">12 of 54</a></li>' * 300
    prose = "<p>The run {0} of tier 3 on 6 September 2026 ended early, as the log shows: {1}.</p>"
    code = "<p>Call <code>py-measure run wall --repeats {0}</code> to have it in 12 s {2}.</p>"
    row = "<tr><td>case {0}</td><td>{1}</td><td>not measured here in round {0}</td></tr>"
    for page in range(200):
        parts = [(prose + code).format(f"a{page}-{n}", num(), CITE) for n in range(80)]
        rows = "".join(row.format(page * 20 + n, num()) for n in range(20))
        article = f"<nav>{menu}</nav>{''.join(parts)}<table data-src='t'>{rows}</table>"
        write_site(tmp_path, {f"p{page}/index.html": article})
    size = (tmp_path / "p7" / "index.html").stat().st_size
    start, cpu = time.perf_counter(), time.process_time()
    report = check_site(tmp_path, Record(), {})
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(f"200 pages of {size / 1000:.0f} KB in {seconds:.1f} s, {cpu:.1f} s of this process")
    assert 55_000 < size < 65_000
    assert (report.counts["bound"], report.counts["orphans"]) == (200 * 100, 0)
    # The process's own time: other work on the machine must not turn the test red.
    assert cpu < 5
