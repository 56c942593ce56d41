-- Parts of cards, and one way to ask what holds a card back: blocks, dependsOn and partOf do it alike.
BEGIN;

-- dependsOn has held nothing back so far, so that nobody minded circles of it: their cards would wait for each other now.
CREATE TEMP TABLE circular (id TEXT PRIMARY KEY) STRICT;

INSERT INTO circular (id)
SELECT d.id
FROM relationships AS d
WHERE
    d.kind = 'dependsOn'
    AND EXISTS (
        WITH RECURSIVE held (card_id) AS (
            SELECT d.from_card_id
            UNION
            SELECT CASE r.kind WHEN 'blocks' THEN r.to_card_id ELSE r.from_card_id END
            FROM held AS h
            JOIN relationships AS r
                ON (r.from_card_id = h.card_id AND r.kind = 'blocks') OR (r.to_card_id = h.card_id AND r.kind = 'dependsOn')
        )

        SELECT 1 FROM held WHERE held.card_id = d.to_card_id
    );

CREATE TEMP TABLE kept AS
SELECT
    r.id,
    r.org_id,
    r.from_card_id,
    r.to_card_id,
    CASE WHEN r.id IN (SELECT c.id FROM circular AS c) THEN 'relatesTo' ELSE r.kind END AS kind,
    r.comment,
    r.created_at
FROM relationships AS r;

DROP TABLE relationships;

CREATE TABLE relationships (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    from_card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    to_card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('blocks', 'dependsOn', 'partOf', 'duplicates', 'relatesTo')),
    comment TEXT,
    created_at TEXT NOT NULL,
    -- Which of the two waits for the other, as long as that is neither done nor archived; null: neither.
    holder_card_id TEXT GENERATED ALWAYS AS (
        CASE WHEN kind IN ('blocks', 'partOf') THEN from_card_id WHEN kind = 'dependsOn' THEN to_card_id END
    ) STORED,
    held_card_id TEXT GENERATED ALWAYS AS (
        CASE WHEN kind IN ('blocks', 'partOf') THEN to_card_id WHEN kind = 'dependsOn' THEN from_card_id END
    ) STORED,
    UNIQUE (from_card_id, to_card_id, kind)
) STRICT;

CREATE INDEX relationships_by_destination ON relationships (to_card_id, kind);
CREATE INDEX relationships_by_organization ON relationships (org_id, created_at, id);
CREATE INDEX relationships_by_holder ON relationships (holder_card_id) WHERE holder_card_id IS NOT NULL;
CREATE INDEX relationships_by_held ON relationships (held_card_id) WHERE held_card_id IS NOT NULL;
CREATE UNIQUE INDEX relationships_one_parent ON relationships (from_card_id) WHERE kind = 'partOf';

INSERT INTO relationships (id, org_id, from_card_id, to_card_id, kind, comment, created_at)
SELECT id, org_id, from_card_id, to_card_id, kind, comment, created_at
FROM kept
WHERE true
ORDER BY created_at, id
ON CONFLICT DO NOTHING;

DROP TABLE kept;
DROP TABLE circular;

PRAGMA user_version = 21;
COMMIT;
