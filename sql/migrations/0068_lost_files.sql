-- The hash of the contents of each file, which uploads store and the service fills in for older files, and since when its
-- contents are missing or damaged on the disk.
BEGIN;

ALTER TABLE files ADD COLUMN sha256 TEXT; -- of the contents, in hexadecimal; null: not calculated yet
ALTER TABLE files ADD COLUMN lost_since TEXT; -- when the contents were found to be missing or damaged

CREATE INDEX files_lost ON files (org_id, lost_since, id) WHERE lost_since IS NOT NULL;

PRAGMA user_version = 68;
COMMIT;
