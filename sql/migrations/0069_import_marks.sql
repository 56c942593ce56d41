-- When an organization last imported a snapshot completely, so that the next import can tell what has changed since. And
-- the mentions of a comment can be filled in, if it had none, once the people are members.
BEGIN;

CREATE TABLE import_marks (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    exported_at TEXT NOT NULL, -- of the snapshot, which tells it from others
    imported_at TEXT NOT NULL,
    PRIMARY KEY (org_id, exported_at)
) STRICT, WITHOUT ROWID;

DROP TRIGGER comments_are_append_only;

CREATE TRIGGER comments_are_append_only
BEFORE UPDATE OF
id, org_id, card_id, parent_id, content, actor_type, actor_id, actor_label, created_at, imported
ON comments
BEGIN
    SELECT RAISE(ABORT, 'comments are append-only');
END;

CREATE TRIGGER mentions_of_comments_are_only_filled_in BEFORE UPDATE OF mentions ON comments
WHEN OLD.mentions IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'comments are append-only');
END;

PRAGMA user_version = 69;
COMMIT;
