"""Delimited text: its encoding, its dialect, its cells."""
