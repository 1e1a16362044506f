"""How sure an attacker can be of a person, and of what is true of them."""
