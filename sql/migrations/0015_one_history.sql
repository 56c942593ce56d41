-- History in one table again: to keep people's changes waiting beside it spared a comment a twentieth of its cost.
BEGIN;

-- What still waits belongs to the history; an id that is there already must not keep the database from opening.
INSERT INTO history (
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at,
    passage, from_column_id, to_column_id, moment
)
SELECT
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at,
    passage, from_column_id, to_column_id, moment
FROM new_history
WHERE true -- SQLite would read ON as part of a join
ORDER BY number
ON CONFLICT (id) DO NOTHING;

DROP TABLE new_history; -- with its triggers

-- The same table, but for how it checks actor_type: for an IN of three texts SQLite makes a table with each row.
DROP TRIGGER history_is_append_only;
DROP TRIGGER history_leaves_with_its_card;
DROP INDEX history_by_card;
DROP INDEX history_into;
DROP INDEX history_out_of;
DROP INDEX history_of_agents;
DROP INDEX history_of_new_cards;
ALTER TABLE history RENAME TO old_history;

CREATE TABLE history (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    actor_type TEXT NOT NULL CHECK (actor_type = 'User' OR actor_type = 'Agent' OR actor_type = 'System'),
    actor_id TEXT NOT NULL,
    actor_label TEXT,
    action TEXT NOT NULL,
    changes TEXT NOT NULL,                     -- JSON: field name -> {from, to}
    created_at TEXT NOT NULL,
    passage TEXT,                              -- the action, or 'returned' if restored to where it stood; null: none
    from_column_id TEXT,                       -- null: the card was new or archived
    to_column_id TEXT,                         -- null: it is archived now
    moment INTEGER                             -- of the passage, in milliseconds since 1970
) STRICT;

INSERT INTO history (
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at,
    passage, from_column_id, to_column_id, moment
)
SELECT
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at,
    passage, from_column_id, to_column_id, moment
FROM old_history
ORDER BY rowid;

DROP TABLE old_history;

CREATE INDEX history_by_card ON history (card_id, created_at, id);
CREATE INDEX history_into ON history (to_column_id, moment, passage, card_id) WHERE to_column_id IS NOT NULL;
CREATE INDEX history_out_of ON history (from_column_id, moment) WHERE from_column_id IS NOT NULL;
CREATE INDEX history_of_agents ON history (org_id, actor_id, card_id, created_at, action, actor_type)
WHERE actor_type = 'Agent';
CREATE INDEX history_of_new_cards ON history (org_id, actor_id, created_at)
WHERE actor_type = 'Agent' AND action = 'created';

-- Append-only: a row leaves only with its card, which is gone by the time the cascade reaches the trigger.
CREATE TRIGGER history_is_append_only BEFORE UPDATE ON history
BEGIN
    SELECT RAISE(ABORT, 'history is append-only');
END;

CREATE TRIGGER history_leaves_with_its_card BEFORE DELETE ON history
WHEN EXISTS (SELECT 1 FROM cards WHERE cards.id = OLD.card_id)
BEGIN
    SELECT RAISE(ABORT, 'history is append-only');
END;

PRAGMA user_version = 15;
COMMIT;
