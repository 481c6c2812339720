"""The bench: reads, checks and writes the record; uses harness through its public names."""
