-- The active columns of a project, to number them again.
SELECT id, position
FROM columns
WHERE project_id = :parent_id AND archived_at IS NULL
ORDER BY position, id
