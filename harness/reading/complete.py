"""Owns making an Action of what a reader found: missing fields looked for, values tidied, checked.

Does not cover how blocks, calls and edits are found (`labels`, `calls`, `diffs`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from harness.reading import calls as calling
from harness.reading import cleaning, diffs, fenced, labels, paths, plain
from harness.reading.found import FREE_TEXT, Found, arguments, tidy, value_of_tail
from harness.reading.verbs import ActionSpec
from harness.reading.vocabulary import Vocabulary
from harness.types import Action, Fault

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
    if spec.missing(fields):
        gaps = [name for name in ("Find", "Replace") if name in spec.names() - set(fields)]
        fields.update({name: f"<{name.lower()}>" for name in gaps})
    return plain.write(Action(spec.verb, fields), spec)


def block(found: Found, source: str, vocabulary: Vocabulary) -> Iterator[Candidate]:
    """A labelled block as an Action, or several where it holds several edits, or a Fault."""
    if found.meant is None:
        yield _unknown(found.word, vocabulary.specs)
        return
    if (other := _other_verb(found, source, vocabulary)) is not None:
        found = other
    assert found.meant is not None
    spec = vocabulary.specs[found.meant.verb]
    _from_arguments(found, spec, vocabulary)
    _from_header(found, spec)
    _from_template_words(found, spec, source)
    edited = list(_edits_inside(found, spec, source, vocabulary.specs))
    if edited:
        yield from edited
        return
    _from_loose(found, spec)
    _from_text(found, spec)
    if spec.missing(found.values):
        spec = _by_content(found, spec, vocabulary.specs)
    yield _action(spec, found.values, found.rules, found.bodies)


def _other_verb(found: Found, source: str, vocabulary: Vocabulary) -> Found | None:
    """The block read anew under the one verb that its labels fit, where they do not fit its own."""
    assert found.meant is not None
    given = labels.names(source.split("\n", 1)[-1])
    own = found.meant.verb
    verb = vocabulary.by_fields(given)
    if not verb or verb == own or all(vocabulary.field(own, label) for label in given):
        return None
    rest = source.split("\n")[1:]
    anew = labels.blocks("\n".join([f"Action: {verb}", *rest]), vocabulary)
    anew[0].rules[:0] = [*found.rules, "verb-from-fields"]
    return anew[0]


def _unknown(word: str, specs: Specs) -> Fault:
    """The Fault of a verb that nothing declares."""
    first = specs.get("read") or next(iter(specs.values()), ActionSpec("done"))
    shown = word if len(word) <= 30 else word[:30] + "…"
    return Fault(f"there is no verb {shown}; the verbs are {', '.join(specs)}", template(first, {}))


def _from_arguments(found: Found, spec: ActionSpec, vocabulary: Vocabulary) -> None:
    """`Action Input:` or a JSON object under the header: named fields, or the first missing."""
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
            arguments({str(k): calling.as_text(v) for k, v in named.items()}, found, vocabulary)
            return
    missing = spec.missing(found.values)
    if missing and missing[0] in spec.names():
        field = spec.field(missing[0])
        found.values[field.name] = text if field.body else text.split("\n")[0]


def _from_header(found: Found, spec: ActionSpec) -> None:
    """The rest of the header's line: the first missing value, or a reason that is dropped."""
    if not found.tail.strip(" .:*_`)"):
        return
    names = [name for name in spec.missing(found.values) if name in spec.names()]
    optional = not names and not found.values
    names = names or [f.name for f in spec.fields if not found.values][:1]
    value = value_of_tail(found.tail, names[0]) if names else ""
    if value and not spec.field(names[0]).body and not (optional and value.isalpha()):
        found.values[names[0]] = value
        found.fire("value-on-header")
    else:
        found.fire("reason-dropped")


def _from_template_words(found: Found, spec: ActionSpec, source: str) -> None:
    """`<Field>: shop/cart.py`, where the form's own word was copied."""
    copied = re.finditer(r"^\W*(?:field|value)\W*:\s*(?P<value>\S.*)$", source, re.I | re.M)
    named = {path for one in copied if (path := paths.clean(one["value"]))}
    if len(named) == 1 and "Path" in spec.missing(found.values):
        found.values["Path"] = named.pop()
        found.fire("form-word-as-label")


def _from_loose(found: Found, spec: ActionSpec) -> None:
    """A block under no label is the body that the action must have, or a definition to replace."""
    if not found.loose:
        return
    whole = spec.whole_body() or ("Body" if found.values.get("Symbol") else "")
    if whole and not found.values.get(whole):
        found.values[whole] = max(found.loose, key=lambda b: len(b.text)).text
        found.bodies.add(whole)
        found.fire("body-without-label", *found.loose[0].rules)


def _from_text(found: Found, spec: ActionSpec) -> None:
    """Text under no label is the answer or the question that the action must have."""
    missing, text = spec.missing(found.values), "\n".join(found.free).strip()
    copied = re.search(r"^\W*(?:field|verb|value)\W*:", text, re.I | re.M)
    if text and not copied and len(missing) == 1 and missing[0] in FREE_TEXT:
        found.values[missing[0]] = text
        found.fire("text-as-value")


def _by_content(found: Found, spec: ActionSpec, specs: Specs) -> ActionSpec:
    """A patch that is only code: definitions put in place by name, or the whole file written."""
    texts = [b.text for b in found.loose] + [found.values.get("Replace", "")]
    code = max(texts, key=len)
    given = {name for name, value in found.values.items() if value.strip()}
    if spec.verb != "patch" or not code.strip() or {"Find", "Append", "Body"} & given:
        return spec
    defined = fenced.definitions(code)
    if not defined:
        return spec
    found.values.pop("Replace", None)
    found.values.pop("Find", None)
    found.values["Body"] = code
    if "Body" in spec.names():
        if len(defined) == 1 and not found.values.get("Symbol"):
            found.values["Symbol"] = defined[0]
        found.fire("definition-under-patch")
    elif "write" in specs:
        found.fire("whole-file-under-patch")
        return specs["write"]
    return spec


def _edits_inside(found: Found, spec: ActionSpec, source: str, specs: Specs) -> Iterator[Candidate]:
    """Diffs and SEARCH/REPLACE blocks under a header whose own fields do not say the change."""
    if not {"Path", "Find", "Replace"} <= spec.names():
        return
    texts = [v for k, v in found.values.items() if k != "Path" and diffs.edits(v)]
    if not texts and (not spec.missing(found.values) or not diffs.edits(source)):
        return
    path = tidy("Path", found.values.get("Path", ""))[0]
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
        holder = Found(call.name, meant)
        holder.fire(*call.rules, *meant.rules)
        arguments(call.arguments, holder, vocabulary)
        waiting = [f.name for f in spec.fields if f.name not in holder.values]
        waiting.sort(key=lambda name: not spec.field(name).required)
        if call.positional:
            holder.values.update(zip(waiting, call.positional, strict=False))
            holder.fire("argument-without-name")
        for name in (f.name for f in spec.fields if f.body and f.name in holder.values):
            holder.values[name] = _unescaped(holder.values[name], holder)
        yield _action(spec, holder.values, holder.rules, set())


def _unescaped(text: str, holder: Found) -> str:
    """A body out of JSON whose line ends were escaped twice, without the last line end."""
    if "\n" not in text and "\\n" in text:
        holder.fire("escaped-twice")
        text = text.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "\t")
    return text[:-1] if text.endswith("\n") else text


def edits(found: Sequence[diffs.Edit], path: str, specs: Specs) -> Iterator[Candidate]:
    """Edits as patches, one a place, or one a file where `patch` takes a diff."""
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
    """One place of an edit as a patch; an empty SEARCH appends, a diff must name its place."""
    near = hunk.near(3)
    find, replace = "\n".join(near.before), "\n".join(near.after)
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
            value, more = tidy(field.name, value)
        fired += [rule for rule in more if rule not in fired]
        if value or field.body:
            fields[field.name] = value
    for name in ("Find", "Append"):
        if name in fields and not fields[name].strip():
            del fields[name]
    missing = spec.missing(fields)
    if missing:
        known = {
            k: v for k, v in fields.items() if not _GAP.match(v) and not _misplaced(spec, k, v)
        }
        return Fault(
            f"{spec.verb} lacks {' and '.join(missing)}", template(spec, known), tuple(fired)
        )
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
    if name == spec.whole_body() and path.endswith(".py"):
        moved = fenced.moved_left(text)
        return moved, rules if moved == text else (*rules, "dedented")
    return text, rules


# checks of a whole Action


def checked(action: Action, spec: ActionSpec) -> Candidate:
    """An Action as it is, or the Fault of one that must not be carried out."""
    if missing := spec.missing(action.fields):
        reason = f"{spec.verb} lacks {' and '.join(missing)}"
        return Fault(reason, template(spec, action.fields), action.rules)
    for name, value in action.fields.items():
        body = spec.field(name).body
        reason = _bad_body(name, value, action) if body else _bad_value(name, value)
        if spec.field(name).help and value.strip() == spec.field(name).help:
            reason = f"{name} is still the form's own {value.strip()!r}"
        if reason:
            known = {k: v for k, v in action.fields.items() if k != name}
            gap = {name: "<every line, none left out>"} if body else {}
            return Fault(reason, template(spec, {**known, **gap}), action.rules)
    return action


def _bad_value(name: str, value: str) -> str:
    """Why a one-line value cannot be meant; empty where it can."""
    if _GAP.match(value.strip()):
        return f"{name} is still the form's own {value.strip()}"
    if name == "Path" and paths.is_wordy(value):
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
