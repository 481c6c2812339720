"""The check on rendered pages that no figure stands there unbound.

`orphans` is the way in; the others read HTML and text for it.
"""
