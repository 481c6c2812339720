"""The person's files: the fence, the journal, the one write, the throw-away copy."""
