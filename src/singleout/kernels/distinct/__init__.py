"""Count the combinations of every set of p columns, and find the records alone in them."""
