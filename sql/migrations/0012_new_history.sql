-- Where people's changes are written first: an index by card cost each move a page of its own, a fifth of its transaction.
BEGIN;

-- Without indexes, so only its end is written; the rows are moved into history in portions, and before anybody reads it.
CREATE TABLE new_history (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    actor_type TEXT NOT NULL CHECK (actor_type IN ('User', 'Agent', 'System')),
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

-- Append-only like history: a row leaves when it is in history, or with its card.
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

PRAGMA user_version = 12;
COMMIT;
