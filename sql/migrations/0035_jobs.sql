-- Changes of very many rows are made in batches; what is left to do is a row here, until the last batch is committed.
BEGIN;

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL,                      -- no reference: a job may remove its organization
    kind TEXT NOT NULL,
    resource_type TEXT NOT NULL,               -- writes to this resource and its contents are denied meanwhile
    resource_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('archiving', 'restoring', 'removing')),
    actor TEXT NOT NULL,                       -- JSON: who asked for it
    parameters TEXT NOT NULL                   -- JSON object
) STRICT;

CREATE INDEX jobs_by_organization ON jobs (org_id);

PRAGMA user_version = 35;
COMMIT;
