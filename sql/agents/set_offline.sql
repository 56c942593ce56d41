-- Record that an agent is offline and when it was last seen.
UPDATE agents
SET is_online = 0, last_seen_at = :now
WHERE org_id = :org_id AND id = :agent_id
