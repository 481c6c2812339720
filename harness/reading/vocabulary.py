"""Owns the way from a word of the model's to a declared verb or field.

Does not cover where in a reply such a word stands (`labels`, `calls`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from harness.reading.verbs import ActionSpec, FieldSpec

GENERAL = {
    "Path": ("file", "filename", "filepath", "pathname", "targetfile", "target", "filetopatch"),
    "Find": ("search", "old", "before", "original", "oldcode", "oldtext", "oldstring", "oldstr",
             "oldcontent", "searchtext", "findtext"),
    "Replace": ("new", "after", "with", "replacement", "newcode", "newtext", "newstring",
                "newstr", "newcontent", "replacewith", "replacetext"),
    "Append": ("add", "addition", "appendtext"),
    "Body": ("content", "contents", "code", "text", "source", "filecontent", "newcontent", "data"),
    "Query": ("question", "pattern", "regex", "regexp", "term", "symbol", "name", "text", "search"),
    "Pattern": ("glob", "query", "path", "filename", "name"),
    "Summary": ("result", "answer", "message", "conclusion", "text", "response"),
    "Names": ("name", "test", "tests", "path", "file"),
    "Scope": ("path", "folder", "directory", "dir"),
}  # fmt: skip
"""Labels that models use for a field of that name, beside those that an action declares."""

_NOISE = frozenset({"file", "files", "code", "text", "tests", "the", "a", "in", "tool", "function"})


def squeezed(word: str) -> str:
    """A label or verb without case, spaces and marks, for comparison."""
    return re.sub(r"[\W_]+", "", word).casefold()


@dataclass(frozen=True)
class Meant:
    """A verb as it was understood."""

    verb: str
    """One of the declared verbs."""
    rename: Mapping[str, str] = field(default_factory=dict)
    """Squeezed label to field name, of the alias that was used."""
    rules: tuple[str, ...] = ()
    """Reading rules that were needed."""
    field_word: str = ""
    """Field that stood in the verb's place; empty for a verb."""


@dataclass(frozen=True)
class Vocabulary:
    """The declared verbs and fields, by every word that may stand for them."""

    specs: Mapping[str, ActionSpec]
    """By verb."""

    def verb(self, word: str) -> Meant | None:
        """The verb that a word means; None is an unknown word, an ordinary answer here."""
        if word in self.specs:
            return Meant(word)
        asked = squeezed(word)
        for verb in self.specs:
            if squeezed(verb) == asked:
                return Meant(verb, rules=("verb-case",))
        return self._alias(asked) or self._field_word(asked) or self._inside(word)

    def _alias(self, asked: str) -> Meant | None:
        for spec in self.specs.values():
            for alias in spec.aliases:
                if squeezed(alias.word) == asked and alias.verb in self.specs:
                    rename = {squeezed(theirs): ours for theirs, ours in alias.rename.items()}
                    return Meant(alias.verb, rename, ("verb-alias",))
        return None

    def _field_word(self, asked: str) -> Meant | None:
        """Only a field that one action alone has says which action is meant."""
        owners = [
            (spec.verb, known.name)
            for spec in self.specs.values()
            for known in spec.fields
            if asked in {squeezed(w) for w in (known.name, *known.aliases)}
            or (known.name == "Append" and asked == "add")
        ]
        body = [o for o in owners if self.specs[o[0]].field(o[1]).body] or owners
        if len({verb for verb, _ in body}) > 1:
            body = [o for o in body if self.specs[o[0]].field(o[1]).required]
        if len({verb for verb, _ in body}) != 1 or body[0][1] in ("Path", "Scope"):
            return None
        return Meant(body[0][0], rules=("field-as-verb",), field_word=body[0][1])

    def _inside(self, word: str) -> Meant | None:
        """`read_file` is read, `run_tests` is whatever run or tests means, if they agree."""
        parts = [p.casefold() for p in re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", word) if p]
        if len(parts) < 2 or len(parts) > 4:
            return None
        known = [
            meant
            for part in parts
            if (meant := Meant(part) if part in self.specs else self._alias(part))
        ]
        first = known[0] if known else None
        leftover = [p for p in parts if p not in self.specs and not self._alias(p)]
        if first is None or any(p not in _NOISE for p in leftover):
            return None
        if len({meant.verb for meant in known}) > 1:
            return None
        return Meant(first.verb, first.rename, ("verb-in-a-word",))

    def field(
        self, verb: str, label: str, rename: Mapping[str, str] | None = None
    ) -> tuple[FieldSpec, tuple[str, ...]] | None:
        """The field of a verb that a label means, with the rules needed; None if it has none."""
        fields = self.specs[verb].fields
        asked = squeezed(label)
        if rename and asked in rename and rename[asked] in self.specs[verb].names():
            return self.specs[verb].field(rename[asked]), ("field-renamed",)
        for known in fields:
            if known.name == label:
                return known, ()
        for known in fields:
            if squeezed(known.name) == asked:
                return known, ("field-case",)
        for known in fields:
            if asked in {squeezed(alias) for alias in known.aliases}:
                return known, ("field-alias",)
        for known in fields:
            if asked in GENERAL.get(known.name, ()):
                return known, ("field-alias",)
        return None

    def by_fields(self, labels: Iterable[str]) -> str:
        """The one verb whose fields are these by name and complete; empty where none or several."""
        given = {squeezed(label) for label in labels}
        fits = [
            spec.verb
            for spec in self.specs.values()
            if given
            and given <= {squeezed(f.name) for f in spec.fields}
            and not spec.missing({f.name: "x" for f in spec.fields if squeezed(f.name) in given})
            and given & {squeezed(f.name) for f in spec.required()}
        ]
        if len(fits) > 1:
            fits = [
                v for v in fits if given <= {squeezed(f.name) for f in self.specs[v].required()}
            ]
        return fits[0] if len(fits) == 1 else ""
