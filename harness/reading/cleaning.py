"""Owns what is taken off a reply before it is read, and the replies that are beyond reading.

Does not cover the forms of a reply (`reply`, `blocks`).
"""

from __future__ import annotations

import re

from harness.types import Fault

_THINK = r"think(?:ing)?|thought|reasoning|reflection|scratchpad"
_CLOSED = re.compile(rf"<({_THINK})>.*?</\1>[ \t]*\n?", re.DOTALL | re.IGNORECASE)
_ONLY_CLOSE = re.compile(rf"^[^`'\"\n]*</(?:{_THINK})>[ \t]*$", re.MULTILINE | re.IGNORECASE)
_ONLY_OPEN = re.compile(rf"^\s*<(?:{_THINK})>", re.IGNORECASE)
_TOKENS = re.compile(
    r"<\|(?:im_end|im_start|endoftext|eot_id|end_of_text|end|eom_id|start_header_id)\|>"
    r"|<｜[^｜\n]{1,30}｜>|</s>\s*\Z|<end_of_turn>"
)
_COMMENT = re.compile(r"^\s*(?:#+|//|--|<!--|/\*|\*)\s*(?P<words>.*?)\s*(?:-->|\*/)?\s*$")
_NOUN = (
    r"(?:code|file|functions?|methods?|class(?:es)?|module|tests?|imports?|lines?|contents?"
    r"|implementation|definitions?|body|script|program)"
)
_STAYS = (
    r"(?:remains?|stays?|is|are|left|kept|unchanged|the same|same|as (?:before|is|it is|they are)"
    r"|here|goes|go|not shown|omitted|below|above|continues?)"
)
_REST = re.compile(
    rf"^(?:the |all )?(?:rest|remainder|remaining)\b(?: of)?(?: (?:the|your|this|that|existing"
    rf"|original|other))*(?: [\w`./]+)??(?P<noun> {_NOUN})*(?P<stays>[,:]? {_STAYS})*$",
    re.IGNORECASE,
)
_OTHER = re.compile(
    rf"^(?:the |all |your |my )*(?:other|existing|previous|original|same|unchanged)"
    rf"(?: [\w`.()]+)? {_NOUN}(?:[,:]? {_STAYS})*$",
    re.IGNORECASE,
)
_FLAT = re.compile(
    rf"^(?:unchanged|same as (?:before|above)|omitted|omitted for brevity|snip|truncated"
    rf"|existing {_NOUN}(?: here)?|(?:code|everything|file|{_NOUN}|rest)(?: \w+)? "
    rf"(?:is |are |remains? "
    rf"|stays? )?(?:unchanged|the same|omitted)"
    rf"|(?:add |put |insert |write )?your (?:\w+ )?(?:code|implementation|logic)(?: goes)? here)$",
    re.IGNORECASE,
)
_MARKS = " .…()[]*-<>`{}"
_SMALLEST_RUN = 240


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """A reply without its thinking and the server's own tokens, line ends unified; rules fired."""
    rules: list[str] = []
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if plain.startswith("\ufeff"):
        plain = plain[1:]
    without, count = _CLOSED.subn("", plain) if _ONLY_OPEN.match(plain) else (plain, 0)
    if count:
        rules.append("thinking-dropped")
    if lone := list(_ONLY_CLOSE.finditer(without)):
        without = without[lone[-1].end() :]
        rules.append("thinking-without-opening-dropped")
    if cut := _TOKENS.search(without):
        if without[: cut.start()].strip():
            without = without[: cut.start()]
        else:
            without = _TOKENS.sub("", without)
        rules.append("server-token-dropped")
    return without, tuple(rules)


def hopeless(text: str) -> Fault | None:
    """Why a cleaned reply is beyond reading: empty, cut inside its thinking, endless; else None."""
    if not text.strip():
        return Fault("the reply is empty", "")
    if _ONLY_OPEN.match(text):
        return Fault("the reply ended inside its thinking", "")
    if repeats(text):
        return Fault("the reply ends in an endless repetition", "")
    return None


def repeats(text: str) -> bool:
    """Whether a text ends in one piece that comes again and again: it ran away."""
    tail = text.rstrip()
    for period in range(1, 81):
        if _run(tail, period) >= max(_SMALLEST_RUN, 6 * period):
            return True
    lines = [line.strip() for line in tail.split("\n") if line.strip()][:-1]
    for period in range(1, 31):
        same = _run(lines, period)
        if same >= max(8, 4 * period) and sum(map(len, lines[-same:])) >= _SMALLEST_RUN:
            return True
    return False


def _run(items: str | list[str], period: int) -> int:
    """How many last items equal the one a period before them."""
    count = 0
    while count + period < len(items) and items[-1 - count] == items[-1 - count - period]:
        count += 1
    return count


def elision(text: str, *, markdown: bool = False) -> str:
    """The first line that stands for text left out, such as `# ... rest unchanged`; empty if none.

    In Markdown a line that starts with `#` is a heading, so it is never one.
    """
    for line in text.split("\n"):
        stripped = line.strip()
        if not (markdown and stripped.startswith("#")) and _is_elision(stripped):
            return stripped
    return ""


def _is_elision(line: str) -> bool:
    """Whether one stripped line is a comment, or dots, in the place of code."""
    comment = _COMMENT.match(line)
    words = comment["words"] if comment else line
    dotted = words.startswith(("...", "…", "(", "[")) or words.endswith(("...", "…"))
    if comment is None and not (words.startswith(("...", "…", "[", "(")) and dotted):
        return False
    phrase = re.sub(r"\s+", " ", words.strip(_MARKS)).replace(")", "").replace("(", "")
    if not phrase:
        return comment is not None and words.strip() in ("...", "…", "....")
    if comment is None and " " not in phrase:
        return False
    if _FLAT.match(phrase):
        return True
    if rest := _REST.match(phrase):
        return dotted or bool(rest["noun"] or rest["stays"])
    return bool(_OTHER.match(phrase)) and (dotted or bool(re.search(rf"{_STAYS}$", phrase)))
