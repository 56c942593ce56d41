-- Allocate the number of the next card of a project.
UPDATE projects
SET last_number = last_number + 1
WHERE id = :project_id
RETURNING last_number
