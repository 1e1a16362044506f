"""What follows from the log and can be made again: derived tables, the tree, and their check."""
