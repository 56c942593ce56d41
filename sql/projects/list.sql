-- The active projects of an organization, oldest first.
SELECT id, title, key, color, created_at, archived_at, display
FROM projects
WHERE org_id = :org_id AND archived_at IS NULL
ORDER BY created_at, id
