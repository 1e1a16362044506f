"""Individual risk: how likely each record is re-identified. Benedetti and Franconi (1998)."""
