-- The number of a project's next card.
UPDATE projects
SET last_number = last_number + 1
WHERE id = :project_id
RETURNING last_number
