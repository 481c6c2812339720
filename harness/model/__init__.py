"""Servers that hold a model: addresses, streams, recordings, model files."""
