"""The helper: small local models under a strict harness; knows nothing of measure, docs or data."""

__version__ = "0.1.0"
