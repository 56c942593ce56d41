-- How many active columns a project has.
SELECT count(*)
FROM columns
WHERE project_id = :project_id AND archived_at IS NULL
