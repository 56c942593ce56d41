"""The database: the only room that knows the engine."""
