"""Owns the truths about bib/: the real files are fit, every kind of bad entry is named by its
place, references read as APA asks, and citations are numbered and lead both ways.

It does not cover how the macros hand a page these functions, nor the built site.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from docs.macros.bib.apa import apa, apa_text
from docs.macros.bib.bib_files import Problem
from docs.macros.bib.bibliography import Bibliography, BibliographyError, UnknownCitation, load
from docs.macros.bib.bibliography_check import validate
from docs.macros.bib.bibtex import all_bibtex, bibtex
from docs.macros.bib.references import Citations, PageLink, grouped_html

BIB = Path(__file__).resolve().parent.parent / "bib"
REFERENCES, SELF = BIB / "references.bib", BIB / "self.bib"
KEYS = (
    *("grattafiori2024llama3", "hui2024qwen25coder", "hu2022lora", "yao2023react"),
    *("yang2024sweagent", "wang2024codeact", "yao2026harnessbench", "zheng2026clawswebench"),
    *("shinn2023reflexion", "liu2023evalplus", "mcandrews2026feedback", "perry2023insecure"),
    *("jimenez2024swebench", "deng2025swebenchpro", "rashid2025swepolybench", "belcak2025slm"),
    *("kon2026sweprotege", "lee2026mapcoderlite", "sharma2025slmsurvey", "bichel2026benchrecord"),
    *("bichel2026execeval", "bichel2026sampleandrun", "bichel2026pyharness", "bichel2026fence"),
)

GOOD = "@misc{%s,\n  author = {Doe, J.},\n  title = {T},\n  year = {2024},\n  %s\n}\n"
LINK = "eprint = {2401.00001}, archiveprefix = {arXiv},"


@pytest.fixture(scope="module")
def real() -> Bibliography:
    """Both files of the project."""
    return load([REFERENCES, SELF])


def entry(**changes: str) -> str:
    """Write @misc{bad,...} from fields that are fit, but for the ones named."""
    fields = {"author": "{Doe, J.}", "title": "{T}", "year": "{2024}", "eprint": "{2401.00001}"}
    fields |= {"archiveprefix": "{arXiv}"} | changes
    body = "".join(f"  {name} = {value},\n" for name, value in fields.items() if value)
    return f"@misc{{bad,\n{body}}}\n"


def write(path: Path, *entries: str) -> Path:
    """Put entries into a file, a blank line between."""
    path.write_text("\n".join(entries), encoding="utf-8")
    return path


def one(tmp_path: Path, *entries: str) -> Bibliography:
    """Load entries through a file."""
    return load([write(tmp_path / "some.bib", *entries)])


BAD = {
    "missing comma": (entry(title="{T} note = {x}"), "syntax error near line 10"),
    "missing author": (entry(author=""), "missing field 'author', which @misc needs"),
    "missing title": (entry(title=""), "missing field 'title'"),
    "missing year": (entry(year=""), "missing field 'year'"),
    "missing venue": (entry().replace("@misc", "@inproceedings"), "missing field 'booktitle'"),
    "missing journal": (entry().replace("@misc", "@article"), "missing field 'journal'"),
    "undefined string": (entry(title="nosuch"), "unknown @string macro 'nosuch'"),
    "unknown type": (entry().replace("@misc", "@paper"), "unknown entry type @paper"),
    "malformed key": (entry().replace("bad,", "b:ad,"), "malformed key 'b:ad'"),
    "duplicate field": (entry(note="{a}, note = {b}"), "'note' is given more than once"),
    "misspelt field": (entry(bearson="", bearsom="{the-wall}"), "did you mean 'bearson'?"),
    "two links": (entry(url="{https://example.org/a}"), "more than one link (eprint, url)"),
    "no link": (entry(eprint="", archiveprefix=""), "no link: @misc needs"),
    "bad DOI": (
        entry(eprint="", archiveprefix="", doi="{https://doi.org/10.1000/1}"),
        "malformed DOI 'https://doi.org/10.1000/1'",
    ),
    "bad arXiv id": (entry(eprint="{2413.00001}"), "malformed arXiv id '2413.00001'"),
    "no archive": (entry(archiveprefix=""), "add archiveprefix = {arXiv}"),
    "bad url": (entry(eprint="", archiveprefix="", url="{example.org}"), "malformed url"),
    "script url": (entry(eprint="", archiveprefix="", url="{javascript:a()}"), "malformed url"),
    "bad year": (entry(year="{in press}"), "malformed year 'in press'"),
    "accent by letter": (entry(author=r"{\v Capek, K.}"), r"LaTeX '\\v' in 'author'"),
    "url command": (entry(note=r"{\url{https://example.org}}"), r"LaTeX '\\url' in 'note'"),
    "emphasis": (entry(title=r"{An \emph{odd} title}"), r"LaTeX '\\emph' in 'title'"),
    "mathematics": (entry(title="{An $n$ title}"), "LaTeX '$' in 'title'"),
    "crossref": (entry(crossref="{first}"), "'crossref' is not followed"),
    "unbalanced open": (entry(title="{T {x}"), "unbalanced braces"),
    "unbalanced close": (entry(title="{T}}"), "unbalanced braces"),
    "empty field": (entry(note="{}"), "field 'note' is empty"),
    "empty braces": (entry(title="{T {} x}"), "empty braces in 'title'"),
    "group without relation": (entry(grouping="{G}"), "grouping and relation go together"),
    "bad runhere": (entry(runhere="{yes}"), "malformed runhere 'yes'"),
    "bad bearson": (entry(bearson="{The Wall}"), "malformed bearson 'The Wall'"),
    "bad papernumber": (entry(papernumber="{one}"), "malformed papernumber 'one'"),
    "commas for and": (entry(author="{Doe, J., Roe, R., Poe, E.}"), "has too many commas"),
    "stray others": (entry(author="{others and Doe, J.}"), "author 1 has no name"),
    "round brackets": ('@misc{bad, title = "T"} @misc(b, year = 1)', "a second @ inside it"),
}


@pytest.mark.parametrize(("text", "reason"), BAD.values(), ids=BAD.keys())
def test_each_kind_of_bad_entry_is_named(tmp_path: Path, text: str, reason: str) -> None:
    """A bad entry gives one problem with its key and the line of its @, and hides no neighbour."""
    path = write(tmp_path / "x.bib", GOOD % ("first", LINK), text, GOOD % ("last", LINK))
    problems = validate(path)
    key = "b:ad" if "b:ad" in text else "bad"
    assert [(problem.path, problem.line, problem.key) for problem in problems] == [(path, 8, key)]
    assert reason in problems[0].reason
    assert str(problems[0]) == f"{path.as_posix()}:8: {key}: {problems[0].reason}"
    assert "\n" not in str(problems[0])
    with pytest.raises(BibliographyError, match=re.escape(problems[0].reason)):
        load([path])


def test_the_pattern_of_the_bad_entries_is_itself_fit(tmp_path: Path) -> None:
    """Unchanged, the entry from which every bad one is made has no problem."""
    assert validate(write(tmp_path / "x.bib", entry())) == []


def test_a_key_used_twice_is_named_with_its_first_place(tmp_path: Path) -> None:
    """The second entry of a key, in upper or lower case, is the one at fault."""
    path = write(tmp_path / "x.bib", GOOD % ("first", LINK), GOOD % ("First", LINK))
    where = f"duplicate key, first used at {path.as_posix()}:1: choose another"
    assert validate(path) == [Problem(path, 8, "First", where)]


def test_a_key_used_in_two_files_is_refused(tmp_path: Path) -> None:
    """Files that are fit apart cannot be loaded together if they share a key."""
    paths = [write(tmp_path / name, entry()) for name in ("a.bib", "b.bib")]
    assert [validate(path) for path in paths] == [[], []]
    with pytest.raises(BibliographyError) as caught:
        load(paths)
    assert [(p.path, p.line, p.key) for p in caught.value.problems] == [(paths[1], 1, "bad")]


def test_several_bad_entries_are_all_named(tmp_path: Path) -> None:
    """A syntax error does not hide the faults of the entries after it."""
    path = write(tmp_path / "x.bib", entry(title="{T {x}"), entry(year="{soon}", runhere="{no}"))
    assert [(p.line, p.reason.split(":")[0]) for p in validate(path)] == [
        (1, "unbalanced braces"),
        (9, "duplicate key, first used at " + path.as_posix()),
        (9, "malformed year 'soon'"),
        (9, "malformed runhere 'no'"),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read"),
        (b"@misc{a, title = {\xe9}}", "not UTF-8 text"),
        (b"% nothing yet\n", "holds no entry"),
    ],
    ids=["absent", "latin-1", "empty"],
)
def test_a_file_that_gives_nothing_is_a_problem(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    """A file that is absent, not UTF-8 or without entries is one problem of the whole file."""
    path = tmp_path / "x.bib"
    if content is not None:
        path.write_bytes(content)
    (problem,) = validate(path)
    assert (problem.line, problem.key) == (0, "")
    assert reason in problem.reason
    assert str(problem).startswith(f"{path.as_posix()}: ")


def test_text_before_the_first_entry_may_not_hide_one(tmp_path: Path) -> None:
    """An entry in round brackets, which the reader would skip, is named rather than lost."""
    path = write(tmp_path / "x.bib", "@misc(a, year = 1)", entry())
    assert [(p.line, p.reason[:23]) for p in validate(path)] == [(1, "an @ outside any entry:")]


def test_the_real_files_are_fit() -> None:
    """bib/ holds the 24 works in the order of the source's list, and this software."""
    assert validate(REFERENCES) == []
    assert validate(SELF) == []
    assert load([REFERENCES]).keys() == tuple(KEYS)
    assert load([SELF]).keys() == ("pyharness",)


def test_every_work_has_what_the_references_page_prints(real: Bibliography) -> None:
    """Each work of others has one link, a group, a sentence, and whether the source ran it."""
    for work in real:
        assert work.grouping, work.key
        assert re.fullmatch(r"[A-Z].*\.", work.relation), work.key
        if work.path == REFERENCES:
            assert work.link.startswith("https://"), work.key
            assert work.run_here is not None, work.key
            assert REFERENCES.read_text(encoding="utf-8").splitlines()[work.line - 1] == (
                f"@{work.type}{{{work.key},"
            )
    assert sorted(w.paper_number for w in real if w.paper_number) == list(range(1, 17))


APA = {
    "grattafiori2024llama3": (
        "Grattafiori, A., et al. (2024). <em>The Llama 3 herd of models</em>. arXiv. "
        '<a href="https://arxiv.org/abs/2407.21783">https://arxiv.org/abs/2407.21783</a>'
    ),
    "jimenez2024swebench": (
        "Jimenez, C. E., Yang, J., Wettig, A., Yao, S., Pei, K., Press, O., &amp; Narasimhan, K. "
        "(2024). SWE-bench: Can language models resolve real-world GitHub issues? [Oral]. In "
        "<em>International Conference on Learning Representations</em>. "
        '<a href="https://arxiv.org/abs/2310.06770">https://arxiv.org/abs/2310.06770</a>'
    ),
    "sharma2025slmsurvey": (
        "Sharma, R., &amp; Mehta, M. (2025). <em>Small language models for agentic systems: A "
        "survey of architectures, capabilities, and deployment trade offs</em>. arXiv. "
        '<a href="https://arxiv.org/abs/2510.03847">https://arxiv.org/abs/2510.03847</a>'
    ),
    "bichel2026fence": (
        "Bichel, Y. (2026, September 6). <em>The fence was the whole story</em>. py-harness "
        'experiments. <a href="https://yauhenbichel.github.io/py-harness/investigations/the-fence/">'
        "https://yauhenbichel.github.io/py-harness/investigations/the-fence/</a>"
    ),
    "pyharness": (
        "py-harness contributors. (2026). <em>py-harness</em> (Version 0.1.0) [Computer software]."
    ),
}


@pytest.mark.parametrize("key", APA)
def test_references_read_as_apa_asks(real: Bibliography, key: str) -> None:
    """Authors, year, title, venue and link stand in APA's order, italics and punctuation."""
    assert apa(real.get(key)) == APA[key]
    assert apa_text(real.get(key)) == unescape(re.sub(r"<[^>]+>", "", APA[key]))


def test_an_accent_is_a_letter_in_the_reference(real: Bibliography, tmp_path: Path) -> None:
    """UTF-8 letters stay, and the LaTeX that is understood becomes letters."""
    assert "SWE-Protégé: Learning" in apa_text(real.get("kon2026sweprotege"))
    name, title = r"{Fr{\'e}chet, {\'E}mile-Jean and M{\"u}ller, A.B.}", r"{A \& B, 1--2 \$ <i>}"
    work = one(tmp_path, entry(author=name, title=title)).get("bad")
    assert apa_text(work).startswith(
        "Fréchet, É.-J., & Müller, A. B. (2024). A & B, 1\u20132 $ <i>."
    )
    assert "&lt;i&gt;" in apa(work)


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (1, "A1, X."),
        (2, "A1, X., & A2, X."),
        (20, "A19, X., & A20, X."),
        (21, "A19, X., . . . A21"),
    ],
)
def test_long_author_lists_are_cut_after_twenty(tmp_path: Path, count: int, shown: str) -> None:
    """Up to 20 authors are all named; of more, the first 19 and the last."""
    names = " and ".join(f"A{number}, X." for number in range(1, count + 1))
    text = apa_text(one(tmp_path, entry(author=f"{{{names}}}")).get("bad"))
    assert shown in text
    assert len(re.findall(r"A\d+, X\.", text)) == min(count, 20)


def test_an_article_has_volume_number_and_pages(tmp_path: Path) -> None:
    """Journal and volume are italic; number, pages and a DOI follow."""
    text = entry(
        journal="{Some Journal}", volume="{3}", number="{2}", pages="{10--19}",
        eprint="", archiveprefix="", doi="{10.1000/xyz}",
    ).replace("@misc", "@article")  # fmt: skip
    assert apa(one(tmp_path, text).get("bad")) == (
        "Doe, J. (2024). T. <em>Some Journal</em>, <em>3</em>(2), 10\u201319. "
        '<a href="https://doi.org/10.1000/xyz">https://doi.org/10.1000/xyz</a>'
    )


def test_a_copied_entry_has_standard_fields_in_a_fixed_order(real: Bibliography) -> None:
    """Strings are written out, braces kept, this site's own fields left out."""
    assert bibtex(real.get("wang2024codeact")) == (
        "@inproceedings{wang2024codeact,\n"
        "  author = {Wang, Xingyao and Chen, Yangyi and Yuan, Lifan and Zhang, Yizhe and Li, "
        "Yunzhu and Peng, Hao and Ji, Heng},\n"
        "  title = {Executable code actions elicit better {LLM} agents},\n"
        "  booktitle = {International Conference on Machine Learning},\n"
        "  year = {2024},\n"
        "  eprint = {2402.01030},\n"
        "  archiveprefix = {arXiv},\n"
        "}"
    )
    assert "  month = sep,\n" in bibtex(real.get("bichel2026fence"))


def test_the_downloadable_file_gives_the_same_references(
    real: Bibliography, tmp_path: Path
) -> None:
    """All entries in one file read back to the same keys and the same APA text."""
    path = tmp_path / "all.bib"
    path.write_text(all_bibtex(real), encoding="utf-8")
    assert [apa(work) for work in load([path])] == [apa(work) for work in real]
    assert load([path]).keys() == real.keys()


def test_citations_are_numbered_by_first_use_and_lead_both_ways(real: Bibliography) -> None:
    """A work keeps its number, each place has its own id, and the list leads back to each."""
    page = Citations(real, "../../")
    first = page.cite_html("yao2023react")
    assert first == '<a class="cite" href="#ref-yao2023react" id="cite-yao2023react-1">[1]</a>'
    assert page.cite_html("hu2022lora", "yao2023react") == (
        '<a class="cite" href="#ref-hu2022lora" id="cite-hu2022lora-1">[2]</a>'
        '<a class="cite" href="#ref-yao2023react" id="cite-yao2023react-2">[1]</a>'
    )
    listed = page.list_html()
    assert listed.startswith('<ol class="references">\n<li class="reference" id="ref-yao2023react')
    assert re.findall(r'id="ref-([^"]+)"', listed) == ["yao2023react", "hu2022lora"]
    assert re.findall(r'href="#cite-([^"]+)"', listed) == [
        "yao2023react-1", "yao2023react-2", "hu2022lora-1",
    ]  # fmt: skip
    assert apa(real.get("hu2022lora")) in listed


def test_each_reference_offers_its_bibtex(real: Bibliography) -> None:
    """The folded entry, the copy button and the download name the same entry."""
    page = Citations(real, "../../")
    page.cite("perry2023insecure")
    listed, entry_text = page.list_html(), bibtex(real.get("perry2023insecure"))
    shown = re.search(r'<pre><code class="bibtex">(.*?)</code></pre>', listed, re.DOTALL)
    copied = re.search(r'<button class="copy" type="button" data-copy="([^"]*)">', listed)
    assert shown is not None
    assert copied is not None
    assert unescape(shown[1]) == unescape(copied[1]) == entry_text
    assert 'href="../../bib/perry2023insecure.bib" download' in listed


def test_a_page_without_citations_has_no_list(real: Bibliography) -> None:
    """Nothing cited, nothing printed."""
    assert Citations(real, "").list_html() == ""


def test_an_unknown_citation_names_the_nearest_key(real: Bibliography) -> None:
    """A mistyped key is refused with the key that is most like it, and nothing is numbered."""
    page = Citations(real, "")
    with pytest.raises(UnknownCitation) as caught:
        page.cite_html("hu2022lora", "yao2023reactt")
    assert (caught.value.key, caught.value.nearest) == ("yao2023reactt", "yao2023react")
    message = "no work has the key 'yao2023reactt': did you mean 'yao2023react'?"
    assert str(caught.value) == message
    assert isinstance(caught.value, KeyError)
    assert page.list_html() == ""


def test_the_references_page_lists_every_work_under_its_group(real: Bibliography) -> None:
    """Groups come in the order of the file, and every work once, with what the source ran."""
    page = grouped_html(real, "../", lambda slug: PageLink(f"../experiments/{slug}/", slug))
    assert [unescape(name) for name in re.findall(r"<h2[^>]*>(.*?)</h2>", page)] == [
        "What the tool runs", "The helper", "Repair and oracles", "The field's ruler",
        "Small models", "Paper only", "This software",
    ]  # fmt: skip
    assert re.findall(r'id="ref-([^"]+)"', page) == list(real.keys())
    items = dict(re.findall(r'<li class="reference" id="ref-([^"]+)">(.*?)</li>', page, re.DOTALL))
    assert ">Run by the source project.<" in items["hu2022lora"]
    assert ">Not run by the source project.<" in items["yao2023react"]
    assert "by the source project." not in items["pyharness"]
    assert '<a href="../experiments/first-run-four/">first-run-four</a>' in items["yao2023react"]
    assert "Bears on" not in items["perry2023insecure"]


def test_an_experiment_without_a_page_is_not_linked(real: Bibliography) -> None:
    """Where the link function knows no page, nothing is printed for that experiment."""
    known = {"the-wall": PageLink("../experiments/the-wall/", "The wall")}
    page = grouped_html(real, "../", known.get)
    assert re.findall(r"Bears on: (.*?)</p>", page)
    assert set(re.findall(r"Bears on: (.*?)</p>", page)) == {
        '<a href="../experiments/the-wall/">The wall</a>.'
    }


def test_markdown_leaves_the_html_alone(real: Bibliography) -> None:
    """Citations and lists set into a Markdown page come out as they went in."""
    markdown = pytest.importorskip("markdown")
    page = Citations(real, "")
    cited, grouped = (
        page.cite_html("hu2022lora", "yao2023react"),
        grouped_html(real, "", lambda slug: PageLink(slug, slug)),
    )
    made = markdown.markdown(
        f"As shown {cited}, it works.\n\n{page.list_html()}\n\n{grouped}\n",
        extensions=["attr_list", "md_in_html", "tables", "toc"],
    )
    assert f"<p>As shown {cited}, it works.</p>" in made
    assert page.list_html() in made
    assert grouped in made
