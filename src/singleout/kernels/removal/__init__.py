"""The risk of a table without each of its records."""
