-- Up to which event people and agents have seen what happened: where their catch-up, or their inbox, goes on.
BEGIN;

CREATE TABLE seen (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    reader_id TEXT NOT NULL,                   -- a person, an agent, or a key that acts as none
    card_id TEXT NOT NULL DEFAULT '',          -- '': of the whole organization
    event_id INTEGER NOT NULL,
    PRIMARY KEY (org_id, reader_id, card_id)
) STRICT, WITHOUT ROWID;

-- Agents that are there begin with what happens from now on, those to come with their registration.
INSERT INTO seen (org_id, reader_id, event_id)
SELECT a.org_id, a.id, coalesce((SELECT max(e.id) FROM events AS e), 0)
FROM agents AS a;

PRAGMA user_version = 26;
COMMIT;
