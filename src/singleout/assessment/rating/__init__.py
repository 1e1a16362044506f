"""Severity and likelihood: what an attacker could know, and what follows from it."""
