-- Organizations in which agents may not write for now, and answers kept for requests that are sent again.
BEGIN;

CREATE TABLE freezes (
    org_id TEXT PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    until TEXT,                                -- null: until somebody ends it
    frozen_at TEXT NOT NULL,
    frozen_by TEXT NOT NULL                    -- the actor as JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE retries (
    id TEXT PRIMARY KEY,                       -- SHA-256 of who sent what where, with which Idempotency-Key
    org_id TEXT REFERENCES organizations (id) ON DELETE CASCADE, -- null: a route outside any organization
    fingerprint TEXT NOT NULL,                 -- SHA-256 of the query and the body
    answer TEXT NOT NULL,                      -- encrypted at rest: it may hold a secret that is shown once
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX retries_by_age ON retries (created_at);
CREATE INDEX retries_by_organization ON retries (org_id);

PRAGMA user_version = 7;
COMMIT;
