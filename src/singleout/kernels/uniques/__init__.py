"""Search for minimal sample uniques."""
