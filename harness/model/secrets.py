"""Owns the shapes of secrets: which kinds a text holds, and the text with each value taken out.

Does not cover which files may be read (`fence`) nor who asks before something is sent (`engines`).
"""

from __future__ import annotations

import re

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "private key",
        re.compile(
            r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\n|\s)*(?:[\w-]+: [^\n]+\s+)*"
            r"[A-Za-z0-9+/=]{12,}(?:(?:\\n|\s)+[A-Za-z0-9+/=]{12,})*"
            r"(?:(?:\\n|\s)*[A-Za-z0-9+/=]{0,12}(?:\\n|\s)*-----END[^-\n]*-----)?"
        ),
    ),
    ("AWS access key", re.compile(r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b")),
    (
        "AWS secret key",
        re.compile(r"(?i)(?<=secret.access.key)\W{1,4}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"),
    ),
    ("GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})")),
    ("GitLab token", re.compile(r"\bglpat-[A-Za-z0-9_-]{20,}")),
    ("Anthropic key", re.compile(r"\bsk-ant-[A-Za-z0-9_-]{20,}")),
    ("OpenAI key", re.compile(r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}")),
    ("Hugging Face token", re.compile(r"\bhf_[A-Za-z0-9]{30,}\b")),
    ("Google key", re.compile(r"\bAIza[A-Za-z0-9_-]{35}\b")),
    ("Slack token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{20,}")),
    ("Stripe key", re.compile(r"\b[rs]k_live_[A-Za-z0-9]{16,}")),
    ("npm token", re.compile(r"\bnpm_[A-Za-z0-9]{36}\b")),
    ("PyPI token", re.compile(r"\bpypi-AgEI[A-Za-z0-9_-]{50,}")),
    (
        "JSON web token",
        re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}"),
    ),
    (
        "password in an address",
        re.compile(
            r"\b[a-z][a-z0-9+]{2,15}://[\w.%+-]+:"
            r"(?!(?i:pass(?:word)?|secret|pw|pwd|x+|\*+)@)[^\s:@/{}<>$\"'`]{6,}"
            r"@(?!localhost|127\.|\[::1\]|example\.)[\w.-]+"
        ),
    ),
)


def find(text: str) -> tuple[str, ...]:
    """Kinds of secrets that a text holds, each once; never a value."""
    return tuple(kind for kind, shape in _KINDS if shape.search(text))


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with each secret written as `<secret: kind>`, and the kinds that were found."""
    found = find(text)
    for kind, shape in _KINDS:
        if kind in found:
            text = shape.sub(f"<secret: {kind}>", text)
    return text, found
