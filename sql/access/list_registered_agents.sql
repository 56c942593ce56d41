-- The agents that registered with an API key, at most two: the caller needs to know whether there is exactly one.
SELECT id, team_id, status
FROM agents
WHERE key_id = :key_id AND org_id = :org_id AND (:team_id IS NULL OR team_id = :team_id)
ORDER BY id
LIMIT 2
