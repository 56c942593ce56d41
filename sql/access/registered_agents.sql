-- The agents that registered with a key, approved ones first; two are enough to know that it is not just one.
SELECT id, team_id, status
FROM agents
WHERE key_id = :key_id
ORDER BY status <> 'approved', id
LIMIT 2
