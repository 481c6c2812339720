"""Reading what a model wrote: one Action, whole files, edits; knows no project."""
