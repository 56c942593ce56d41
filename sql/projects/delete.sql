-- Remove a project for good, and with it all that is inside.
DELETE FROM projects
WHERE id = :project_id
