"""Rounded numbers: who shares an interval."""
