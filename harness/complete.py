"""Owns making an Action of what a reader found: missing fields looked for, values tidied, checked.

Does not cover how blocks, calls and edits are found (`labels`, `calls`, `diffs`).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from harness import calls as calling
from harness import cleaning, diffs, fenced, labels, paths, plain
from harness.types import Action, Fault
from harness.verbs import ActionSpec
from harness.vocabulary import Vocabulary

Specs = Mapping[str, ActionSpec]
Candidate = Action | Fault

_GAP = re.compile(r"^<[A-Za-z][\w /,.'-]*>$")
_MARKDOWN = (".md", ".rst", ".txt")


def template(spec: ActionSpec, known: Mapping[str, str]) -> str:
    """An Action in plain form with what is known, and `<what to write>` in each gap."""
    fields = {}
    for field in spec.fields:
        if field.name in known:
            fields[field.name] = known[field.name]
        elif field.required:
            fields[field.name] = f"<{field.help or field.name.lower()}>"
    if not _says_enough(spec, fields):
        fields.update({name: f"<{name.lower()}>" for name in ("Find", "Replace") if name in spec.names()})
    return plain.write(Action(spec.verb, fields), spec)


def block(found: labels.Found, source: str, vocabulary: Vocabulary) -> Iterator[Candidate]:
    """A labelled block as an Action, or several where it holds several edits, or a Fault."""
    if found.meant is None:
        yield _unknown(found.word, vocabulary.specs)
        return
    spec = vocabulary.specs[found.meant.verb]
    _from_arguments(found, spec, vocabulary)
    _from_header(found, spec)
    _from_template_words(found, spec, source)
    edited = list(_edits_inside(found, spec, source, vocabulary.specs))
    if edited:
        yield from edited
        return
    _from_loose(found, spec)
    if _missing(spec, found.values) and (other := vocabulary.by_fields(found.values)):
        spec = vocabulary.specs[other]
        found.fire("verb-from-fields")
    yield _action(spec, found.values, found.rules, found.bodies)


def _unknown(word: str, specs: Specs) -> Fault:
    """The Fault of a verb that nothing declares."""
    first = specs.get("read") or next(iter(specs.values()), ActionSpec("done"))
    shown = word if len(word) <= 30 else word[:30] + "…"
    return Fault(
        f"there is no verb {shown}; the verbs are {', '.join(specs)}", template(first, {})
    )


def _from_arguments(found: labels.Found, spec: ActionSpec, vocabulary: Vocabulary) -> None:
    """`Action Input:` and a JSON object under the header: named fields, or the first one missing."""
    text = found.arguments.strip()
    if not text and found.tail.lstrip("(: ").startswith("{"):
        text = found.tail.lstrip("(: ")
    if not text and not found.values and len(found.loose) == 1 and found.loose[0].lang == "json":
        text = found.loose[0].text
    if not text:
        return
    found.fire("arguments-under-header")
    for value, _ in calling.objects(text):
        if isinstance(value, dict):
            inside = value.get("arguments", value)
            named = inside if isinstance(inside, dict) else value
            labels.arguments({str(k): calling.as_text(v) for k, v in named.items()}, found, vocabulary)
            return
    missing = _missing(spec, found.values)
    if missing and missing[0] in spec.names():
        field = spec.field(missing[0])
        found.values[field.name] = text if field.body else text.split("\n")[0]


def _from_header(found: labels.Found, spec: ActionSpec) -> None:
    """The rest of the header's line: the first missing value, or a reason that is dropped."""
    if not found.tail.strip(" .:*_`)"):
        return
    for name in _missing(spec, found.values):
        if name in spec.names() and not spec.field(name).body:
            if value := labels.value_of_tail(found.tail, name):
                found.values[name] = value
                found.fire("value-on-header")
                return
            break
    found.fire("reason-dropped")


def _from_template_words(found: labels.Found, spec: ActionSpec, source: str) -> None:
    """`<Field>: shop/cart.py`, where the form's own word was copied."""
    copied = re.search(r"^\W*(?:field|value)\W*:\s*(?P<value>\S.*)$", source, re.I | re.M)
    if copied and _missing(spec, found.values) == ["Path"] and paths.clean(copied["value"]):
        found.values["Path"] = copied["value"]
        found.fire("form-word-as-label")


def _from_loose(found: labels.Found, spec: ActionSpec) -> None:
    """A block under no label is the body that the action must have; two are Find and Replace."""
    if not found.loose:
        return
    whole = spec.whole_body()
    if whole and not found.values.get(whole):
        found.values[whole] = max(found.loose, key=lambda b: len(b.text)).text
        found.bodies.add(whole)
        found.fire("body-without-label", *found.loose[0].rules)


def _edits_inside(
    found: labels.Found, spec: ActionSpec, source: str, specs: Specs
) -> Iterator[Candidate]:
    """Diffs and SEARCH/REPLACE blocks under a header whose own fields do not say the change."""
    if not {"Path", "Find", "Replace"} <= spec.names():
        return
    texts = [v for k, v in found.values.items() if k != "Path" and diffs.edits(v)]
    if not texts and (_says_enough(spec, found.values) or not diffs.edits(source)):
        return
    path = labels.tidy("Path", found.values.get("Path", ""))[0]
    inside = [edit for text in texts or [source] for edit in diffs.edits(text)]
    for one in edits(inside, path, specs):
        if isinstance(one, Action):
            yield Action(one.verb, one.fields, (*found.rules, *one.rules))
        else:
            yield one


def calls(found: Iterable[calling.Call], vocabulary: Vocabulary) -> Iterator[Candidate]:
    """Calls as Actions; a name that is no verb is a Fault."""
    for call in found:
        meant = vocabulary.verb(call.name)
        if meant is None:
            yield _unknown(call.name, vocabulary.specs)
            continue
        spec = vocabulary.specs[meant.verb]
        holder = labels.Found(call.name, meant)
        holder.fire(*call.rules, *meant.rules)
        labels.arguments(call.arguments, holder, vocabulary)
        waiting = [f.name for f in spec.fields if f.name not in holder.values]
        waiting.sort(key=lambda name: not spec.field(name).required)
        if call.positional:
            holder.values.update(zip(waiting, call.positional, strict=False))
            holder.fire("argument-without-name")
        for name in (f.name for f in spec.fields if f.body and f.name in holder.values):
            holder.values[name] = _unescaped(holder.values[name], holder)
        yield _action(spec, holder.values, holder.rules, set())


def _unescaped(text: str, holder: labels.Found) -> str:
    """A body out of JSON whose line ends were escaped twice, without the last line end."""
    if "\n" not in text and "\\n" in text:
        holder.fire("escaped-twice")
        text = text.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "\t")
    return text[:-1] if text.endswith("\n") else text


def edits(found: Sequence[diffs.Edit], path: str, specs: Specs) -> Iterator[Candidate]:
    """Edits as patches, one a place, or one a file where `patch` takes a diff; new files as writes."""
    if found and "patch" not in specs:
        yield Fault("the reply is an edit, but nothing may be written here", _question_step(specs))
        return
    for edit in found:
        name = edit.path or path
        rule = "search-replace-block" if edit.kind == "search-replace" else "unified-diff"
        if not name:
            yield _pathless(edit, specs["patch"], rule)
        elif edit.new_file and edit.kind == "diff" and "write" in specs:
            body = "\n".join(line for hunk in edit.hunks for line in hunk.after)
            yield Action("write", {"Path": name, "Body": body}, (rule, "diff-of-a-new-file"))
        elif "Diff" in specs["patch"].names() and edit.kind == "diff":
            yield Action("patch", {"Path": name, "Diff": edit.text}, (rule,))
        else:
            yield from (_hunk(hunk, name, specs["patch"], rule) for hunk in edit.hunks)


def _hunk(hunk: diffs.Hunk, path: str, spec: ActionSpec, rule: str) -> Candidate:
    """One place of an edit as a patch; added lines alone say no place, in SEARCH/REPLACE the end."""
    find, replace = "\n".join(hunk.before), "\n".join(hunk.after)
    if find.strip():
        return Action("patch", {"Path": path, "Find": find, "Replace": replace}, (rule,))
    if rule == "search-replace-block" and "Append" in spec.names():
        return Action("patch", {"Path": path, "Append": replace}, (rule, "empty-search-appends"))
    known = {"Path": path, "Append": replace} if "Append" in spec.names() else {"Path": path}
    return Fault("the diff has added lines only, so its place is not known", template(spec, known))


def _pathless(edit: diffs.Edit, spec: ActionSpec, rule: str) -> Fault:
    """The Fault of an edit that names no file."""
    hunk = edit.hunks[0]
    known = {"Find": "\n".join(hunk.before), "Replace": "\n".join(hunk.after)}
    return Fault("the edit does not say which file it changes", template(spec, known), (rule,))


def _question_step(specs: Specs) -> str:
    spec = specs.get("done") or next(iter(specs.values()), ActionSpec("done"))
    return template(spec, {})


def _action(
    spec: ActionSpec, values: Mapping[str, str], rules: Sequence[str], bodies: set[str]
) -> Candidate:
    """Values of known fields as an Action of that verb, or a Fault that names what is missing."""
    fired = list(rules)
    fields: dict[str, str] = {}
    for field in spec.fields:
        if field.name not in values:
            continue
        value = values[field.name]
        if field.body:
            value, more = _body(value, field.name, spec, values, field.name in bodies)
        else:
            value, more = labels.tidy(field.name, value)
        fired += [rule for rule in more if rule not in fired]
        if value or field.body:
            fields[field.name] = value
    for name in ("Find", "Append"):
        if name in fields and not fields[name].strip():
            del fields[name]
    missing = _missing(spec, fields)
    if missing:
        known = {k: v for k, v in fields.items() if not _GAP.match(v) and not _misplaced(spec, k, v)}
        return Fault(f"{spec.verb} lacks {' and '.join(missing)}", template(spec, known), tuple(fired))
    return Action(spec.verb, fields, tuple(fired))


def _misplaced(spec: ActionSpec, name: str, value: str) -> bool:
    """Whether a file's path stands where its text should."""
    return spec.field(name).body and paths.is_path(value.strip())


def _body(
    text: str, name: str, spec: ActionSpec, values: Mapping[str, str], was_fenced: bool
) -> tuple[str, tuple[str, ...]]:
    """A body without a fence that is left around it; moved left where only that makes it parse."""
    rules: tuple[str, ...] = ()
    path = values.get("Path", "").strip("`\"'* ")
    lines = text.split("\n")
    start = fenced.opening(lines[0])
    if start is not None and not was_fenced and not path.endswith(_MARKDOWN):
        found = fenced.block(lines, 0)
        text, rules = found.text, ("fence-in-value",)
    elif not was_fenced and "\n" not in text and (tick := re.fullmatch(r"\s*`([^`]+)`\s*", text)):
        text, rules = tick[1], ("value-unquoted",)
    if not was_fenced and path.endswith(".py") and (code := fenced.code_part(text)) != text:
        text, rules = code, (*rules, "prose-after-body-dropped")
    if name == spec.whole_body() and path.endswith(".py") and not fenced.parses(text):
        moved = textwrap.dedent(text)
        if moved != text and fenced.parses(moved):
            return moved, (*rules, "dedented")
    return text, rules


def _missing(spec: ActionSpec, values: Mapping[str, str]) -> list[str]:
    """Names of what an action lacks; of optional bodies at least one must be there."""
    missing = [
        f.name for f in spec.required()
        if f.name not in values or (not f.body and not values[f.name].strip())
    ]  # fmt: skip
    if not missing and not _says_enough(spec, values):
        if "Replace" in spec.names() and values.get("Find"):
            return ["Replace"]
        if "Find" in spec.names():
            return ["Find"] if values.get("Replace") else ["Find and Replace, or Append"]
        return [" or ".join(f.name for f in spec.fields if f.body)]
    return missing


def _says_enough(spec: ActionSpec, values: Mapping[str, str]) -> bool:
    """Whether the optional bodies of an action say a change: Find with Replace, or another one."""
    bodies = [f.name for f in spec.fields if f.body]
    if not bodies or any(f.body and f.required for f in spec.fields):
        return True
    given = {name for name in bodies if name in values and (values[name].strip() or name == "Replace")}
    if {"Find", "Replace"} <= set(bodies):
        return {"Find", "Replace"} <= given or bool(given - {"Find", "Replace"})
    return bool(given)


# checks of a whole Action


def checked(action: Action, spec: ActionSpec) -> Candidate:
    """An Action as it is, or the Fault of one that must not be carried out."""
    if missing := _missing(spec, action.fields):
        reason = f"{spec.verb} lacks {' and '.join(missing)}"
        return Fault(reason, template(spec, action.fields), action.rules)
    for name, value in action.fields.items():
        body = spec.field(name).body
        reason = _bad_body(name, value, action) if body else _bad_value(name, value)
        if reason:
            known = {k: v for k, v in action.fields.items() if k != name}
            gap = {name: "<every line, none left out>"} if body else {}
            return Fault(reason, template(spec, {**known, **gap}), action.rules)
    return action


def _bad_value(name: str, value: str) -> str:
    """Why a one-line value cannot be meant; empty where it can."""
    if _GAP.match(value.strip()):
        return f"{name} is still the form's own {value.strip()}"
    if name == "Path" and (value.casefold() in fenced.LANGUAGES or re.search(r"\s", value)):
        if not paths.is_path(value):
            return f"{value[:60]!r} is no file's path"
    return ""


def _bad_body(name: str, text: str, action: Action) -> str:
    """Why a body must not reach a file; empty where it may."""
    path = action.fields.get("Path", "")
    if line := cleaning.elision(text, markdown=path.endswith(_MARKDOWN)):
        return f"{name} leaves lines out: {line[:80]}"
    if _GAP.match(text.strip()):
        return f"{name} is still the form's own {text.strip()}"
    if not path.endswith((".json", ".md", ".jsonl")) and calling.looks_like_call(text):
        return f"{name} holds a tool call in JSON, not the file's text"
    if name == "Body" and not text.strip() and not path.endswith("__init__.py"):
        return "Body is empty"
    return ""
