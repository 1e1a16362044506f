"""Suppress single cells, so that what is left of a record is shared with others."""
