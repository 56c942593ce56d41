-- Raise the last card number of a project to at least a number.
UPDATE projects
SET last_number = :number
WHERE id = :project_id AND last_number < :number
