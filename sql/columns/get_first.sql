-- The first column of a project.
SELECT id, wip_limit
FROM columns
WHERE project_id = :project_id AND archived_at IS NULL
ORDER BY position, id
LIMIT 1
