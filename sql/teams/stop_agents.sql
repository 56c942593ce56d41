-- Stop every agent of a team.
UPDATE agents
SET status = 'stopped', is_online = 0
WHERE team_id = :team_id
