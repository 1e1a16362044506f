"""Hierarchies: what the values of a column become on each level, written, built or proposed."""
