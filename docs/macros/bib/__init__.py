"""The bibliography: reading and checking BibTeX, and how works and citations read in a page.

`bibliography` loads, `bibliography_check` validates, `references` prints.
"""
