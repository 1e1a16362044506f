"""Records from data: counted where it is, gated, and explained before anything becomes public."""
