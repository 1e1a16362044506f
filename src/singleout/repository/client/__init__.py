"""A repository as a user sees it: a local file or a URL."""

from singleout.repository.extra import extra

extra("sqlalchemy")  # a repository on disk needs it, and its absence gets a sentence
