"""What a function does when it is tried: behaviour, examples, mutants."""
