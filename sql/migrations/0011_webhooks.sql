-- Webhooks: who is told of events, and what became of each telling.
BEGIN;

CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    events TEXT NOT NULL,                      -- JSON array of patterns
    secret TEXT NOT NULL,                      -- encrypted
    enabled INTEGER NOT NULL,
    last_event_id INTEGER NOT NULL,            -- up to here each event has been looked at
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX webhooks_by_organization ON webhooks (org_id, created_at, id);

-- The event is copied: the log may forget it before the last attempt.
CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event_id INTEGER NOT NULL,
    type TEXT NOT NULL,
    event TEXT NOT NULL,                       -- JSON, as the log of events shows it
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    status_code INTEGER,                       -- of the last attempt, like the next two
    error TEXT,
    duration_ms INTEGER,
    next_attempt_at TEXT,                      -- null once it is not pending
    created_at TEXT NOT NULL,
    delivered_at TEXT,
    UNIQUE (webhook_id, event_id)
) STRICT;

CREATE INDEX deliveries_pending ON deliveries (webhook_id, next_attempt_at, event_id) WHERE state = 'pending';

PRAGMA user_version = 11;
COMMIT;
