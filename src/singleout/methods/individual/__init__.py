"""Individual risk: how likely each record is re-identified, by weights. Benedetti, Franconi (1998)."""
