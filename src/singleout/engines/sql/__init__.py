"""Tables in databases, and files through DuckDB, counted by SQL."""
