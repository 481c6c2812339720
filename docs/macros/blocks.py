"""Owns the blocks that list parts of the record: how it was made, contradictions, verdicts.

Does not cover single numbers and tables, the replay index or the data dictionary.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from docs.macros.numbers import claim, number_html, number_markdown
from docs.macros.page import Fragment, MacroError, PageContext
from docs.macros.quote import Quoted
from measure.record.comparison import Basis, ContradictedBasis, GapBasis, NoModelBasis
from measure.record.published import Source


def numbers_list(page: PageContext, ids: Iterable[str]) -> Fragment:
    """Figures with their labels, as a list."""
    quotes = [page.quote(i) for i in ids]
    items = "".join(
        f"<li><span data-generated>{escape(f'{q.context}: {q.label}')}</span>: "
        f"{number_html(q, page.root, q.text)}</li>"
        for q in quotes
    )
    lines = [f"- {q.context}: {q.label}: {number_markdown(q, page.root, q.text)}" for q in quotes]
    return Fragment(f"<ul>{items}</ul>", "\n".join(lines))


def _where(source: Source) -> str:
    if source.path is None:
        return escape(source.title or source.id)
    commit = f" at <code>{source.commit[:8]}</code>" if source.commit else ""
    return f"<code>{escape(f'{source.repository} {source.path}')}</code>{commit}"


def made(page: PageContext, experiment: str) -> Fragment:
    """How the numbers of an experiment came about: where they stand, who decided, what replays."""
    record = page.site.record
    file = record.published.get(experiment)
    if file is None:
        near = record.nearest(experiment, record.published)
        raise MacroError(f"no experiment {experiment!r}; did you mean {near!r}?")
    refs = dict.fromkeys(f.source.ref for f in file.figures.values())
    total, planned = (
        page.quote(f"count:experiment.{experiment}.{name}") for name in ("figures", "planned")
    )
    wheres = "".join(f"<li>{_where(record.sources[r])}</li>" for r in refs)
    link = f"{page.root}replay/{experiment}/"
    html = (
        '<div class="made"><p>The figures on this page were measured by the source project '
        "(Bichel, 2026) and not here. The record holds "
        f"{number_html(total, page.root, total.text)} of this experiment; for "
        f"{number_html(planned, page.root, planned.text)} of them a replay is planned. "
        f'<a href="{link}">Every replay entry</a> · '
        f'<a href="{page.root}{record.file_of(experiment)}">the record as JSON</a></p>'
        f"<p>Transcribed from:</p><ul data-generated>{wheres}</ul></div>"
    )
    sources = "; ".join(record.sources[r].title or str(record.sources[r].path) for r in refs)
    markdown = (
        f"Measured by the source project (Bichel, 2026), not here. {total.text} figures, "
        f"{planned.text} replays planned: [{link}]({link}). Transcribed from: {sources}."
    )
    return Fragment(html, markdown)


def contradictions(page: PageContext) -> Fragment:
    """Every contradiction of the source, bound to its figures, with what arithmetic can settle."""
    html, lines = [], []
    for entry in page.site.record.contradictions.values():
        listed = numbers_list(page, entry.figures)
        state = "settled by arithmetic" if entry.settled else "open"
        badge = f'<span class="badge badge--{state.partition(" ")[0]}">{state}</span>'
        html.append(
            f'<section class="contradiction" id="{entry.id}"><h2>{entry.id} {badge}</h2>'
            f"<p data-generated>{escape(entry.statement)}</p>{listed.html}"
            f"<p data-generated><b>What arithmetic shows.</b> {escape(entry.what_arithmetic_shows)}"
            "</p></section>"
        )
        shows = entry.what_arithmetic_shows
        lines += [
            f"## {entry.id} ({state})",
            "",
            entry.statement,
            "",
            listed.markdown,
            "",
            shows,
            "",
        ]
    return Fragment("".join(html), "\n".join(lines))


def _rule(page: PageContext, basis: Basis) -> tuple[str, str]:
    """What a verdict rests on, as HTML and as Markdown."""
    if isinstance(basis, GapBasis):
        floor = page.quote(basis.floor)
        words = f"Rule: gap; noise by the source's rule: {escape(floor.label)}, "
        number = number_html(floor, page.root, floor.forms["unit"])
        return words + number, words + number_markdown(floor, page.root, floor.forms["unit"])
    if isinstance(basis, NoModelBasis):
        return ("Rule: no model took part",) * 2
    if isinstance(basis, ContradictedBasis):
        href = f"{page.root}contradictions/#{basis.contradiction}"
        name = basis.contradiction
        return f'Rule: contradicted, <a href="{href}">{name}</a>', f"Rule: [{name}]({href})"
    return (f"Rule: unpublished; missing: {escape(basis.missing)}",) * 2


def _told_on(page: PageContext, claim_id: str) -> str:
    """Links to the pages that print a claim."""
    homes = page.site.claim_homes.get(claim_id, [])
    links = [f'<a href="{page.root}{url}">{escape(title)}</a>' for url, title in homes]
    return f" Told on: {', '.join(links)}." if links else ""


def comparisons(page: PageContext) -> Fragment:
    """Every comparative statement that pages repeat, with its verdict and what it rests on."""
    html, lines = [], []
    for entry in page.site.record.comparisons.values():
        told, rule = claim(page, entry.id), _rule(page, entry.basis)
        reason = entry.reason[0].upper() + entry.reason[1:]
        html.append(
            f'<section class="comparison" id="{entry.id}"><h3><code>{entry.id}</code></h3>'
            f"<p>{told.html}</p><p data-generated>{escape(reason)}. {rule[0]}."
            f"{_told_on(page, entry.id)}</p></section>"
        )
        lines += [f"### {entry.id}", "", told.markdown, "", f"{reason}. {rule[1]}.", ""]
    return Fragment("".join(html), "\n".join(lines))


def sources(page: PageContext) -> Fragment:
    """Every place that figures were transcribed from, with commit and licence as stated."""
    items, lines = [], []
    for source in page.site.record.sources.values():
        licence = source.licence or "no licence stated"
        items.append(f'<li id="{source.id}">{_where(source)}, {escape(licence)}</li>')
        lines.append(f"- {source.title or source.path}, {licence}")
    return Fragment(f"<ul data-generated>{''.join(items)}</ul>", "\n".join(lines))


def stat_cards(page: PageContext, *cards: tuple[str, str] | tuple[str, str, str]) -> Fragment:
    """Cards of (figure id, words) or (figure id, words, form)."""
    html, lines = [], []
    for card in cards:
        quoted: Quoted = page.quote(card[0])
        form = card[2] if len(card) > 2 else ""
        if form not in quoted.forms:
            raise MacroError(f"{quoted.id!r} has no form {form!r}")
        text = quoted.forms[form]
        html.append(
            f'<div class="stat-card"><b>{number_html(quoted, page.root, text)}</b>'
            f"<span>{escape(card[1])}</span></div>"
        )
        lines.append(f"- {number_markdown(quoted, page.root, text)}: {card[1]}")
    return Fragment(f'<div class="stat-cards">{"".join(html)}</div>', "\n".join(lines))
