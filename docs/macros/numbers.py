"""Owns the number, the claim and the citation in a page; does not cover tables or charts."""

from __future__ import annotations

import re
from html import escape

from docs.macros.page import Fragment, MacroError, PageContext
from docs.macros.quote import Quoted
from measure.record.comparison import MeasuredComparison, PublishedVerdict
from measure.record.result import ResultFile
from measure.record.verdicts import PLACEHOLDER

VERDICTS: dict[PublishedVerdict, str] = {
    "as-stated": "as stated by the source",
    "inside-noise": "inside the source's own noise",
    "cannot-be-settled": "cannot be settled from what was published",
}


def number_html(quoted: Quoted, root: str, text: str) -> str:
    """The number as a link to its replay entry around a `<data>` that names its source."""
    marks = " num--unsafe" if quoted.unsafe else ""
    if quoted.words:
        marks += " num--text"
    return (
        f'<a class="num-link" href="{root}{quoted.anchor}">'
        f'<data class="num num--{quoted.kind}{marks}" value="{escape(quoted.machine_value)}" '
        f'data-id="{quoted.id}" data-src="{quoted.src}" data-kind="{quoted.kind}">'
        f"{escape(text, quote=False)}</data></a>"
    )


def number_markdown(quoted: Quoted, root: str, text: str) -> str:
    """The number as a Markdown link to its replay entry."""
    return f"[{text}]({root}{quoted.anchor})"


def shown(quoted: Quoted, form: str) -> str:
    """The text of a form; MacroError naming the forms that the value has."""
    if form not in quoted.forms:
        names = ", ".join(repr(f) for f in quoted.forms if f)
        raise MacroError(
            f"{quoted.id!r} has no form {form!r}; it has {names or 'only the default'}"
        )
    return quoted.forms[form]


def num(page: PageContext, figure_id: str, form: str = "") -> Fragment:
    """A number of the record: `num("wall.llama3.1-8b.worked")`, `num(..., "of")`."""
    quoted = page.quote(figure_id)
    text = shown(quoted, form)
    return Fragment(number_html(quoted, page.root, text), number_markdown(quoted, page.root, text))


def cite(page: PageContext, *keys: str) -> Fragment:
    """Numbered citation of one work or several."""
    if not keys:
        raise MacroError("cite() names no work")
    try:
        found = page.citations.cite_html(*keys)
    except KeyError as error:
        raise MacroError(str(error)) from None
    return Fragment(found, re.sub(r"<[^>]+>", "", found))


def references(page: PageContext) -> Fragment:
    """The works that this page cites so far, in order, each with links back."""
    found = page.citations.list_html()
    return Fragment(found, re.sub(r"<[^>]+>", "", found))


def claim(page: PageContext, claim_id: str) -> Fragment:
    """A comparative statement with the verdict that its figures allow.

    The statement's words, numbers and verdict come from the record; a page cannot change them.
    """
    entry = page.site.record.comparisons.get(claim_id)
    if entry is None:
        return _measured(page, claim_id)
    html_parts, markdown_parts = _statement(page, entry.statement)
    chip = VERDICTS[entry.verdict]
    href = f"{page.root}comparisons/#{entry.id}"
    return _claim_fragment(entry.id, entry.verdict, html_parts, markdown_parts, href, chip)


def _claim_fragment(
    claim_id: str, verdict: str, as_html: str, as_markdown: str, href: str, chip: str = ""
) -> Fragment:
    chip = chip or verdict
    return Fragment(
        f'<span class="claim claim--{verdict}" data-claim="{claim_id}">{as_html} '
        f'<a class="claim__verdict" href="{href}">{chip}</a></span>',
        f"{as_markdown} ([{chip}]({href}))",
    )


def _statement(page: PageContext, statement: str) -> tuple[str, str]:
    """A statement as HTML and as Markdown, its figures bound."""
    as_html, as_markdown, at = "", "", 0
    for match in PLACEHOLDER.finditer(statement):
        quoted = page.quote(match[1])
        between = statement[at : match.start()]
        as_html += escape(between, quote=False) + number_html(quoted, page.root, quoted.text)
        as_markdown += between + number_markdown(quoted, page.root, quoted.text)
        at = match.end()
    return as_html + escape(statement[at:], quote=False), as_markdown + statement[at:]


def _measured(page: PageContext, claim_id: str) -> Fragment:
    result_id, _, comparison_id = claim_id.partition(":")
    result = page.site.record.results.get(result_id)
    for entry in result.comparisons if result else []:
        if result is not None and entry.id == comparison_id:
            text = measured_sentence(result, entry)
            href = f"{page.root}replay/{result.experiment.id}/#{result_id}"
            return _claim_fragment(claim_id, entry.verdict, escape(text), text, href)
    near = page.site.record.nearest(claim_id, page.site.record.comparisons)
    raise MacroError(f"no claim {claim_id!r}" + (f"; did you mean {near!r}?" if near else ""))


def measured_sentence(result: ResultFile, entry: MeasuredComparison) -> str:
    """The sentence that the verdict of a measured comparison allows, verb included."""
    names = {arm.id: arm.description for arm in result.arms}
    gap = f"{100 * abs(entry.estimate):.0f} points"
    low, high = 100 * entry.interval.lower, 100 * entry.interval.upper
    spread = f"{low:.0f} to {high:.0f} points, {entry.test.name} p = {entry.test.adjusted:.3g}"
    if entry.verdict == "supported":
        verb = "raises" if entry.estimate > 0 else "lowers"
        return f"{names[entry.a]} {verb} the share by {gap} against {names[entry.b]} ({spread})."
    if entry.verdict == "no-difference":
        return f"{names[entry.a]} and {names[entry.b]} do not differ within the margin ({spread})."
    found = f"{100 * entry.minimum_detectable_effect:.0f} points"
    return (
        f"{names[entry.a]} and {names[entry.b]} cannot be told apart: a gap of {gap} ({spread}), "
        f"where this sample finds {found} or more."
    )
