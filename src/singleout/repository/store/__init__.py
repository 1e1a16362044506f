"""Where a repository is kept: SQLite or PostgreSQL, append-only."""
