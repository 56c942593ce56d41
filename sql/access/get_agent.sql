-- One agent of an organization.
SELECT id, team_id, status
FROM agents
WHERE org_id = :org_id AND id = :agent_id
