-- Record when an agent was last seen.
UPDATE agents
SET last_seen_at = :now
WHERE org_id = :org_id AND id = :agent_id AND (last_seen_at IS NULL OR last_seen_at < :now)
