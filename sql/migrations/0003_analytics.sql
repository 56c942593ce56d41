-- What analytics reads: the passages of cards through columns, and what agents did.
BEGIN;

-- History says that a card was archived, but not where it stood; here each coming and leaving has its column.
CREATE TABLE passages (
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    moment INTEGER NOT NULL,                   -- milliseconds since 1970
    history_id TEXT NOT NULL,
    kind TEXT NOT NULL,                        -- the action; 'returned' if restored to where it stood
    from_column_id TEXT,                       -- null: the card was new or archived
    to_column_id TEXT,                         -- null: it is archived now
    PRIMARY KEY (card_id, moment, history_id)
) STRICT, WITHOUT ROWID;

-- The hot one is kept simple: a card that is made or moved says itself where it came from and went.
CREATE TRIGGER passages_follow_moves AFTER INSERT ON history
WHEN NEW.action IN ('moved', 'created')
BEGIN
    INSERT INTO passages (card_id, moment, history_id, kind, from_column_id, to_column_id)
    VALUES (
        NEW.card_id,
        CAST(round((julianday(NEW.created_at) - 2440587.5) * 86400000) AS INTEGER),
        NEW.id,
        NEW.action,
        NEW.changes ->> '$.columnId.from',
        NEW.changes ->> '$.columnId.to'
    );
END;

CREATE TRIGGER passages_follow_history AFTER INSERT ON history
WHEN NEW.action IN ('archived', 'restored')
OR (NEW.action = 'imported' AND json_extract(NEW.changes, '$.columnId.to') IS NOT NULL)
BEGIN
    INSERT INTO passages (card_id, moment, history_id, kind, from_column_id, to_column_id)
    SELECT
        NEW.card_id,
        CAST(round((julianday(NEW.created_at) - 2440587.5) * 86400000) AS INTEGER),
        NEW.id,
        CASE
            WHEN NEW.action = 'restored' AND json_extract(NEW.changes, '$.columnId.to') IS NULL THEN 'returned'
            ELSE NEW.action
        END,
        (
            SELECT p.to_column_id
            FROM passages AS p
            WHERE p.card_id = NEW.card_id
            ORDER BY p.moment DESC, p.history_id DESC
            LIMIT 1
        ),
        CASE
            WHEN NEW.action = 'restored' THEN coalesce(
                json_extract(NEW.changes, '$.columnId.to'),
                (
                    SELECT p.to_column_id
                    FROM passages AS p
                    WHERE p.card_id = NEW.card_id AND p.to_column_id IS NOT NULL
                    ORDER BY p.moment DESC, p.history_id DESC
                    LIMIT 1
                ),
                (SELECT c.column_id FROM cards AS c WHERE c.id = NEW.card_id)
            )
            WHEN NEW.action <> 'archived' THEN json_extract(NEW.changes, '$.columnId.to')
        END;
END;

-- The history there is so far.
INSERT INTO passages (card_id, moment, history_id, kind, from_column_id, to_column_id)
WITH positions AS (
    SELECT
        h.card_id,
        h.created_at,
        h.id,
        h.action,
        json_extract(h.changes, '$.columnId.to') AS named_column_id,
        CASE
            WHEN h.action = 'restored' THEN coalesce(
                json_extract(h.changes, '$.columnId.to'),
                (
                    SELECT json_extract(e.changes, '$.columnId.to')
                    FROM history AS e
                    WHERE
                        e.card_id = h.card_id
                        AND (e.created_at, e.id) < (h.created_at, h.id)
                        AND json_extract(e.changes, '$.columnId.to') IS NOT NULL
                    ORDER BY e.created_at DESC, e.id DESC
                    LIMIT 1
                ),
                c.column_id
            )
            WHEN h.action <> 'archived' THEN json_extract(h.changes, '$.columnId.to')
        END AS to_column_id
    FROM history AS h
    JOIN cards AS c ON c.id = h.card_id
    WHERE h.action IN ('created', 'moved', 'archived', 'restored')
)

SELECT
    card_id,
    CAST(round((julianday(created_at) - 2440587.5) * 86400000) AS INTEGER),
    id,
    CASE WHEN action = 'restored' AND named_column_id IS NULL THEN 'returned' ELSE action END,
    lag(to_column_id) OVER (PARTITION BY card_id ORDER BY created_at, id),
    to_column_id
FROM positions;

CREATE INDEX passages_into ON passages (to_column_id, moment, kind) WHERE to_column_id IS NOT NULL;
CREATE INDEX passages_out ON passages (from_column_id, moment) WHERE from_column_id IS NOT NULL;
CREATE INDEX history_of_agents ON history (org_id, actor_id, card_id, created_at, action, actor_type)
WHERE actor_type = 'Agent';
CREATE INDEX cards_by_creation ON cards (org_id, created_at, project_id);

PRAGMA user_version = 3;
COMMIT;
