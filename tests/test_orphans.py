"""Owns the tests of the orphan check: figures and comparisons in rendered pages, waivers, reports.

Does not cover the record, for which a ten-line verifier stands in, nor what counts as a figure.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from docs.macros.orphan.orphan_report import CLASSES, PageReport
from docs.macros.orphan.orphans import check_html, check_site
from docs.macros.orphan.waivers import MOST_WAIVERS, Waiver

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

    def marks_ok(self, figure_id: str, value: str, classes: list[str]) -> str:
        """Know that every number here was measured."""
        return "" if "num--measured" in classes else "the mark is another"

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
    assert sum(report.counts[name] for name in CLASSES) == report.counts.total()


def test_too_many_waivers_and_strange_pages_are_faults(tmp_path: Path) -> None:
    """Thirty waivers pass, one more does not; nor do a page that is not there or an empty site."""
    words = [f"{100 + n}" for n in range(MOST_WAIVERS + 1)]
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
