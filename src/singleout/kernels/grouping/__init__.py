"""Group records by their codes: the base of everything that counts."""
