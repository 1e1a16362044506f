"""How uncertain an attacker is who takes some people to be likelier than others."""
