"""Compiled loops over flat arrays; the only package that imports numba."""
