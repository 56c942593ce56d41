-- Record whether an agent is online and when it was last seen.
UPDATE agents
SET is_online = :is_online, last_seen_at = :now
WHERE org_id = :org_id AND id = :agent_id
