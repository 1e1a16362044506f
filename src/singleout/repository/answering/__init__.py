"""Answers from published records: find one, predict, compose, decide, assess oneself."""
