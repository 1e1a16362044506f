"""The encoded table, its counts and its policies: numpy only, no input or output."""
