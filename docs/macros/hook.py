"""Owns mkdocs' events, a thin adapter: what happens when is here, what it does is elsewhere.

Does not cover the names that pages use (`registry`) nor mkdocs-macros (`adapter`).
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import meta as front_matter

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from docs.macros import expand, registry, state, template, twins  # noqa: E402
from docs.macros.chart import charts  # noqa: E402
from docs.macros.page import PageContext, error_box  # noqa: E402
from docs.macros.site import SourcePage  # noqa: E402
from harness.errors import HarnessError  # noqa: E402

log = logging.getLogger("mkdocs.macros.record")
EXPERIMENTS = "experiments/*"
_mode = "build"


def on_startup(*, command: str, dirty: bool) -> None:
    """Remember whether a fault stops the build or is shown in the page."""
    global _mode
    _mode = command


@event_priority(100)
def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Read the record; add the replay pages, the charts and the data; fill the menu."""
    site = state.site(ROOT)
    try:
        site.open()
    except HarnessError as error:
        _problem(str(error))
        return files
    measured = [result.experiment.id for result in site.record.results.values()]
    for slug in dict.fromkeys([*site.record.published, *measured, "counts"]):
        _replay_page(files, config, slug)
    pages = [_source_page(f) for f in files.documentation_pages()]
    site.scan(pages)
    for path, text in (twins.record_files(site) | charts.files(site)).items():
        if path not in files.src_uris:
            files.append(File.generated(config, path, content=text))
    _fill_menu(config)
    return files


def _problem(message: str) -> None:
    site = state.site(ROOT)
    site.problem = message
    if _mode != "serve":
        raise Abort(message)
    log.error(message)
    if not site.is_open():
        raise Abort(message)


def _replay_page(files: Files, config: MkDocsConfig, slug: str) -> None:
    path = f"replay/{slug}.md"
    head = f"---\nexperiment: {slug}\nsearch:\n  exclude: true\n---\n"
    text = f'{head}\n[[ replay_entries("{slug}") ]]\n'
    if path not in files.src_uris:
        files.append(File.generated(config, path, content=text))


def _source_page(file: File) -> SourcePage:
    text = file.content_string
    _, meta = front_matter.get_data(text) if text.startswith("---") else ("", {})
    return SourcePage(file.src_uri, "" if file.url == "./" else file.url, meta, text)


def _fill_menu(config: MkDocsConfig) -> None:
    """Replace the entry `experiments/*` of the menu by the experiment pages, by group."""
    site = state.site(ROOT)
    groups = [
        {group: [{entry.title: f"experiments/{entry.slug}.md"} for entry in entries]}
        for group, entries in site.groups().items()
    ]

    def fill(items: list[Any]) -> list[Any]:
        out: list[Any] = []
        for item in items:
            if item == EXPERIMENTS:
                out += groups
            elif isinstance(item, dict):
                out.append({k: fill(v) if isinstance(v, list) else v for k, v in item.items()})
            else:
                out.append(item)
        return out

    template = config.extra.setdefault("menu", config.nav)
    config.nav = fill(template) if template else None


@event_priority(100)
def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Expand the page the quick way, or in mkdocs-macros' environment if it has statements."""
    site = state.site(ROOT)
    url = "" if page.url == "./" else page.url
    context = PageContext(site, page.file.src_uri, url, dict(page.meta))
    if context.src.startswith("replay/") and "title" not in page.meta and "experiment" in page.meta:
        title = site.titles.get(page.meta["experiment"], page.meta["experiment"])
        context.meta["title"] = page.meta["title"] = f"Replay: {title}"
    site.pages[context.src] = site.current = context
    source = page.file.content_string if expand.has_macros(markdown) else markdown
    first_line = source[: source.find(markdown.lstrip())].count("\n") + 1
    if expand.is_simple(markdown):
        call = registry.caller(context)
        context.tokens = expand.expand(markdown, context, call, first_line)
    else:
        expand.refuse(markdown, context, first_line)
        macros: Any = config.plugins["macros"]
        variables = dict(macros.variables) | dict(page.meta)
        context.tokens = template.render(macros.env, variables, markdown, context, first_line)
    return context.tokens


@event_priority(-100)
def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put each fragment in its place; show a broken record on top of every page."""
    site = state.site(ROOT)
    context = site.pages[page.file.src_uri]
    # mkdocs knows the anchors that Markdown made; these are the ones that macros made.
    page.present_anchor_ids = (page.present_anchor_ids or set()) | context.anchors()
    box = error_box(site.problem).html if site.problem else ""
    return box + context.to_html(html)


def on_env(env: Any, *, config: MkDocsConfig, files: Files) -> Any:
    """Before anything is written: a build with a fault stops here, one line a fault."""
    faults = state.site(ROOT).faults
    for fault in faults:
        log.error(str(fault))
    if faults and _mode != "serve":
        raise Abort(f"{len(faults)} fault(s) in pages; nothing was written")
    return env


def on_post_build(*, config: MkDocsConfig) -> None:
    """Write the twins of every page and llms.txt into the built site."""
    site = state.site(ROOT)
    out = twins.page_files(site.pages.values())
    out["llms.txt"] = twins.llms_txt(site, config.site_name, config.site_description or "")
    for path, text in out.items():
        target = Path(config.site_dir) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
