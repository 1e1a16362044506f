"""Treated tables: what was done, what changed, and what it brought and cost."""
