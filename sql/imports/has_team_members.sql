-- Whether a team has members, apart from one person.
SELECT 1
FROM team_members
WHERE team_id = :team_id AND user_id <> :user_id
LIMIT 1
