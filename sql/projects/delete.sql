-- Delete a project permanently with all its contents.
DELETE FROM projects
WHERE id = :project_id
