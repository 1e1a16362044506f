"""Predictions for several places and several numbers of people, side by side. Koot (2012)."""
