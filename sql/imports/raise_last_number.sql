-- Go on counting the cards of a project behind a number.
UPDATE projects
SET last_number = :number
WHERE id = :project_id AND last_number < :number
