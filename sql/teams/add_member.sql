-- Add a user to a team.
INSERT INTO team_members (team_id, user_id)
VALUES (:team_id, :user_id)
ON CONFLICT (team_id, user_id) DO NOTHING
