"""Engines count; every method above them is a pure function of what they count."""
