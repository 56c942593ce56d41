-- An archived project and the operation that archived it.
SELECT id, archive_id, archived_at
FROM projects
WHERE id = :id AND org_id = :org_id AND archived_at IS NOT NULL
