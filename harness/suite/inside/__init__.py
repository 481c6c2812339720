"""Owns scripts that run inside the project's own interpreter: 3.8 or newer, nothing of ours.

Does not cover starting them nor reading what they write (`oracle`, `suite_output`). They are found
on the import path by their file names, so these start with `py_harness_`.
"""
