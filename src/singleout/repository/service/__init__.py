"""A repository over HTTP."""

from singleout.repository.extra import extra

extra("fastapi")  # nothing here works without it, and its absence gets a sentence
