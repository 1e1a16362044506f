"""Diversity: what a class of records gives away about a sensitive column. l, t, alpha, beta."""
