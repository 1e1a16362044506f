"""Utility: what an analyst still finds in the treated table."""
