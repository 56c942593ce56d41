-- A copy of a card with parts is made in batches, too: its job has the state `duplicating`.
BEGIN;

CREATE TABLE unfinished_jobs AS SELECT * FROM jobs;

DROP VIEW claimable_columns; -- refers to the table

DROP TABLE jobs;

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL,                      -- no reference: a job may remove its organization
    kind TEXT NOT NULL,
    resource_type TEXT NOT NULL,               -- writes to this resource and its contents are denied meanwhile
    resource_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('archiving', 'restoring', 'removing', 'duplicating')),
    actor TEXT NOT NULL,                       -- JSON: who asked for it
    parameters TEXT NOT NULL                   -- JSON object
) STRICT;

INSERT INTO jobs (id, org_id, kind, resource_type, resource_id, state, actor, parameters)
SELECT id, org_id, kind, resource_type, resource_id, state, actor, parameters
FROM unfinished_jobs;

DROP TABLE unfinished_jobs;

CREATE INDEX jobs_by_organization ON jobs (org_id);

CREATE VIEW claimable_columns AS
SELECT col.id, col.org_id, col.project_id
FROM columns AS col
JOIN projects AS p ON p.id = col.project_id AND p.archived_at IS NULL
WHERE
    col.archived_at IS NULL
    AND col.agent_pickup_enabled = 1
    AND col.agent_can_moderate = 1
    AND col.column_type <> 'done'
    AND NOT EXISTS (
        SELECT 1
        FROM jobs AS j
        WHERE j.org_id = col.org_id AND j.resource_type = 'project' AND j.resource_id = col.project_id
    );

PRAGMA user_version = 63;
COMMIT;
