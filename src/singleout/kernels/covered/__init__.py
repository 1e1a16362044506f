"""How many published rows each person may be."""
