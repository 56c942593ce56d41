-- The version of the database engine.
SELECT sqlite_version()
