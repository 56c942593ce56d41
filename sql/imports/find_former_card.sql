-- The card that had a number of a project.
SELECT card_id
FROM former_card_keys
WHERE project_id = :project_id AND number = :number
