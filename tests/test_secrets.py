"""Owns the proof that secrets are known by their shape, and that ordinary code is none."""

from __future__ import annotations

import pytest

from harness.model import secrets

# Put together here, so that no file of the project holds anything of a secret's shape.
SAMPLES = {
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEAxyz0123456789",
    "AWS access key": "AKIA" + "IOSFODNN7EXAMPL2",
    "AWS secret key": "aws_secret_access_key = " + "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12",
    "GitHub token": "ghp_" + "a1B2" * 9,
    "GitLab token": "glpat-" + "a1B2" * 5,
    "Anthropic key": "sk-ant-" + "api03-" + "a1B2" * 8,
    "OpenAI key": "sk-proj-" + "a1B2" * 10,
    "Hugging Face token": "hf_" + "aBcD" * 9,
    "Google key": "AIza" + "a1B2c" * 7,
    "Slack token": "xoxb-" + "1234-" * 5 + "abcdef",
    "Stripe key": "sk_live_" + "a1B2" * 6,
    "npm token": "npm_" + "a1B2" * 9,
    "PyPI token": "pypi-AgEI" + "cHlwaS5vcmc" * 6,
    "JSON web token": "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0In0" + "." + "a1B2" * 8,
    "password in an address": "postgres://" + "app:s3cr3tvalue" + "@db.corp.net/x",
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_each_kind_is_found_and_taken_out(kind: str) -> None:
    """The kind is named, nothing of the value is left, the text around it stays."""
    text = f"first = 1\n{SAMPLES[kind]}\nlast = 2"
    cleaned, kinds = secrets.redact(text)
    assert secrets.find(text) == kinds == (kind,)
    assert cleaned.startswith("first = 1\n")
    assert cleaned.endswith("\nlast = 2")
    assert f"<secret: {kind}>" in cleaned
    assert secrets.find(cleaned) == ()


def test_every_kind_has_a_sample() -> None:
    """No shape goes untested."""
    assert set(SAMPLES) == {kind for kind, _ in secrets._KINDS}


@pytest.mark.parametrize(
    "text",
    [
        "task-list and risk-analysis of a disk-space-monitor-with-a-long-name",
        "sk_test = 'a'; key = 'AKIA'; token = os.environ['GITHUB_TOKEN']",
        "postgres://user:password@localhost/db",
        "postgres://{user}:{password}@{host}/db",
        "https://example.com/a:b@c",
        "-----BEGIN CERTIFICATE-----",
        "sha256:" + "0a" * 32,
        "def secret_access_key(value): return value",
        "-----BEGIN PRIVATE KEY-----",
    ],
)
def test_ordinary_code_is_none(text: str) -> None:
    """Names, placeholders and hashes raise no alarm and stay as they are."""
    assert secrets.redact(text) == (text, ())


def test_two_kinds_at_once() -> None:
    """All kinds of a text are named, each once."""
    both = SAMPLES["GitHub token"] + "\n" + SAMPLES["AWS access key"] + "\n"
    assert secrets.find(both * 2) == ("AWS access key", "GitHub token")
