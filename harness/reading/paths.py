"""Owns telling a file's path from other words in a model's reply; never takes one out of prose.

Does not cover whether a path may be read or written (`fence`).
"""

from __future__ import annotations

import re
from collections.abc import Collection

_SUFFIXES = [
    "bat",
    "c",
    "cc",
    "cfg",
    "cpp",
    "css",
    "csv",
    "env",
    "go",
    "h",
    "hpp",
    "html",
    "ini",
    "ipynb",
    "java",
    "js",
    "json",
    "jsx",
    "lock",
    "lua",
    "make",
    "md",
    "mdx",
    "php",
    "pl",
    "ps1",
    "py",
    "pyi",
    "pyx",
    "rb",
    "rs",
    "rst",
    "sh",
    "sql",
    "svg",
    "swift",
    "tex",
    "toml",
    "ts",
    "tsx",
    "tsv",
    "txt",
    "xml",
    "yaml",
    "yml",
]
_PATH = re.compile(
    rf"(?:[A-Za-z]:)?[/\\]?(?:[\w.@+~-]+[/\\])*[\w.@+~-]*\.(?:{'|'.join(_SUFFIXES)})", re.IGNORECASE
)
_BARE = frozenset({"Makefile", "Dockerfile", "LICENSE", "Procfile", "Jenkinsfile", "Pipfile"})
_LANGUAGE_NAMES = frozenset(
    ["bash", "c", "cpp", "css", "diff", "html", "java", "javascript", "json", "markdown", "md",
     "python", "python3", "rust", "sh", "shell", "sql", "text", "toml", "typescript", "yaml"]
)  # fmt: skip
_LABEL = re.compile(
    r"^(?:(?:new |updated |modified |changed |full |complete |target )*"
    r"(?:file ?name|file ?path|file|path|module|test file)\s*\d*\s*[:=]\s*)", re.I
)  # fmt: skip
_REMARK = re.compile(
    r"\s*(?:\([^()]{1,40}\)|[-–—]\s*(?:new|updated|modified|changed)\b.{0,20}|:)\s*$", re.I
)
_MADE_UP = re.compile(
    r"^(?:\.?/?(?:absolute/)?path/to/|(?:your|my)[_-]?(?:project|repo|app|package)/"
    r"|project/|repo/)", re.I
)  # fmt: skip


def is_path(word: str) -> bool:
    """Whether a word alone has the shape of a file's path; a language's name has not."""
    return bool(_PATH.fullmatch(word)) or word.replace("\\", "/").rsplit("/", 1)[-1] in _BARE


def is_wordy(value: str) -> bool:
    """Whether a value given as a path is a language's name, or words of a sentence."""
    if value.casefold() in _LANGUAGE_NAMES:
        return True
    parts = value.replace("\\", "/").split("/")
    spaced = any(len(part.split()) > 2 for part in parts)
    return bool(re.search(r"\s", value)) and (spaced or not is_path(re.sub(r"\s", "_", value)))


def clean(name: str) -> str:
    """A path without quotes, `./`, back-slashes and `b/` of a diff; empty where it is none."""
    word = name.strip().strip("`\"'*<>").strip().replace("\\", "/")
    word = re.sub(r"^(?:\./)+", "", word)
    return word if is_path(word) else ""


def in_line(line: str, comment: bool = False) -> str:
    """The path that a line is, in any dress: heading, bold, ticks, label; empty for a sentence.

    `comment`: the line must be a comment and nothing but a path behind its mark.
    """
    text = line.strip()
    if comment:
        found = re.match(
            r"^(?:#(?!!)+|//+|--|/\*+|<!--|;+|\"\"\")\s*(?P<words>.*?)\s*(?:\*/|-->|\"\"\")?$", text
        )
        if found is None:
            return ""
        text = found["words"]
    text = re.sub(r"^(?:[#>\s]+|[-*•+]\s+|\d{1,2}[.)]\s+)+", "", text)
    for _ in range(3):
        text = _LABEL.sub("", text.strip("*_ ").strip())
        text = _REMARK.sub("", text) if not is_path(text) else text
        text = text.strip("`\"'[]").strip()
    text = re.sub(r"[`*]+", "", text) if " " not in text else text
    return clean(text)


def in_info(info: str) -> str:
    """The path in a fence's info string: `python:src/a.py`, `python src/a.py`, `src/a.py`."""
    for word in re.split(r"[\s,{}]+", info):
        named = re.sub(
            r"^(?:[A-Za-z+#]+:|(?:file|filename|path|title|name)=)", "", word, flags=re.I
        )
        if found := clean(named):
            return found
    return ""


def among(name: str, known: Collection[str]) -> str | None:
    """The known file that a path means, or the path itself where it is new; None if ambiguous.

    A base name alone, or with made-up folders before it, is the one known file of that name. An
    absolute path that ends in no known one is empty: it lies outside.
    """
    path = re.sub(r"^/+", "", name.replace("\\", "/"))
    path = re.sub(r"^(?:\./)+", "", path)
    if path in known:
        return path
    if path[:2] in ("a/", "b/") and path[2:] in known:
        return path[2:]
    longer = [file for file in known if path.endswith("/" + file)]
    if longer:
        return max(longer, key=len)
    made_up = _MADE_UP.match(path)
    bare = path[made_up.end() :] if made_up else path
    ends = [file for file in known if file == bare or file.endswith("/" + bare)]
    if len(ends) == 1:
        return ends[0]
    absolute = re.match(r"^(?:[A-Za-z]:)?/", name.replace("\\", "/"))
    return None if ends else ("" if absolute else bare)
