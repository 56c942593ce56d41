-- Positions of readers are kept by type and id, because an agent can be registered with the id of a person.
BEGIN;

CREATE TABLE seen_by_reader (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    reader_type TEXT NOT NULL CHECK (reader_type IN ('User', 'Agent')),
    reader_id TEXT NOT NULL,                   -- a person, an agent, or a key that acts as none
    card_id TEXT NOT NULL DEFAULT '',          -- '': of the whole organization
    event_id INTEGER NOT NULL,
    PRIMARY KEY (org_id, reader_type, reader_id, card_id)
) STRICT, WITHOUT ROWID;

-- A position that a person and an agent shared becomes one of each.
INSERT INTO seen_by_reader (org_id, reader_type, reader_id, card_id, event_id)
SELECT s.org_id, 'User', s.reader_id, s.card_id, s.event_id
FROM seen AS s
WHERE EXISTS (SELECT 1 FROM users AS u WHERE u.id = s.reader_id);

INSERT INTO seen_by_reader (org_id, reader_type, reader_id, card_id, event_id)
SELECT s.org_id, 'Agent', s.reader_id, s.card_id, s.event_id
FROM seen AS s
WHERE
    NOT EXISTS (SELECT 1 FROM users AS u WHERE u.id = s.reader_id)
    OR EXISTS (SELECT 1 FROM agents AS a WHERE a.org_id = s.org_id AND a.id = s.reader_id);

DROP TABLE seen;
ALTER TABLE seen_by_reader RENAME TO seen;

PRAGMA user_version = 38;
COMMIT;
