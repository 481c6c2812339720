"""What macros print: bound numbers, one-line faults with the nearest name, both ways equal."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from docs.macros import expand, registry
from docs.macros.check import source_pages
from docs.macros.page import PageContext
from docs.macros.present import NBSP
from docs.macros.site import Site
from docs.macros.verify import RecordVerifier

ROOT = Path(__file__).resolve().parents[1]
WALL = "wall.llama3.1-8b.worked"


def rendered(page: PageContext, text: str) -> str:
    """HTML of a page's text, without the Markdown in between."""
    return page.to_html(expand.expand(text, page, registry.caller(page)))


def test_a_number_is_a_data_element_inside_a_link_to_its_replay(page: PageContext) -> None:
    """Without JavaScript a number leads to its replay entry, and a program can read its source."""
    assert rendered(page, f'[[ num("{WALL}") ]]') == (
        f'<a class="num-link" href="../../replay/the-wall/#{WALL}">'
        f'<data class="num num--transcribed" value="0.4" data-id="{WALL}" '
        f'data-src="data/published/the-wall.json#/figures/{WALL}" data-kind="transcribed">'
        f"8{NBSP}/{NBSP}20</data></a>"
    )


@pytest.mark.parametrize(
    ("form", "text"),
    [("of", "8 of 20"), ("percent", "40%"), ("successes", "8"), ("n", "20")],
)
def test_a_count_has_forms(page: PageContext, form: str, text: str) -> None:
    """A page picks how a value is written, never what it is."""
    assert f">{text}</data>" in rendered(page, f'[[ num("{WALL}", "{form}") ]]')


def test_an_unsafe_number_carries_its_badge(page: PageContext) -> None:
    """A model number from before the source's repair is marked in the HTML."""
    assert "num--unsafe" in rendered(page, '[[ num("rep.5-september.worked") ]]')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[ num("wall.llama3.1-8b.work") ]]', f"did you mean {WALL!r}?"),
        ('[[ nun("x") ]]', "no macro 'nun'; did you mean 'num'?"),
        (f'[[ num("{WALL}", "furlongs") ]]', "has no form 'furlongs'"),
        ('[[ table("t-wal") ]]', "did you mean 't-wall'?"),
        ('[[ claim("no-such-claim") ]]', "no claim 'no-such-claim'"),
        ('[[ cite("yao2023reakt") ]]', "yao2023react"),
        ('[[ made("the-wal") ]]', "did you mean 'the-wall'?"),
        ("[[ num() ]]", "num: num() missing 1 required positional argument"),
        ('[[ chart("tierz") ]]', "tiers"),
        ('# Heading [[ num("wall.llama3.1-8b.worked") ]]', "stands in a heading"),
        ('<data data-id="x">9 / 9</data>', "typed by hand"),
    ],
)
def test_a_fault_names_page_line_and_the_nearest_name(
    page: PageContext, text: str, message: str
) -> None:
    """A mistake in a page becomes one line with file, line and what exists instead."""
    html = rendered(page, f"first line\n\n{text}")
    assert [f.line for f in page.faults] == [3]
    assert str(page.faults[0]).startswith("docs/experiments/try.md:3: ")
    assert message in str(page.faults[0])
    if "Heading" not in text and "<data" not in text:
        assert 'class="macro-error" role="alert"' in html


def test_code_may_show_what_prose_may_not(page: PageContext) -> None:
    """A page that explains the contract can show it as code."""
    rendered(page, '`<data data-id="x">`\n\n```html\n<data data-id="x">\n```\n')
    assert page.faults == []


def test_the_markdown_twin_holds_the_rendered_number(page: PageContext) -> None:
    """The twin shows text and link, neither macro nor HTML."""
    page.tokens = expand.expand(f'a [[ num("{WALL}") ]] b', page, registry.caller(page))
    link = f"../../replay/the-wall/#{WALL}"
    assert page.to_markdown() == f"a [8{NBSP}/{NBSP}20]({link}) b"


def test_the_quick_way_equals_the_template(site: Site) -> None:
    """Every page of the site comes out the same through Jinja as through the quick way."""
    environment = jinja2.Environment(
        variable_start_string="[[", variable_end_string="]]", block_start_string="[%",
        block_end_string="%]", comment_start_string="[#", comment_end_string="#]",
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True,
    )  # fmt: skip
    sources = source_pages(ROOT)
    site.open()
    site.scan(sources)
    for source in sources:
        assert expand.is_simple(source.text), source.src
        quick, slow = (PageContext(site, source.src, source.url) for _ in range(2))
        found = quick.to_html(expand.expand(source.text, quick, registry.caller(quick)))

        def bind(name: str, page: PageContext = slow) -> object:
            return lambda *a, **k: registry.call(page, name, a, tuple(k.items()))

        names = {name: bind(name) for name in registry.MACROS}
        template = environment.from_string(source.text).render(names)
        assert slow.to_html(template) == found, source.src


def test_a_statement_sends_the_page_to_the_template() -> None:
    """Loops and expressions are mkdocs-macros' work; plain calls are not."""
    assert expand.is_simple('[[ num("a") ]] {#id} $${{a}}$$ {{ b }}')
    assert not expand.is_simple("[% for x in y %][[ num(x) ]][% endfor %]")
    assert not expand.is_simple('[[ num("a") ~ num("b") ]]')


def test_the_verifier_knows_a_typed_over_number(site: Site) -> None:
    """What a page shows is held against the record, place included."""
    verify = RecordVerifier(site)
    src = f"data/published/the-wall.json#/figures/{WALL}"
    assert verify.number_ok(WALL, src, f"8{NBSP}/{NBSP}20") == ""
    assert "shows '9 / 20'" in verify.number_ok(WALL, src, "9 / 20")
    assert "stands in" in verify.number_ok(WALL, "data/published/other.json#/x", "8 / 20")
    marks = ["num", "num--transcribed"]
    assert verify.marks_ok(WALL, "0.4", marks) == ""
    assert "has the value '0.9'" in verify.marks_ok(WALL, "0.9", marks)
    assert "not marked as transcribed" in verify.marks_ok(WALL, "0.4", ["num", "num--measured"])
    assert "badge" in verify.marks_ok(WALL, "0.4", [*marks, "num--unsafe"])
    assert "no figure" in verify.number_ok("wall.nobody", src, "8 / 20")
