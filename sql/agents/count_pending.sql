-- How many agents that registered with a key wait for approval.
SELECT count(*)
FROM agents
WHERE key_id = :key_id AND status = 'pending'
