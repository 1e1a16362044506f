"""What to do first, tried out on the table."""
