-- The API keys of an organization, oldest first.
SELECT id, name, prefix, team_id, agent_id, acts_as_itself, enabled, expires_at, last_used_at, created_at
FROM api_keys
WHERE org_id = :org_id
ORDER BY created_at, id
