"""Risks by attacker: prosecutor, journalist and marketer. El Emam (2010)."""
