"""The record's models and its reader: the one definition of every file under `data/`.

`shape` holds what all models share; `published`, `result`, `recording` and `comparison` hold one
kind of file each; `read` turns files into models or says which file, pointer and reason;
`whole` checks what no single file can show. `docs/macros` may import this package, and nothing
else of `measure` (docs/design/0001-one-definition-of-the-record.md).
"""
