"""Attributes that depend on each other."""
