"""Suppression of cells: the classes of a peel, hitting sets, and matches of blanked rows."""
