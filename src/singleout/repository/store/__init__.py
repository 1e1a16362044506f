"""Where a repository keeps its entries: one SQLite file, or a PostgreSQL database."""

from singleout.repository.extra import extra

extra("sqlalchemy")  # nothing here works without it, and its absence gets a sentence
