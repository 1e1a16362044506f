"""A first plan, guessed from the names and values of a table."""
