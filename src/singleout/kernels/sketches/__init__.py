"""Sketches of distinct counts."""
