"""Commands that bring the risk down: treatments, suggestions, and what they cost."""
