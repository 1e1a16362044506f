"""Steps: what is done to a table, in order, written down and applied."""
