-- The active transitions of an organization or of one project, oldest first.
SELECT id, project_id, from_column_id, to_column_id, requires_approval, created_at
FROM transitions
WHERE org_id = :org_id AND archived_at IS NULL AND (:project_id IS NULL OR project_id = :project_id)
ORDER BY created_at, id
