"""Owns the replay index: a page for each experiment, an entry with a stable anchor per figure.

Does not cover the commands themselves (`measure`).
"""

from __future__ import annotations

from html import escape

from docs.macros.markup import copyable, data_table
from docs.macros.numbers import number_html, number_markdown
from docs.macros.page import Fragment, MacroError, PageContext
from docs.macros.quote import DECIDED_NOTES, KIND_NOTES, UNSAFE_NOTE, Quoted


def facts(quoted: Quoted, root: str) -> list[tuple[str, str]]:
    """What an entry says of a number, as (term, HTML), in the order of the card."""
    value = number_html(quoted, root, quoted.text)
    rows = [("Value", value)]
    if quoted.n is not None:
        rows.append(("n", escape(f"{quoted.n:,}")))
    rows += [
        (term, escape(text))
        for term, text in (
            ("Interval", quoted.interval),
            ("Kind", f"{quoted.kind}: {KIND_NOTES[quoted.kind]}"),
            ("Decided by", f"{quoted.decided_by}: {DECIDED_NOTES[quoted.decided_by]}"),
            ("Model", quoted.model),
            ("Machine", quoted.machine),
            ("Date", quoted.date),
            ("Repeats", str(quoted.repeats) if quoted.repeats else None),
            ("Steps", str(quoted.steps) if quoted.steps else None),
            ("Caution", UNSAFE_NOTE if quoted.unsafe else None),
            ("Caveat", quoted.caveat),
            ("Source", quoted.source),
        )
        if text
    ]
    if quoted.cites:
        rows.append(("Work cited", _work(quoted, root)))
    return [*rows, *_replay(quoted), ("Record", _record_link(quoted, root))]


def _work(quoted: Quoted, root: str) -> str:
    """The work that an external figure belongs to, as a link where the bibliography has it."""
    words = escape(quoted.cites or "")
    return f'<a href="{root}{quoted.cites_href}">{words}</a>' if quoted.cites_href else words


def _record_link(quoted: Quoted, root: str) -> str:
    file, _, where = quoted.src.partition("#")
    return f'<a href="{root}{file}">{file}</a> <code>{escape(where)}</code>'


def _replay(quoted: Quoted) -> list[tuple[str, str]]:
    replay = quoted.replay
    command = f" {copyable(replay.command)}" if replay.command else ""
    rows = [("Replay", f"{escape(replay.note)}{command}")]
    if replay.source_command:
        rows.append(("The source's own command", copyable(replay.source_command)))
    return rows


def entry(quoted: Quoted, root: str) -> str:
    """One entry of the index."""
    rows = "".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in facts(quoted, root))
    title = escape(quoted.label)
    return (
        f'<section class="replay-entry" id="{quoted.id}"><h3>{title}</h3><dl>{rows}</dl></section>'
    )


def _line(quoted: Quoted, root: str) -> str:
    how = quoted.replay.command or quoted.replay.note
    return f"- {quoted.label}: {number_markdown(quoted, root, quoted.text)}. {how}"


def _groups(page: PageContext, experiment: str) -> dict[str, list[str]]:
    """Heading to the ids beneath it: results measured here, each table, what stands in words."""
    record = page.site.record
    out: dict[str, list[str]] = {}
    for result in record.results.values():
        if result.experiment.id == experiment:
            heading = f'<h2 id="{result.result_id}">Measured here: {result.result_id}</h2>'
            out[heading] = [f"{result.result_id}:{metric.id}" for metric in result.results]
    file = record.published.get(experiment)
    for figure in file.figures.values() if file else []:
        table = record.tables[figure.table] if figure.table else None
        heading = (
            f'<h2 id="{table.id}">{escape(table.title)}</h2>' if table else "<h2>In words</h2>"
        )
        out.setdefault(heading, []).append(figure.id)
    if experiment == "counts":
        out["<h2>Counted over the record</h2>"] = [f"count:{name}" for name in page.site.counts]
    return out


def replay_entries(page: PageContext, experiment: str) -> Fragment:
    """Every entry of one experiment: what was measured here, its tables' figures, then the rest."""
    groups = _groups(page, experiment)
    if not groups:
        raise MacroError(f"no experiment {experiment!r} in the record")
    html, lines = [_home(page, experiment)], []
    for heading, ids in groups.items():
        quotes = [page.quote(name) for name in ids]
        html += [heading, *(entry(quoted, page.root) for quoted in quotes)]
        lines += [_line(quoted, page.root) for quoted in quotes]
    html.append(_moved(page, experiment))
    return Fragment(f"<div data-generated>{''.join(html)}</div>", "\n".join(lines))


def _home(page: PageContext, experiment: str) -> str:
    """Ways back: to the page that tells of the experiment, and to the index."""
    index = f'<a href="{page.root}replay/">Replay index</a>'
    url = page.site.homes.get(experiment)
    if url is None:
        return f"<p>{index}</p>"
    title = escape(page.site.titles[experiment])
    return f'<p>{index} · told on <a href="{page.root}{url}">{title}</a></p>'


def _moved(page: PageContext, experiment: str) -> str:
    """Stubs for ids that were renamed, so that an old anchor still leads on."""
    record = page.site.record
    out = []
    for old, new in record.moved.items():
        if record.experiment_of[new] == experiment:
            href = page.quote(new).anchor
            out.append(
                f'<section class="replay-entry" id="{old}"><h3>{old}</h3>'
                f'<p>This id is now <a href="{page.root}{href}">{new}</a>.</p></section>'
            )
    return "".join(out)


def replay_overview(page: PageContext) -> Fragment:
    """A table of all experiments: how many figures each has, how many replays are planned."""
    rows, lines = [], []
    for slug in page.site.record.published:
        title = page.site.titles.get(slug, slug)
        cells = [page.quote(f"count:experiment.{slug}.{x}") for x in ("figures", "planned")]
        href = f"{page.root}replay/{slug}/"
        link = f'<a href="{href}">{escape(title)}</a>'
        rows.append([link, *(number_html(q, page.root, q.text) for q in cells)])
        lines.append(f"- [{title}]({href}): {cells[0].text} figures, {cells[1].text} planned")
    head = ("experiment", "figures", "replays planned")
    html = data_table("Replay index by experiment", head, rows)
    return Fragment(html, "\n".join(lines))
