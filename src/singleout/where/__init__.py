"""The condition language: which records a question is about, the same on every engine."""
