-- One active transition of an organization.
SELECT id, project_id, from_column_id, to_column_id, requires_approval, created_at
FROM transitions
WHERE id = :transition_id AND org_id = :org_id AND archived_at IS NULL
