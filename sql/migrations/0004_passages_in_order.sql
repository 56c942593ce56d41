-- Passages are kept in the order in which history is written: a row for each card's place in an index of all
-- cards made every move change one page more than it needs to.
BEGIN;

DROP TRIGGER passages_follow_moves;
DROP TRIGGER passages_follow_history;
DROP INDEX passages_into;
DROP INDEX passages_out;
ALTER TABLE passages RENAME TO passages_by_card;

CREATE TABLE passages (
    history_id TEXT PRIMARY KEY REFERENCES history (id) ON DELETE CASCADE,
    card_id TEXT NOT NULL,
    moment INTEGER NOT NULL,                   -- milliseconds since 1970
    kind TEXT NOT NULL,                        -- the action; 'returned' if restored to where it stood
    from_column_id TEXT,                       -- null: the card was new or archived
    to_column_id TEXT                          -- null: it is archived now
) STRICT, WITHOUT ROWID;

INSERT INTO passages (history_id, card_id, moment, kind, from_column_id, to_column_id)
SELECT history_id, card_id, moment, kind, from_column_id, to_column_id
FROM passages_by_card
ORDER BY history_id;

DROP TABLE passages_by_card;

CREATE INDEX passages_into ON passages (to_column_id, moment, kind, card_id) WHERE to_column_id IS NOT NULL;
CREATE INDEX passages_out ON passages (from_column_id, moment) WHERE from_column_id IS NOT NULL;

-- A card that is made or moved says itself where it came from and went; else the passage before tells.
CREATE TRIGGER passages_follow_history AFTER INSERT ON history
WHEN NEW.action IN ('moved', 'created', 'archived', 'restored', 'imported')
BEGIN
    INSERT INTO passages (history_id, card_id, moment, kind, from_column_id, to_column_id)
    SELECT
        NEW.id,
        NEW.card_id,
        CAST(round((julianday(NEW.created_at) - 2440587.5) * 86400000) AS INTEGER),
        CASE
            WHEN NEW.action = 'restored' AND NEW.changes ->> '$.columnId.to' IS NULL THEN 'returned'
            ELSE NEW.action
        END,
        CASE
            WHEN NEW.action IN ('moved', 'created') THEN NEW.changes ->> '$.columnId.from'
            ELSE (
                    SELECT p.to_column_id
                    FROM history AS h
                    JOIN passages AS p ON p.history_id = h.id
                    WHERE h.card_id = NEW.card_id
                    ORDER BY h.created_at DESC, h.id DESC
                    LIMIT 1
                )
        END,
        CASE
            WHEN NEW.action = 'restored' THEN coalesce(
                NEW.changes ->> '$.columnId.to',
                (
                    SELECT p.to_column_id
                    FROM history AS h
                    JOIN passages AS p ON p.history_id = h.id
                    WHERE h.card_id = NEW.card_id AND p.to_column_id IS NOT NULL
                    ORDER BY h.created_at DESC, h.id DESC
                    LIMIT 1
                ),
                (SELECT c.column_id FROM cards AS c WHERE c.id = NEW.card_id)
            )
            WHEN NEW.action <> 'archived' THEN NEW.changes ->> '$.columnId.to'
        END
    WHERE NEW.action <> 'imported' OR NEW.changes ->> '$.columnId.to' IS NOT NULL;
END;

PRAGMA user_version = 4;
COMMIT;
