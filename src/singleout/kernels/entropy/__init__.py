"""Record entropy."""
