-- Stop every agent of a team.
UPDATE agents
SET status = 'stopped', is_online = 0, stopped_at = coalesce(stopped_at, :now)
WHERE team_id = :team_id
