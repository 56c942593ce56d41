-- The log of what happened, for those who listen.
BEGIN;

-- No foreign keys: the log outlives what it tells of. AUTOINCREMENT: no id ever means two events.
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    type TEXT NOT NULL,                        -- <noun>.<verb>
    card_id TEXT,
    project_id TEXT,
    actor_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_label TEXT,
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX events_by_organization ON events (org_id, id);

-- An event as it goes over the wire: what it is not about is left out.
CREATE VIEW encoded_events AS
SELECT
    id,
    org_id,
    '{"id":"' || id || '","type":' || json_quote(type)
    || CASE WHEN card_id IS NULL THEN '' ELSE ',"cardId":' || json_quote(card_id) END
    || CASE WHEN project_id IS NULL THEN '' ELSE ',"projectId":' || json_quote(project_id) END
    || ',"actor":' || json_object('type', actor_type, 'id', actor_id, 'label', actor_label)
    || ',"at":' || json_quote(created_at) || '}' AS text
FROM events;

PRAGMA user_version = 10;
COMMIT;
