"""Data sets and questionnaires, registered and matched."""
