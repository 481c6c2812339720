"""Owns what a GGUF file says of itself, and which chat and infill template its family needs.

Does not cover where the file comes from (`download`) nor its way into a server (`engines/ollama`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from harness.errors import HarnessError

_SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_STRING, _ARRAY = 8, 9
_KEPT = 64
"""Longest array that is kept whole; the tokens of a model are only searched."""
_FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K",
    11: "Q3_K_S", 12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S",
    17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS", 23: "IQ3_XXS", 25: "IQ4_NL",
    30: "IQ4_XS", 32: "BF16",
}  # fmt: skip

GAPS: tuple[tuple[str, str, str], ...] = (
    ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
    ("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
    ("<fim-prefix>", "<fim-suffix>", "<fim-middle>"),
    ("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
    ("▁<PRE>", "▁<SUF>", "▁<MID>"),
)
"""Tokens before the text, before the suffix, before the gap; in each family's own spelling."""


@dataclass(frozen=True)
class Family:
    """How one family of models writes a chat."""

    name: str
    marks: tuple[str, ...]
    """Texts in the file's own template, or tokens, that together tell the family."""
    chat: str
    """Template in the form of Ollama."""
    stops: tuple[str, ...]
    """Texts that end a reply."""


FAMILIES: tuple[Family, ...] = (
    Family(
        "chatml",
        ("<|im_start|>",),
        "{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}"
        "<|im_start|>assistant\n",
        ("<|im_start|>", "<|im_end|>"),
    ),
    Family(
        "llama3",
        ("<|start_header_id|>",),
        "{{- range .Messages }}<|start_header_id|>{{ .Role }}<|end_header_id|>\n\n"
        "{{ .Content }}<|eot_id|>{{ end }}<|start_header_id|>assistant<|end_header_id|>\n\n",
        ("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    ),
    Family(
        "gemma",
        ("<start_of_turn>",),
        '{{- range .Messages }}<start_of_turn>{{ if eq .Role "assistant" }}model{{ else }}user'
        "{{ end }}\n{{ .Content }}<end_of_turn>\n{{ end }}<start_of_turn>model\n",
        ("<start_of_turn>", "<end_of_turn>"),
    ),
    Family(
        "phi3",
        ("<|assistant|>", "<|end|>"),
        "{{- range .Messages }}<|{{ .Role }}|>\n{{ .Content }}<|end|>\n{{ end }}<|assistant|>\n",
        ("<|end|>", "<|user|>", "<|assistant|>"),
    ),
    Family(
        "instruction",
        ("### Instruction",),
        '{{- range .Messages }}{{ if eq .Role "assistant" }}### Response:\n{{ .Content }}\n'
        '<|EOT|>\n{{ else if eq .Role "user" }}### Instruction:\n{{ .Content }}\n'
        "{{ else }}{{ .Content }}\n{{ end }}{{ end }}### Response:\n",
        ("### Instruction:", "### Response:", "<|EOT|>"),
    ),
    Family(
        "inst",
        ("[INST]",),
        '{{- range .Messages }}{{ if eq .Role "assistant" }} {{ .Content }}</s>{{ else }}'
        "[INST] {{ .Content }} [/INST]{{ end }}{{ end }}",
        ("[INST]", "[/INST]"),
    ),
)
_MARKS = frozenset(mark for family in FAMILIES for mark in family.marks)


@dataclass(frozen=True)
class Template:
    """What a model needs to be told to answer, and to fill a gap."""

    family: str = ""
    """Empty: none is known."""
    text: str = ""
    """In the form of Ollama; empty: none."""
    stops: tuple[str, ...] = ()
    infills: bool = False
    """Whether it takes a suffix."""


@dataclass(frozen=True)
class Header:
    """What a GGUF file says of itself."""

    path: Path
    size: int
    """Bytes of the file."""
    version: int
    tensors: int
    metadata: Mapping[str, Any]
    """Single values and short arrays, by key."""
    gap: tuple[str, str, str] | None = None
    """Its infill tokens, where its vocabulary has a set that is known."""
    marks: frozenset[str] = field(default_factory=frozenset)
    """Tokens of its vocabulary that tell a family."""

    def text(self, key: str) -> str:
        """A value as text; empty where the file has none."""
        return str(self.metadata.get(key, ""))

    @property
    def architecture(self) -> str:
        """Such as qwen2."""
        return self.text("general.architecture")

    @property
    def quantization(self) -> str:
        """Such as Q4_K_M; empty where the file does not say."""
        kind = self.metadata.get("general.file_type")
        return _FILE_TYPES.get(kind, f"type {kind}") if isinstance(kind, int) else ""

    @property
    def context_length(self) -> int | None:
        """Longest context that it was trained for, tokens."""
        found = self.metadata.get(f"{self.architecture}.context_length")
        return found if isinstance(found, int) else None

    @property
    def chat_template(self) -> str:
        """The file's own template, in a form that Ollama does not run."""
        return self.text("tokenizer.chat_template")


def template(header: Header, wish: Literal["auto", "chatml", "none"] = "auto") -> Template:
    """The template of the file's family, its infill part where the vocabulary has the tokens."""
    if wish == "none":
        return Template()
    family = FAMILIES[0] if wish == "chatml" else _family(header)
    if family is None:
        return Template()
    if header.gap is None:
        return Template(family.name, family.chat, family.stops)
    before, after, middle = header.gap
    if before.startswith("▁"):
        # The mark of a leading space in the vocabulary; as text the token stands with spaces.
        filled = f"{before[1:]} {{{{ .Prompt }}}} {after[1:]}{{{{ .Suffix }}}} {middle[1:]}"
    else:
        filled = f"{before}{{{{ .Prompt }}}}{after}{{{{ .Suffix }}}}{middle}"
    text = f"{{{{- if .Suffix }}}}{filled}{{{{ else }}}}{family.chat}{{{{ end }}}}"
    return Template(family.name, text, family.stops, True)


def _family(header: Header) -> Family | None:
    """By the file's own template first; the vocabulary only where it has none."""
    own = header.chat_template
    for family in FAMILIES:
        told = own or header.marks
        if all(mark in told for mark in family.marks):
            return family
    return None


def read(path: Path) -> Header:
    """The file's header; HarnessError where it is no whole GGUF file."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _Reader(file, path, size).header()
    except OSError as wrong:
        raise HarnessError(f"{path} cannot be read: {wrong.strerror}", "check its path") from wrong
    except (struct.error, UnicodeDecodeError, OverflowError, MemoryError) as wrong:
        raise _cut(path) from wrong


def _cut(path: Path) -> HarnessError:
    return HarnessError(f"{path.name} is cut off or damaged", "fetch it again, and check its sum")


class _Reader:
    """Reads one header, front to back."""

    def __init__(self, file: IO[bytes], path: Path, size: int) -> None:
        self.file = file
        self.path = path
        self.size = size
        self.gap: tuple[str, str, str] | None = None
        self.marks: frozenset[str] = frozenset()

    def header(self) -> Header:
        """Everything before the weights, and that the weights are there."""
        if self.file.read(4) != b"GGUF":
            raise HarnessError(
                f"{self.path.name} is no GGUF file", "take a file whose name ends in .gguf"
            )
        version = self._one("I")
        if version not in (2, 3):
            raise HarnessError(
                f"{self.path.name} is GGUF version {version}; 2 and 3 are known",
                "take a newer export of the model",
            )
        tensors, count = self._one("Q"), self._one("Q")
        metadata = {self._text(): self._value(self._one("I")) for _ in range(count)}
        self._weights(tensors, int(metadata.get("general.alignment", 32)))
        return Header(self.path, self.size, version, tensors, metadata, self.gap, self.marks)

    def _weights(self, tensors: int, alignment: int) -> None:
        """Check that the last tensor begins before the end of the file."""
        last = 0
        for _ in range(tensors):
            self._text()
            for _ in range(self._one("I")):
                self._one("Q")
            self._one("I")
            last = max(last, self._one("Q"))
        start = -(-self.file.tell() // alignment) * alignment
        if tensors and start + last >= self.size:
            raise _cut(self.path)

    def _one(self, form: str) -> Any:
        length = struct.calcsize(f"<{form}")
        return struct.unpack(f"<{form}", self.file.read(length))[0]

    def _text(self) -> str:
        length = self._one("Q")
        if length > self.size:
            raise _cut(self.path)
        data = self.file.read(length)
        if len(data) < length:
            raise _cut(self.path)
        return data.decode("utf-8", "replace")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._text()
        if kind == _ARRAY:
            return self._array()
        if kind not in _SCALARS:
            raise _cut(self.path)
        return self._one(_SCALARS[kind])

    def _array(self) -> Any:
        """A short array whole; a long one is passed over, but tokens are searched."""
        kind, count = self._one("I"), self._one("Q")
        if count > self.size:
            raise _cut(self.path)
        if count <= _KEPT:
            return [self._value(kind) for _ in range(count)]
        if kind == _STRING:
            self._search(count, self._text)
        elif kind in _SCALARS:
            self.file.seek(count * struct.calcsize(f"<{_SCALARS[kind]}"), 1)
        else:
            for _ in range(count):
                self._value(kind)
        return f"{count} values"

    def _search(self, count: int, text: Callable[[], str]) -> None:
        """Look for infill tokens and for those that tell a family."""
        wanted = {token for gap in GAPS for token in gap} | _MARKS
        found = {token for token in (text() for _ in range(count)) if token in wanted}
        self.gap = next((gap for gap in GAPS if found.issuperset(gap)), self.gap)
        self.marks |= found & _MARKS
