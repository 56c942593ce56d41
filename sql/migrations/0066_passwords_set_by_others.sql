-- An account remembers who else gave it its password, so that its owner is told at the next sign-in.
BEGIN;

ALTER TABLE users ADD COLUMN password_reset_by TEXT; -- name of the Solution Architect; null: a password of one's own

ALTER TABLE users ADD COLUMN password_reset_at TEXT;

PRAGMA user_version = 66;
COMMIT;
