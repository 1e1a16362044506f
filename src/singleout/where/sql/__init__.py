"""Conditions as expressions of ibis that select what the local engine selects."""
