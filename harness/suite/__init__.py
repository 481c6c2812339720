"""The project's own tests as proof, run bounded in a copy."""
