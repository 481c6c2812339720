"""Import a model file (GGUF) into Ollama, with the chat and infill template that it needs.

Does not cover models that Ollama has itself (`ollama pull`) nor the form of the file (`gguf`).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import EngineError, HarnessError

if TYPE_CHECKING:
    from harness.engines.ollama import Ollama
    from harness.model.gguf import Header, Template

ORDER = 66


@dataclass(frozen=True)
class Known:
    """A model that is published as a file, and not in Ollama's own library."""

    tag: str
    """Its name in Ollama after the import."""
    source: str
    """Repository of the model."""
    files: str
    """Repository of its GGUF files."""
    file: str
    """Name of a file there; {quant} stands for the quantisation."""
    gigabytes: float
    """Size at Q4_K_M, about."""
    licence: str

    def url(self, quant: str) -> str:
        """Address of the file."""
        name = self.file.format(quant=quant)
        return f"https://huggingface.co/{self.files}/resolve/main/{name}"


KNOWN = {
    "opencoder": Known(
        "opencoder:8b",
        "infly/OpenCoder-8B-Instruct",
        "bartowski/OpenCoder-8B-Instruct-GGUF",
        "OpenCoder-8B-Instruct-{quant}.gguf",
        4.7,
        "INF",
    ),
    "swe-agent-lm": Known(
        "swe-agent-lm:7b",
        "SWE-bench/SWE-agent-LM-7B",
        "mradermacher/SWE-agent-LM-7B-GGUF",
        "SWE-agent-LM-7B.{quant}.gguf",
        4.7,
        "Apache-2.0",
    ),
}


@dataclass(frozen=True)
class Wanted:
    """One model to import."""

    source: str
    """Path or address of its file."""
    tag: str
    """Its name in Ollama; empty: made from the file's name."""


def options(parser: argparse.ArgumentParser) -> None:
    """The file, or a known name, and how it is imported."""
    parser.add_argument(
        "file", nargs="?", default="", help="path or address of a GGUF file; or give --name"
    )
    parser.add_argument("--list", action="store_true", help="list the known names and stop")
    parser.add_argument("--name", default="", help="a known name, or all")
    parser.add_argument("--all", action="store_true", help="every known name")
    parser.add_argument(
        "--quant", default="Q4_K_M", help="quantisation of a known name's file (default: Q4_K_M)"
    )
    parser.add_argument("--no-create", action="store_true", help="fetch and read it, no import")
    parser.add_argument("--model-name", default="", help="its name in Ollama")
    parser.add_argument(
        "--template",
        choices=("auto", "chatml", "none"),
        default="auto",
        help="chat template: auto (default, by the file's own words), chatml or none",
    )
    parser.add_argument("--sha256", default="", help="sum that the file must have")
    parser.add_argument("--cache", default="", help="folder for downloads, else the user's cache")
    parser.add_argument("--base-url", default="", help="address of Ollama, else OLLAMA_HOST")


def run(options: argparse.Namespace) -> int:
    """Import each; 0 where every model answers, 1 where one was imported and does not."""
    if options.list:
        _list()
        return 0
    wanted = _wanted(options)
    if len(wanted) > 1 and (options.model_name or options.sha256):
        raise HarnessError("--model-name and --sha256 are for one model", "give one --name")
    codes = [_import(want, options) for want in wanted]
    return max(codes)


def _list() -> None:
    for name, known in KNOWN.items():
        print(
            f"{name:14} {known.tag:16} about {known.gigabytes} GB, licence {known.licence}, "
            f"{known.source}, file of {known.files}"
        )
    print("import one: py-harness import-gguf --name NAME; any other: give its path or address")


def _wanted(options: argparse.Namespace) -> list[Wanted]:
    """What the command line asks for; HarnessError where that is nothing or unknown."""
    every = options.all or options.name == "all"
    if bool(options.file) + bool(options.name or options.all) != 1:
        raise HarnessError("import-gguf wants a file, or --name", "py-harness import-gguf --list")
    if options.file:
        return [Wanted(options.file, options.model_name)]
    if not every and options.name not in KNOWN:
        raise HarnessError(
            f"no model {options.name!r} is known", f"one of {', '.join(KNOWN)}; or give a file"
        )
    names = KNOWN if every else [options.name]
    return [Wanted(KNOWN[n].url(options.quant), options.model_name or KNOWN[n].tag) for n in names]


def _import(want: Wanted, options: argparse.Namespace) -> int:
    """One model: its file, its template, its import, its first word."""
    from harness.model import gguf

    path = _file(want.source, options)
    header = gguf.read(path)
    template = gguf.template(header, options.template)
    _tell_header(header, template)
    if options.no_create:
        print(f"kept at {path}; not imported (--no-create)")
        return 0
    name = want.tag or path.stem.lower().replace(" ", "-")
    engine = _engine(name, options.base_url)
    try:
        engine.create(path, template.text, template.stops, print)
        return _first_word(engine)
    finally:
        engine.close()


def _file(source: str, options: argparse.Namespace) -> Path:
    """The file on this machine, fetched if it is an address."""
    from harness.model import download

    if "-of-0" in source:
        raise HarnessError("the file is one part of several", "take a model in one file")
    if not source.startswith(("http://", "https://")):
        path = Path(source).expanduser()
        if not path.is_file():
            raise HarnessError(f"there is no file {source}", "check its path, or see --list")
        return download.checked(path, options.sha256)
    # A page about a file, as copied from a browser, stands for the file itself.
    url = source.replace("/blob/", "/resolve/", 1) if "huggingface.co/" in source else source
    folder = Path(options.cache).expanduser() if options.cache else download.cache_folder()
    return download.fetch(url, folder, print, sha256=options.sha256)


def _tell_header(header: Header, template: Template) -> None:
    context = f", context {header.context_length}" if header.context_length else ""
    print(
        f"{header.path.name}: {header.text('general.name') or 'no name'}, "
        f"{header.architecture or 'no architecture'}, {header.quantization or 'no quantisation'}"
        f"{context}, {header.size / 1e9:.2f} GB"
    )
    if template.family:
        gap = "with an infill part" if template.infills else "no infill tokens in its vocabulary"
        print(f"chat template: {template.family}; {gap}")
    else:
        print("chat template: none; the model would go on with a text instead of answering it")


def _engine(name: str, base_url: str) -> Ollama:
    from harness import parts
    from harness.settings import Settings

    engine: Ollama = parts.load("engines", "ollama").make(Settings(model=name, base_url=base_url))
    return engine


def _first_word(engine: Ollama) -> int:
    """Ask the new model for a word and for a gap; 1 where it cannot chat."""
    from harness.types import Message, Request, Sampling

    info = engine.info()
    able = ["chat"] * info.has_template + ["infill"] * info.can_infill
    print(f"{info.model}: {info.quantization_level}, can {' and '.join(able) or 'complete only'}")
    try:
        engine.warm(print)
    except EngineError as wrong:
        if wrong.kind != "template":
            raise
        print(f"it is imported, but: {wrong.message} (import it with --template chatml)")
        return 1
    sampling = Sampling(max_tokens=16)
    asked = (Message("user", "Answer with one word: which language is `def f(): pass`?"),)
    reply = engine.send(Request("chat", info.model, sampling, asked))
    print(f"asked for one word it says: {' '.join(reply.text.split())!r}")
    if info.can_infill:
        before, after = "def double(n):\n    return ", "\n\nassert double(2) == 4\n"
        gap = engine.send(Request("infill", info.model, sampling, (), before, after))
        print(f"it fills `return ...` of double(n) with: {' '.join(gap.text.split())!r}")
    print(f'use it: py-harness run --model {info.model} "..."')
    return 0
