-- Count the active columns of a project.
SELECT count(*)
FROM columns
WHERE project_id = :project_id AND archived_at IS NULL
