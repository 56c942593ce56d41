-- One active project of an organization.
SELECT id, title, key, color, created_at, archived_at, display
FROM projects
WHERE id = :project_id AND org_id = :org_id AND archived_at IS NULL
