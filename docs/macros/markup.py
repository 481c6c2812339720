"""Owns the pieces of HTML that several macros print; does not cover what stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def data_table(
    label: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str = "",
    src: str = "",
    anchor: str = "",
    foot: str = "",
) -> str:
    """A table in a region that scrolls by itself, so that the page never scrolls sideways.

    `head` is text; `rows` are HTML cells, the first of each its heading; `src` names the table's
    place in the record.
    """
    heading = "".join(f'<th scope="col">{escape(h)}</th>' for h in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{c}</td>" for c in row[1:])}</tr>'
        for row in rows
    )
    ident = f' id="{anchor}"' if anchor else ""
    source = f' data-src="{src}"' if src else ""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    region = f'tabindex="0" role="region" aria-label="{escape(label)}"'
    return (
        f'<div class="record-table"{ident}><div class="record-table__scroll" {region}>'
        f"<table{source}>{title}<thead><tr>{heading}</tr></thead><tbody>{body}</tbody></table></div>"
        f"{foot}</div>"
    )


def copyable(command: str, what: str = "command") -> str:
    """A command in a box with a copy button."""
    text = escape(command)
    return (
        f'<code class="command">{text}</code> '
        f'<button class="copy" type="button" data-copy="{text}">Copy {what}</button>'
    )
