-- Delete an agent. History keeps its id.
DELETE FROM agents
WHERE org_id = :org_id AND id = :agent_id
