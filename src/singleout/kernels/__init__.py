"""Compiled loops over flat arrays; the only place that knows numba."""
