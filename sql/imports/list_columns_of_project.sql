-- The active columns of a project, to renumber them.
SELECT id, position
FROM columns
WHERE project_id = :parent_id AND archived_at IS NULL
ORDER BY position, id
