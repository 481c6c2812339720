"""Owns the reading of a reply into exactly one Action or a Fault, in whatever form it was written.

Does not cover replies of a bare model, which are whole files or code (`blocks`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from harness.reading import calls, cleaning, complete, diffs, fenced, labels, paths, plain
from harness.reading.verbs import ActionSpec, Alias, FieldSpec
from harness.reading.vocabulary import Vocabulary
from harness.types import Action, Fault

__all__ = ["ActionSpec", "Alias", "FieldSpec", "read", "write"]

Specs = Mapping[str, ActionSpec]
Candidate = Action | Fault

_MENU_LINE = re.compile(r"(?P<verb>[a-z]+) \((?P<label>[A-Z]\w*)[*?]*\): (?P<value>\S+)")
_CALLED_LINE = re.compile(r"(?P<verb>[a-z]+) ?\((?P<inside>[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)\W*")
_VERB_LINE = re.compile(
    r"[\s>#*_`\"'•-]*(?P<verb>[A-Za-z_]+)[*_`\"']*(?P<mark>\s*[:(\-–]?)\s*(?P<value>.*)"
)

write = plain.write


def read(
    text: str, specs: Specs, *, expects_done: bool = False, prefer: Sequence[str] = ()
) -> Action | Fault:
    """A reply as one Action, or why it is none.

    `specs` by verb. `expects_done`: plain prose counts as the summary of `done`. `prefer`: of
    several Actions the first with one of these verbs is kept, else the first; one that lacks a
    field counts only where no whole one is there. A body comes without its fence and without the
    line end before the closing fence.
    """
    strict = plain.read(text.replace("\r\n", "\n"), specs)
    cleaned, rules = (text, ()) if isinstance(strict, Action) else cleaning.clean(text)
    if fault := cleaning.hopeless(cleaned):
        return Fault(fault.reason, _first_step(specs), rules)
    found = [strict] if isinstance(strict, Action) else _candidates(cleaned, Vocabulary(specs))
    chosen = _chosen(found, prefer, expects_done)
    if not isinstance(chosen, Action) and expects_done and "done" in specs:
        chosen = _prose(cleaned, chosen)
    if chosen is None:
        chosen = _no_action(cleaned, specs, prefer)
    if isinstance(chosen, Action):
        chosen = complete.checked(chosen, specs[chosen.verb])
    if isinstance(chosen, Action):
        return Action(chosen.verb, chosen.fields, (*rules, *chosen.rules))
    return Fault(chosen.reason, chosen.next_action, (*rules, *chosen.rules))


def _chosen(
    found: Sequence[Candidate], prefer: Sequence[str], expects_done: bool
) -> Candidate | None:
    """One of the candidates by rule: `done` if it was asked for, a preferred verb, the first."""
    whole = [one for one in found if isinstance(one, Action)]
    if not whole:
        return found[0] if found else None
    done = [one for one in whole if one.verb == "done"] if expects_done else []
    liked = [one for one in whole if one.verb in prefer]
    kept = (done or liked or whole)[0]
    others = [one for one in whole if (one.verb, one.fields) != (kept.verb, kept.fields)]
    if others:
        return Action(kept.verb, kept.fields, (*kept.rules, "one-of-several-kept"))
    if len(whole) > 1:
        return Action(kept.verb, kept.fields, (*kept.rules, "repeated-action-dropped"))
    return kept


def _candidates(text: str, vocabulary: Vocabulary) -> list[Candidate]:
    """What the first form that fits gives; Faults of the forms before it, where none does."""
    faults: list[Candidate] = []
    for form in _FORMS:
        if faults and form in _WEAK:
            break
        found = list(form(text, vocabulary))
        if any(isinstance(one, Action) for one in found):
            return found
        faults.extend(found)
    return faults


def _labelled(text: str, vocabulary: Vocabulary) -> Iterator[Candidate]:
    """`Action:` blocks in any dress."""
    found = labels.blocks(text, vocabulary)
    lines = text.split("\n")
    ends = [*(block.order for block in found[1:]), len(lines)]
    for block, end in zip(found, ends, strict=False):
        yield from complete.block(block, "\n".join(lines[block.order : end]), vocabulary)


def _tagged(text: str, vocabulary: Vocabulary) -> Iterator[Candidate]:
    """Tool-call tags with parameters in tags of their own."""
    return complete.calls(calls.in_tags(text, _words(vocabulary)), vocabulary)


def _in_json(text: str, vocabulary: Vocabulary) -> Iterator[Candidate]:
    """JSON and Python dicts, bare, in a fence or in a tag."""
    return complete.calls(calls.in_json(text), vocabulary)


def _edited(text: str, vocabulary: Vocabulary) -> Iterator[Candidate]:
    """Diffs and SEARCH/REPLACE blocks."""
    found = diffs.edits(text)
    yield from complete.edits(found, "", vocabulary.specs)
    if not found and diffs.heads(text):
        yield Fault("the diff changes nothing", _first_step(vocabulary.specs))


def _as_python(text: str, vocabulary: Vocabulary) -> Iterator[Candidate]:
    """`read("shop/cart.py")` alone: the whole reply, a fence, or a line in ticks."""
    words = _words(vocabulary)
    lines = text.split("\n")
    pieces = [text.strip().strip("`")]
    pieces += [b.text for b in _fences(lines)]
    pieces += [
        line.strip().strip("`") for line in lines if re.fullmatch(r"\s*`?\w+\(.*\)`?\s*", line)
    ]
    for piece in pieces:
        if found := calls.in_python(piece, words):
            return complete.calls(found, vocabulary)
    return iter(())


def _headless(text: str, vocabulary: Vocabulary) -> Iterator[Candidate]:
    """Blocks without the word Action: a verb begins a line, or only the fields are there."""
    lines = text.strip().split("\n")
    rewritten = _with_headers(lines, vocabulary)
    if not rewritten and (verb := vocabulary.by_fields(labels.names(text))):
        rewritten = [f"Action: {verb}", *text.split("\n")[labels.first(text) :]]
    for one in _labelled("\n".join(rewritten), vocabulary) if rewritten else ():
        rules = ("header-missing", *one.rules)
        if isinstance(one, Action):
            yield Action(one.verb, one.fields, rules)
        else:
            yield Fault(one.reason, one.next_action, rules)


def _with_headers(lines: Sequence[str], vocabulary: Vocabulary) -> list[str]:
    """The lines with `read`, `read a.py`, `read: a.py` made headers; empty if none comes first."""
    out: list[str] = []
    at = 0
    while at < len(lines):
        if fenced.opening(lines[at]) is not None:
            end = fenced.block(lines, at).after
            out.extend(lines[at:end])
            at = end
            continue
        header = _as_header(lines[at], vocabulary)
        if not header and at == 0:
            return []
        out.extend(header or [lines[at]])
        at += 1
    return out


def _as_header(line: str, vocabulary: Vocabulary) -> list[str]:
    """A line that begins with a verb as a header and its first value; empty for other lines."""
    menu = _MENU_LINE.fullmatch(line.strip())
    if menu and menu["verb"] in vocabulary.specs:
        return [f"Action: {menu['verb']}", f"{menu['label']}: {menu['value']}"]
    called = _CALLED_LINE.fullmatch(line.strip())
    if (
        called
        and called["verb"] in vocabulary.specs
        and called["inside"].strip("*?") not in (vocabulary.specs[called["verb"]].names())
    ):
        return _called(called["verb"], called["inside"].strip(), vocabulary)
    matched = _VERB_LINE.fullmatch(line)
    meant = vocabulary.verb(matched["verb"]) if matched else None
    if matched is None or meant is None or meant.field_word:
        return []
    value = matched["value"].strip("`_() ")
    if not value:
        return [f"Action: {meant.verb}"]
    if matched["mark"].strip() != ":":
        return [f"Action: {matched['verb']} {value}"] if len(value.split()) == 1 else []
    return _called(meant.verb, value, vocabulary)


def _called(verb: str, inside: str, vocabulary: Vocabulary) -> list[str]:
    """A header and its only value, or a header with the fields that stand in its line."""
    fields = vocabulary.specs[verb].fields
    if any(re.match(rf"{re.escape(f.name)}[*?]*\s*[:=]", inside, re.I) for f in fields):
        return [f"Action: {verb} {inside}"]
    label = next((f.name for f in fields if f.required and not f.body), "")
    label = label or next((f.name for f in fields if not f.body), "")
    return [f"Action: {verb}", *([f"{label}: {inside}"] if label else [])]


def _file(text: str, vocabulary: Vocabulary) -> Iterator[Candidate]:
    """A fenced file under its path, without any header: it is written whole."""
    if "write" not in vocabulary.specs:
        return
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if fenced.opening(lines[at]) is None:
            at += 1
            continue
        found = fenced.block(lines, at)
        above = next((line for line in reversed(lines[max(0, at - 2) : at]) if line.strip()), "")
        path = paths.in_info(found.info) or paths.in_line(above)
        if path and (not path.endswith(".py") or fenced.parses(found.text)):
            fields = {"Path": path, "Body": found.text}
            yield Action("write", fields, ("file-under-its-path", *found.rules))
        at = found.after


_FORMS: tuple[Callable[[str, Vocabulary], Iterator[Candidate]], ...] = (
    _labelled, _tagged, _in_json, _edited, _as_python, _headless, _file,
)  # fmt: skip


_WEAK = (_as_python, _headless, _file)
"""Forms that are tried only where no other has left a trace."""


def _words(vocabulary: Vocabulary) -> frozenset[str]:
    """Every verb and alias, lower case."""
    return frozenset(
        word.casefold()
        for spec in vocabulary.specs.values()
        for word in (spec.verb, *(alias.word for alias in spec.aliases))
    )


def _fences(lines: Sequence[str]) -> Iterator[fenced.Fenced]:
    """Every fenced block of the lines."""
    at = 0
    while at < len(lines):
        if fenced.opening(lines[at]) is None:
            at += 1
            continue
        found = fenced.block(lines, at)
        yield found
        at = found.after


def _prose(text: str, other: Candidate | None) -> Candidate | None:
    """Plain prose as the summary of `done`; what was found before where it is no plain prose."""
    lines = text.split("\n")
    if any(fenced.opening(line) for line in lines) or calls.in_json(text) or diffs.edits(text):
        return other
    bare = re.sub(r"^[\s*_#>-]*action[*_]*\s*:\s*[*_]*done\b[.\s]*", "", text.strip(), flags=re.I)
    if re.search(r"^[\s*_#>`-]*action\b[*_`]*\s*:", bare, re.I | re.M):
        return other
    words = re.sub(r"^[\s*_#>-]*summary[*_]*\s*:[*_]*\s*", "", bare.strip(), flags=re.I).strip()
    return Action("done", {"Summary": words or "done"}, ("prose-as-summary",))


def _no_action(text: str, specs: Specs, prefer: Sequence[str]) -> Fault:
    """The Fault of a reply without any form, with the step that it most likely meant."""
    menu = "|".join(map(re.escape, specs))
    if re.search(rf"^[-*\s]*(?:{menu}) \([A-Z][\w*?, ]*\):", text, re.M):
        return Fault("the reply copies the list of verbs", _first_step(specs))
    code = next(iter(_fences(text.split("\n"))), None)
    defined = fenced.definitions(code.text) if code else []
    if code and len(defined) == 1 and "patch" in specs and "Symbol" in specs["patch"].names():
        known = {"Symbol": defined[0], "Body": code.text}
        return Fault("the reply holds a function, but no Action and no path",
                     complete.template(specs["patch"], known))  # fmt: skip
    if code is not None and "write" in specs:
        return Fault(
            "the reply holds code, but no Action and no path",
            complete.template(specs["write"], {"Body": "<the whole file>"}),
        )
    if "done" in specs and prefer and prefer[0] == "done":
        summary = " ".join(text.split())[:300]
        return Fault("the reply holds no Action", f"Action: done\nSummary: {summary}")
    return Fault("the reply holds no Action", _first_step(specs))


def _first_step(specs: Specs) -> str:
    """A legal Action to start with."""
    spec = specs.get("read") or next(iter(specs.values()), ActionSpec("done"))
    return complete.template(spec, {})
