-- The passages of cards through columns stand in the history rows that tell of them: a table of their own cost every
-- move a tenth of its time.
BEGIN;

DROP TRIGGER passages_follow_moves;
DROP TRIGGER passages_follow_history;
DROP TRIGGER history_is_append_only;

ALTER TABLE history ADD COLUMN passage TEXT;         -- the action, or 'returned' if restored to where it stood; null: none
ALTER TABLE history ADD COLUMN from_column_id TEXT;  -- null: the card was new or archived
ALTER TABLE history ADD COLUMN to_column_id TEXT;    -- null: it is archived now
ALTER TABLE history ADD COLUMN moment INTEGER;       -- of the passage, in milliseconds since 1970

UPDATE history
SET
    passage = p.kind,
    from_column_id = p.from_column_id,
    to_column_id = p.to_column_id,
    moment = p.moment
FROM passages AS p
WHERE p.card_id = history.card_id AND p.history_id = history.id;

DROP TABLE passages;

CREATE INDEX history_into ON history (to_column_id, moment, passage, card_id) WHERE to_column_id IS NOT NULL;
CREATE INDEX history_out_of ON history (from_column_id, moment) WHERE from_column_id IS NOT NULL;

CREATE TRIGGER history_is_append_only BEFORE UPDATE ON history
BEGIN
    SELECT RAISE(ABORT, 'history is append-only');
END;

PRAGMA user_version = 4;
COMMIT;
