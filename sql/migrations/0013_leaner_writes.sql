-- Two things that made comments and moves dearer than they need be.
BEGIN;

-- Only replies are indexed by what they answer: every comment had an entry there, and most are no replies.
DROP INDEX comments_by_parent;
CREATE INDEX replies_by_comment ON comments (parent_id, created_at, id) WHERE parent_id IS NOT NULL;

-- The same table, but for how it checks actor_type: for an IN of three texts SQLite makes a table with each row.
INSERT INTO history (
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at,
    passage, from_column_id, to_column_id, moment
)
SELECT
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at,
    passage, from_column_id, to_column_id, moment
FROM new_history
ORDER BY card_id, number;

DROP TABLE new_history; -- with its triggers
CREATE TABLE new_history (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    actor_type TEXT NOT NULL CHECK (actor_type = 'User' OR actor_type = 'Agent' OR actor_type = 'System'),
    actor_id TEXT NOT NULL,
    actor_label TEXT,
    action TEXT NOT NULL,
    changes TEXT NOT NULL,                     -- JSON: field name -> {from, to}
    created_at TEXT NOT NULL,
    passage TEXT,
    from_column_id TEXT,
    to_column_id TEXT,
    moment INTEGER
) STRICT;

CREATE TRIGGER new_history_is_append_only BEFORE UPDATE ON new_history
BEGIN
    SELECT RAISE(ABORT, 'history is append-only');
END;

CREATE TRIGGER new_history_leaves_when_filed BEFORE DELETE ON new_history
WHEN NOT EXISTS (SELECT 1 FROM history WHERE history.id = OLD.id)
AND EXISTS (SELECT 1 FROM cards WHERE cards.id = OLD.card_id)
BEGIN
    SELECT RAISE(ABORT, 'history is append-only');
END;

PRAGMA user_version = 13;
COMMIT;
