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
            ("Work cited", quoted.cites),
            ("Source", quoted.source),
        )
        if text
    ]
    return [*rows, *_replay(quoted), ("Record", _record_link(quoted, root))]


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


def replay_entries(page: PageContext, experiment: str) -> Fragment:
    """Every entry of one experiment: its tables' figures under their table, then the rest."""
    record = page.site.record
    file = record.published.get(experiment)
    results = [r for r in record.results.values() if r.experiment.id == experiment]
    if file is None and not results and experiment != "counts":
        raise MacroError(f"no experiment {experiment!r} in the record")
    groups: dict[str, list[Quoted]] = {}
    for result in results:
        ids = [f"{result.result_id}:{m.id}" for m in result.results]
        groups[f'<h2 id="{result.result_id}">Measured here: {result.result_id}</h2>'] = [
            page.quote(i) for i in ids
        ]
    for figure in file.figures.values() if file else []:
        home = record.tables[figure.table] if figure.table else None
        title = f'<h2 id="{home.id}">{escape(home.title)}</h2>' if home else "<h2>In words</h2>"
        groups.setdefault(title, []).append(page.quote(figure.id))
    if experiment == "counts":
        groups["<h2>Counted over the record</h2>"] = [
            page.quote(f"count:{name}") for name in page.site.counts
        ]
    moved = _moved(page, experiment)
    html = "".join(
        f"{title}{''.join(entry(q, page.root) for q in quotes)}" for title, quotes in groups.items()
    )
    lines = [_line(q, page.root) for quotes in groups.values() for q in quotes]
    return Fragment(f"<div data-generated>{html}{moved}</div>", "\n".join(lines))


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
