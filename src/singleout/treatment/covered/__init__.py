"""Covered: how many published rows each original record may be."""
