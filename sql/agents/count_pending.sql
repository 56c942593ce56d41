-- Count the agents that registered with an API key and wait for approval.
SELECT count(*)
FROM agents
WHERE key_id = :key_id AND status = 'pending'
