"""List the models that the server has; the default is marked.

Does not cover importing a model from a file (`import-gguf`).
"""

from __future__ import annotations

import argparse
import json

from harness.person import flags
from harness.person.terminal import one_line

ORDER = 60


def options(parser: argparse.ArgumentParser) -> None:
    """The server and the folder whose settings count."""
    flags.add_project(parser)
    flags.add_json(parser)
    flags.add_knobs(parser, ("model", "engine", "base_url"))


def run(options: argparse.Namespace) -> int:
    """One model a line; 3 where no server answers."""
    settings = flags.settings_of(options, flags.folder(options.project))
    engine = flags.part("engines", settings.engine).make(settings)
    try:
        names = engine.models()
    finally:
        engine.close()
    if options.json:
        print(json.dumps({"default": settings.model, "models": names}))
        return 0
    for name in sorted(names):
        print(f"{'*' if name == settings.model else ' '} {one_line(name)}")
    if settings.model not in names:
        print(f"{settings.model}, the model that is asked for, is not there.")
        if settings.engine == "ollama":
            print(f"Get it: ollama pull {settings.model}")
    print("Take another: --model NAME, or model in [tool.py-harness] of pyproject.toml")
    return 0
