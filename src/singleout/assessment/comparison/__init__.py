"""Two versions of a table side by side."""
