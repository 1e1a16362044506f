"""Tables written to files."""
