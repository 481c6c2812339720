"""Owns the rules on a file's name alone: hostile spellings, secret names, folders, suffixes.

Does not cover what stands on disk under a name (`fence`).
"""

from __future__ import annotations

import os
import re
import unicodedata

# Read and written.
TEXT_SUFFIXES = frozenset((
    ".py", ".pyi", ".md", ".rst", ".txt", ".toml", ".yml", ".yaml", ".cfg", ".ini", ".json",
    ".csv",
))  # fmt: skip
# Read only: a Python project's other text, and names without a suffix.
READ_SUFFIXES = frozenset((".in", ".tsv", ".html", ".css", ".js", ".sql", ".sh", ".xml", ".lock"))
READ_NAMES = frozenset((
    "makefile", "dockerfile", "justfile", "procfile", "pipfile", "jenkinsfile", "license",
    "licence", "copying", "notice", "authors", "contributors", "codeowners", "readme", "changelog",
    "changes", "news", "todo", "version", "install", "manifest", "py.typed", ".gitignore",
    ".gitattributes", ".dockerignore", ".editorconfig", ".python-version", ".coveragerc",
    ".flake8", ".pylintrc", ".mailmap",
))  # fmt: skip

# Never listed, read or written: made by tools, other people's code, or keys.
SKIPPED = frozenset((
    ".git", ".hg", ".svn", ".bzr", ".py-harness", ".venv", "venv", ".tox", ".nox", "node_modules",
    "__pycache__", "__pypackages__", "site-packages", ".mypy_cache", ".pytest_cache",
    ".ruff_cache", ".hypothesis", ".cache", ".eggs", ".ipynb_checkpoints", "htmlcov", ".idea",
    ".vscode", ".ssh", ".env", ".secrets", ".aws", ".gnupg", ".azure", ".kube", ".docker",
    ".terraform",
))  # fmt: skip
_SKIPPED_ENDS = (".egg-info", ".dist-info")

# What decides how tests are found and judged.
PROTECTED = frozenset((
    "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini",
    "tox.toml", "setup.cfg", "pyproject.toml", ".coveragerc", "noxfile.py", "sitecustomize.py",
    "usercustomize.py",
))  # fmt: skip

_SECRET_NAMES = frozenset((
    ".pypirc", ".netrc", "_netrc", ".npmrc", ".yarnrc", ".pgpass", "pgpass.conf", ".my.cnf",
    ".htpasswd", ".git-credentials", ".envrc", ".dockercfg", ".boto", ".s3cfg", "known_hosts",
    "token.json", "kubeconfig", ".vault-token", ".credentials",
))  # fmt: skip
_SECRET_ENDS = (
    ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".gpg", ".asc", ".ppk", ".der",
    ".crt", ".cer", ".ovpn", ".env",
)  # fmt: skip
_SECRET_KEY = re.compile(r"id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].*)?$|\.env(?:[._-].*)?$")
_SECRET_WORD = re.compile(
    r"(?:^|[._-])(?:credentials?|secrets?|passwords?|passwd|service[._-]?accounts?"
    r"|private[._-]?keys?|api[._-]?keys?)(?:[._-]|$)"
)
# Program text and prose about secrets is no secret: credentials.py, test_secrets.py, secrets.md.
_SPEAKS_OF_SECRETS = (".py", ".pyi", ".md", ".rst")

_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)", re.I)
_UNPORTABLE = frozenset('<>"|?*')
MAX_PART = 255
MAX_NAME = 1024


def composed(name: str) -> str:
    """A name in one Unicode composition, so that two spellings of one accent are equal."""
    return unicodedata.normalize("NFC", name)


def fold(name: str) -> str:
    """A name as a file system that ignores case and composition compares it.

    Look-alikes of other alphabets stay different.
    """
    return composed(composed(name).casefold())


def shown(name: str) -> str:
    """A name fit for one line: without control characters, at most 80 characters."""
    safe = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)
    return safe if len(safe) <= 80 else safe[:77] + "…"


def hostile(name: str) -> str:
    """Why a name cannot be a path in a project, whatever stands on disk; empty where it can."""
    if not name.strip():
        return "no file is named"
    if len(name) > MAX_NAME:
        return f"the path has {len(name)} characters, {MAX_NAME} at most"
    for c in "" if name.isascii() and name.isprintable() else name:
        if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            return f"{shown(name)} holds the character U+{ord(c):04X}, which no path here may hold"
    if name.startswith(("//", "\\\\")):
        return f"{shown(name)} is a network path"
    if "\\" in name and os.name != "nt":
        return f"{shown(name)} has a backslash"
    return ""


def unfit(parts: tuple[str, ...]) -> str:
    """Why the parts of a relative path cannot be used; empty where they can."""
    for part in parts:
        if part == "..":
            return "the path has `..` in it"
        if ":" in part:
            return f"{shown(part)} has a colon: a drive or a hidden stream"
        if part != part.strip() or part.endswith("."):
            return f"{shown(part)!r} begins or ends with a space, or ends with a dot"
        if len(part.encode("utf-8", "surrogatepass")) > MAX_PART:
            return f"{shown(part)} is longer than {MAX_PART} bytes"
    if parts and parts[0].startswith(("~", "-")):
        return f"{shown(parts[0])} begins with {parts[0][0]}, which programs read as something else"
    return ""


def unportable(parts: tuple[str, ...]) -> str:
    """Why a file of that name cannot be made on every system; empty where it can."""
    for part in parts:
        if _RESERVED.match(part):
            return f"{shown(part)} is the name of a device on Windows"
        if _UNPORTABLE & set(part):
            return f"{shown(part)} has a character that Windows forbids in names"
    return ""


def is_skipped(folder: str) -> bool:
    """Whether a folder of that name is never looked into."""
    name = fold(folder)
    return name in SKIPPED or name.endswith(_SKIPPED_ENDS)


def is_secret(name: str) -> bool:
    """Whether a file of that base name is taken to hold secrets."""
    base = fold(name)
    if base in _SECRET_NAMES or base.endswith(_SECRET_ENDS):
        return True
    if base.endswith(_SPEAKS_OF_SECRETS):
        return base.startswith(".env")
    return bool(_SECRET_KEY.match(base) or _SECRET_WORD.search(base))


def is_text(name: str, *, write: bool) -> bool:
    """Whether a file of that base name may be read, or written, as text."""
    base = fold(name)
    suffix = os.path.splitext(base)[1]
    if write:
        return suffix in TEXT_SUFFIXES
    return suffix in TEXT_SUFFIXES or suffix in READ_SUFFIXES or base in READ_NAMES


def is_protected(path: str) -> bool:
    """Whether a file holds test configuration, which decides how a suite is found and judged."""
    base = fold(path.rsplit("/", 1)[-1])
    return base in PROTECTED or base.endswith(".pth")
