-- Remove the cards of a project for good; their columns and types are referred to by them and go after.
DELETE FROM cards
WHERE project_id = :project_id
