"""The database layer: the only package that uses SQLite directly."""
