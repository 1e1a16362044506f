"""One's own risk, from a table in hand: computed here, and nothing is sent."""
