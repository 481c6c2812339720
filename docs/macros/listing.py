"""Owns the lists that the site makes of itself: experiments, what was measured here, waivers.

Does not cover what stands in the record (`blocks`).
"""

from __future__ import annotations

from html import escape

from docs.macros.bib.apa import apa_text
from docs.macros.bib.references import PageLink, grouped_html
from docs.macros.markup import data_table
from docs.macros.numbers import number_html, number_markdown
from docs.macros.page import Fragment, MacroError, PageContext


def experiments(page: PageContext) -> Fragment:
    """The experiment pages by group: title, question, and how many figures each has."""
    html, lines = [], []
    for group, entries in page.site.groups().items():
        rows = []
        lines += [f"## {group}", ""]
        for entry in entries:
            href = f"{page.root}{entry.url}"
            counted = page.quote(f"count:experiment.{entry.slug}.figures")
            shown = number_html(counted, page.root, counted.text)
            link = f'<a href="{href}">{escape(entry.title)}</a>'
            rows.append([link, escape(entry.question), shown])
            number = number_markdown(counted, page.root, counted.text)
            lines.append(f"- [{entry.title}]({href}): {entry.question} ({number} figures)")
        table = data_table(group, ("experiment", "question", "figures"), rows)
        html.append(f"<h2>{escape(group)}</h2>{table}")
        lines.append("")
    return Fragment("".join(html), "\n".join(lines))


def measured_here(page: PageContext) -> Fragment:
    """Our own standing: the results measured here, or that there is none yet."""
    results = page.site.record.results
    if not results:
        text = "Nothing measured here yet."
        return Fragment(f'<p class="standing">{text}</p>', text)
    html, lines = [], []
    for result in results.values():
        for metric in result.results:
            quoted = page.quote(f"{result.result_id}:{metric.id}")
            html.append(
                f"<li><span data-generated>{escape(quoted.label)}</span>: "
                f"{number_html(quoted, page.root, quoted.text)}</li>"
            )
            lines.append(f"- {quoted.label}: {number_markdown(quoted, page.root, quoted.text)}")
    return Fragment(f"<ul>{''.join(html)}</ul>", "\n".join(lines))


def waivers(page: PageContext) -> Fragment:
    """Every number that stands on the site unbound, with the reason its page gives."""
    html, lines = [], []
    for src, entries in page.site.waivers.items():
        for entry in entries:
            text, reason = str(entry.get("text", "")), str(entry.get("reason", ""))
            html.append(f"<li>{escape(src)}: “{escape(text)}”, because {escape(reason)}</li>")
            lines.append(f"- {src}: “{text}”, because {reason}")
    if not html:
        return Fragment("<p>No number stands on this site by waiver.</p>", "None.")
    return Fragment(f"<ul data-generated>{''.join(html)}</ul>", "\n".join(lines))


def bibliography(page: PageContext) -> Fragment:
    """The whole bibliography: grouped, each work with its relation, links and BibTeX."""
    site = page.site
    homes = {
        slug: PageLink(f"{page.root}{url}", site.titles[slug]) for slug, url in site.homes.items()
    }
    try:
        html = grouped_html(site.bibliography, page.root, homes.get)
    except KeyError as error:
        raise MacroError(str(error)) from None
    works = "\n".join(f"- {apa_text(work)}" for work in site.bibliography.works)
    return Fragment(html, works)
