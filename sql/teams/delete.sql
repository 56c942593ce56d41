-- Delete a team permanently.
DELETE FROM teams
WHERE id = :team_id
