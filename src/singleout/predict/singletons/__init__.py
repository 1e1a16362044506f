"""How many people would be unique."""
