-- Remove a user from a team.
DELETE FROM team_members
WHERE team_id = :team_id AND user_id = :user_id
