-- One row that /readyz writes anew: a database that takes it takes anything.
BEGIN;

CREATE TABLE readiness (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    checked_at TEXT NOT NULL
) STRICT;

PRAGMA user_version = 14;
COMMIT;
