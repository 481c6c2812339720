"""Orders of a small shop."""
