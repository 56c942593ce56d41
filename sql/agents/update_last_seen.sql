-- Record when an agent was last seen. An approved one is online.
UPDATE agents
SET last_seen_at = :now, is_online = CASE WHEN status = 'approved' THEN 1 ELSE is_online END
WHERE org_id = :org_id AND id = :agent_id
