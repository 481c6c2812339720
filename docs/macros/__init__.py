"""data + bib → page: numbers, tables, charts, claims, citations, and the checks on them.

Reads the record through `measure.record` and nothing else of `measure`; mkdocs is met only in
`adapter.py` and `hook.py`. Everything else is plain Python and runs without it.
"""
