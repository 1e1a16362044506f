"""What the page Treat works with: the list of steps, what it does, trees, the frontier, files."""
