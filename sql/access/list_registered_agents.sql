-- The agents that registered with a key; two are enough to know that it is not just one.
SELECT id, team_id, status
FROM agents
WHERE key_id = :key_id AND org_id = :org_id AND (:team_id IS NULL OR team_id = :team_id)
ORDER BY id
LIMIT 2
