"""How many people are left after each answer."""
