"""Sums of products for regressions."""
