"""Where a repository keeps its entries: one SQLite file, or a PostgreSQL database."""
