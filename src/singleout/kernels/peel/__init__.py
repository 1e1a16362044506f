"""Local recoding: peel classes off a table, split, merge and tighten them."""
