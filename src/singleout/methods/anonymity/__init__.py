"""Anonymity sets: how many records share each combination. Koot (2012)."""
