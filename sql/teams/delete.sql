-- Remove a team for good.
DELETE FROM teams
WHERE id = :team_id
