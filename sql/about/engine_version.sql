-- The version of SQLite.
SELECT sqlite_version()
