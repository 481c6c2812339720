"""The person at the terminal: what they type, see, pipe in and answer."""
