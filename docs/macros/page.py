"""Owns what is known while one page is expanded: its numbers, fragments, citations and faults.

Does not cover what a macro prints (`numbers`, `tables`, ...) nor mkdocs (`hook`).
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from docs.macros.bib.references import Citations
from docs.macros.quote import Quoted

if TYPE_CHECKING:
    from docs.macros.site import Site

# Private-use characters: Markdown, Jinja and HTML leave them alone, so a fragment passes through
# the Markdown parser as one opaque word and costs it nothing.
_OPEN, _CLOSE = "\ue000", "\ue001"
_TOKEN = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_ALONE = re.compile(f"<p>{_OPEN}(\\d+){_CLOSE}</p>")
_ID = re.compile(r' id="([^"]+)"')
_BLOCK = re.compile(r"<(?:div|figure|section|ul|ol|p|h\d|table)\b")


class MacroError(Exception):
    """A macro that cannot be expanded: the reason, and what to do about it."""


@dataclass(frozen=True)
class Fragment:
    """What a macro prints: as HTML, and as Markdown for the page's Markdown twin."""

    html: str
    markdown: str


@dataclass(frozen=True)
class Fault:
    """A macro that failed, with the page's file and line (1-based)."""

    page: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.message}"


@dataclass
class PageContext:
    """One page on its way from source to HTML.

    `src` is the file relative to docs/, `url` its address relative to the site's root, `root` the
    relative way back to that root ('' or '../../').
    """

    site: Site
    src: str
    url: str
    meta: dict[str, Any] = field(default_factory=dict)
    numbers: dict[str, Quoted] = field(default_factory=dict)
    fragments: list[Fragment] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    tokens: str = ""
    line: int = 1
    citations: Citations = field(init=False)

    def __post_init__(self) -> None:
        self.citations = Citations(self.site.bibliography, self.root)

    @property
    def root(self) -> str:
        """The relative way to the site's root."""
        return "../" * self.url.count("/")

    def quote(self, figure_id: str) -> Quoted:
        """A number by id, noted as used on this page; MacroError naming the nearest id."""
        quoted = self.site.quote(figure_id)
        self.numbers[quoted.id] = quoted
        return quoted

    def hold(self, fragment: Fragment) -> str:
        """Keep a fragment and return the word that stands for it until the page is HTML."""
        self.fragments.append(fragment)
        return f"{_OPEN}{len(self.fragments) - 1}{_CLOSE}"

    def fail(self, message: str, line: int | None = None) -> str:
        """Note a fault and return the box that the preview shows in its place."""
        fault = Fault(f"docs/{self.src}", line or self.line, message)
        self.faults.append(fault)
        self.site.faults.append(fault)
        return self.hold(error_box(str(fault)))

    def to_html(self, text: str) -> str:
        """HTML with each fragment in its place."""
        text = _ALONE.sub(self._alone, text)
        return _TOKEN.sub(lambda m: self.fragments[int(m[1])].html, text)

    def _alone(self, found: re.Match[str]) -> str:
        """A fragment that fills a paragraph: a block takes the paragraph's place."""
        html = self.fragments[int(found[1])].html
        return html if _BLOCK.match(html) else f"<p>{html}</p>"

    def anchors(self) -> set[str]:
        """Every id that the page's fragments offer to links."""
        return {name for fragment in self.fragments for name in _ID.findall(fragment.html)}

    def to_markdown(self) -> str:
        """The page's Markdown as rendered: numbers as text with their replay link."""
        return _TOKEN.sub(lambda m: self.fragments[int(m[1])].markdown, self.tokens)


def error_box(message: str) -> Fragment:
    """A fault as the preview shows it."""
    return Fragment(
        f'<div class="macro-error" role="alert">{html.escape(message)}</div>', f"**{message}**"
    )
