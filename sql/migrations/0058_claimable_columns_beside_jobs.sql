-- Columns of a board that a job archives or removes are not claimable: writes to their cards are denied meanwhile.
BEGIN;

DROP VIEW claimable_columns;

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

PRAGMA user_version = 58;
COMMIT;
