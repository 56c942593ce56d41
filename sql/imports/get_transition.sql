-- The transition with an id, of any organization.
SELECT
    id, org_id, project_id, from_column_id, to_column_id, requires_approval, created_at, archived_at,
    archive_id
FROM transitions
WHERE id = :id
