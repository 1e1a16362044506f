"""Predictions checked against what was observed. Koot (2012), 6.2.3 and 6.3.2."""
