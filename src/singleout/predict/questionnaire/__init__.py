"""Questionnaires before anybody answers them."""
