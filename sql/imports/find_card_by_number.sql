-- The card of a project with a number.
SELECT id
FROM cards
WHERE project_id = :project_id AND number = :number
