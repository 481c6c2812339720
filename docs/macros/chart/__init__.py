"""Charts of the record: what is plotted, how it is laid out, drawn and captioned.

`charts` is the way in: the macro, and the files that the site carries.
"""
