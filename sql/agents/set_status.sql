-- A new state of an agent; one that is not approved is not online.
UPDATE agents
SET status = :status, is_online = iif(:status = 'approved', is_online, 0)
WHERE org_id = :org_id AND id = :agent_id
