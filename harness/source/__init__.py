"""What a Python text and a project of them say: definitions, scopes, imports, tests."""
